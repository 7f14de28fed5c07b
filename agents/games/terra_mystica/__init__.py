"""What players know of Terra Mystica."""
