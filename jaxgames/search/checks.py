"""Checks of settings that several searches share: each raises a `ValueError` that names it."""

import math

MOST = 2**24  # 32-bit floats, in which visits and games are averaged, count no further
LEAST_TEMPERATURE = 1e-3  # logits divided by much less leave the range of 32-bit floats


def count(name: str, value: int) -> None:
    """Checks a number of simulations, games or the like."""
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    if value > MOST:
        raise ValueError(f"{name} must be at most {MOST}, got {value}")


def weight(name: str, value: float) -> None:
    """Checks a weight: a finite number that is not negative."""
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0, got {value}")
    if value == math.inf:
        raise ValueError(f"{name} must be finite, got {value}")


def temperature(value: float) -> None:
    """Checks a temperature: 0 takes the greatest share, 1 draws in proportion to the shares."""
    if value != 0 and not LEAST_TEMPERATURE <= value < math.inf:
        raise ValueError(f"temperature must be 0 or at least {LEAST_TEMPERATURE}, got {value}")
