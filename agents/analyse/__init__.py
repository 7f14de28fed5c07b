"""What an agent thinks of a position: values, best moves, variations."""
