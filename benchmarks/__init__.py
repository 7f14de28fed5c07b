"""Measurements and golden-data checks; see `benchmarks/results/`."""

from agents.interrupts import end_quietly_while_starting

end_quietly_while_starting()
