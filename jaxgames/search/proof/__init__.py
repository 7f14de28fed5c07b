"""An exact solver for small positions: proof-number search of whole batches."""
