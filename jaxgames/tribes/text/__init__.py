"""Positions and moves of Tribes as text."""
