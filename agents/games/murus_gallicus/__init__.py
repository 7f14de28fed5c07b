"""What players know of Murus Gallicus."""
