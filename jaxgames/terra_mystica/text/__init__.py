"""Positions, moves and ledgers of Terra Mystica as text."""
