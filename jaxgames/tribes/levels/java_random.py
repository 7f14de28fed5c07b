"""The random numbers of the reference, so that its levels can be made again from their seeds.

Source: the game's document, section 16.2; the linear congruential generator of `java.util.Random`.
"""

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_BITS = 48
_MASK = (1 << _BITS) - 1


class JavaRandom:
    """A stream of random numbers that a seed decides."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def uniform(self) -> float:
        """Returns a number in [0, 1), a multiple of 2^-53."""
        return ((self._next(26) << 27) + self._next(27)) / (1 << 53)

    def below(self, bound: int) -> int:
        """Returns a whole number in `0 .. bound - 1`."""
        return int(self.uniform() * bound)

    def _next(self, bits: int) -> int:
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> (_BITS - bits)
