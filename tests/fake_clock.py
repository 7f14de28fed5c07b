"""A clock that only moves when it is read."""


class FakeClock:
    """Moves on by some seconds whenever it is read, by one unless told otherwise."""

    def __init__(self, seconds=1.0):
        self.now, self.seconds = 0.0, seconds

    def __call__(self):
        self.now += self.seconds
        return self.now
