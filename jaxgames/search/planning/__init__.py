"""Planners: agents that look ahead in whole actions of the game and judge where they get to."""
