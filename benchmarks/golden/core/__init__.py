"""Reading, replaying and reporting golden data, for any game."""
