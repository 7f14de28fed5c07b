"""Training settings of each game, where they differ from the settings for every game."""
