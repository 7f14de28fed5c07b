"""What players know of Tribes."""
