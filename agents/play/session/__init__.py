"""A session: a game with its branches, those who play it, its file, and the pages that watch."""
