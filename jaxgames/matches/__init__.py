"""Matches: games of players against each other, and scores with their errors."""
