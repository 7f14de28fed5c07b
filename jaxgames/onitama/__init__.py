"""Onitama (Shimpei Sato, 2014): two seats, 5x5 board, five open move cards."""
