"""Flax networks behind two functions, `init` and `apply`."""
