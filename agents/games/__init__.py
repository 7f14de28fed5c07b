"""What players know of each game: one package a game, one plug each."""
