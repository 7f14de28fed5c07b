"""Compiling ahead: what the page, analyses and `best` need is ready before somebody waits."""
