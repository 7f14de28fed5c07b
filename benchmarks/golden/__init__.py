"""Golden data: recorded positions, games and counts that a game must reproduce exactly.

`runner.check_directory` compares a directory of records with a game and yields one report a file;
`python -m benchmarks.golden` prints them, and the tests assert on them.
"""
