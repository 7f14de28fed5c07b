"""What players know of Onitama."""
