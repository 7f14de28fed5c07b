"""The Murus Gallicus paper: its programs, its opening book, its time management."""
