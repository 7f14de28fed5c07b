"""Exhaustive play: move counts, exact values within a number of plies, tables of endings."""
