"""Decision makers and the matches between them. Runs from a checkout; not part of the wheel."""
