"""Players by spec name: each factory makes an agent for a game."""
