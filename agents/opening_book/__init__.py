"""Opening books: moves for the first positions of a game, found by UCT and kept in a file."""
