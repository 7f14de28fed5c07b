"""Games with a clock, on the host: how long to think, and what happens when the time is over.

No other agent reads a clock. Everything here plays one game at a time.
"""
