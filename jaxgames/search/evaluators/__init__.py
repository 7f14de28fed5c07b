"""What a search asks about a position: a prior over actions and a value for each seat."""
