"""Murus Gallicus (Phil Leduc, 2009): two seats, 8x7 board, walls, towers and catapults."""
