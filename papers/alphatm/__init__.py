"""AlphaTM: a network that plays Terra Mystica from planes."""
