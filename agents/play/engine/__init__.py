"""The engine: agents that a page may ask for, made ready, and their searches in threads."""
