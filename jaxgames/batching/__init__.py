"""Code for whole batches: rare cases, lookups, rows and trees of arrays."""
