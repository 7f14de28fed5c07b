"""Opening books: the moves of a book, and the player that follows it."""
