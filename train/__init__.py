"""Learning loops. Runs from a checkout; not part of the wheel."""
