"""Depth-first search of two-seat games: minimax, alpha-beta, principal variation search."""
