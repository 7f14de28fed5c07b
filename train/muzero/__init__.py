"""MuZero: a learned model of the game, with which the search plans."""
