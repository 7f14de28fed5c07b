"""People at a terminal: questions for moves, and games that are played on the host."""
