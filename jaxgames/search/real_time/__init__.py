"""Searches of one position under a clock: pieces of work, with a look at the time in between."""
