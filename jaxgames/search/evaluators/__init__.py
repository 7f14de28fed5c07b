"""Evaluators: they give a search a prior over actions and a value for each seat."""
