"""A tree search for whole batches: one set of arrays, read by gather and written by scatter."""
