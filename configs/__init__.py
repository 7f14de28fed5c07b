"""Options of the command-line programs: plain values, no JAX."""
