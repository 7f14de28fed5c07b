"""Agents that follow rules written for one game, one module or package for each."""
