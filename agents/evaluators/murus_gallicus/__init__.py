"""What is worth something in Murus Gallicus: scores for searches, and which moves to try first."""
