"""Chances to win from expected returns."""


def chance(value: float) -> float:
    """Returns the chance to win, from 0 to 1, of a seat whose expected return is `value`.

    A draw counts as half a win.
    """
    return (1 + min(1.0, max(-1.0, value))) / 2
