"""Knowledge of the games: one package for each game, with one plug (`registry.py`)."""
