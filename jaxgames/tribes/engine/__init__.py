"""The rules of Tribes that change a state, one concept a file."""
