"""Sizes of the training programs for every game, by class of devices."""
