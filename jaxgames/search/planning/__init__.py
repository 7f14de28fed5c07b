"""Planners: agents that look ahead in whole game actions and evaluate the positions reached."""
