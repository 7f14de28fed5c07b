"""The rules of Terra Mystica that change a state, one concept a file."""
