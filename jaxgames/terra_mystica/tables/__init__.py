"""The figures of the game: board, factions, tiles and costs."""
