"""Analysis of positions by any player."""
