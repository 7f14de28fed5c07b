"""Programs to copy from, each in one file. Nothing imports them, and tests run them all."""
