"""The Tribes paper: its players against each other."""
