"""Geometry shared by games: bitboards, square boards."""
