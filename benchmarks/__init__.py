"""Measurements and golden-data checks; see `benchmarks/results/`."""

from jaxgames.internal.interrupts import end_quietly_while_starting

end_quietly_while_starting()
