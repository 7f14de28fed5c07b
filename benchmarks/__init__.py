"""Measurements and golden-data checks; see `benchmarks/results/`."""
