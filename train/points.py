"""Means of the points of seats, as metrics."""

import numpy as np
from jaxtyping import Float


def mean_points(
    area: str, points: Float[np.ndarray, "R"], seats: Float[np.ndarray, "R"], roles: tuple[str, ...]
) -> dict[str, float]:
    """Returns mean points of all seats as `area`, of each role that was played as `area/ROLE`."""
    if not seats.sum():
        return {}
    means = {area: float(points.sum() / seats.sum())}
    for role, total, number in zip(roles, points, seats, strict=False):
        if number:
            means[f"{area}/{role}"] = float(total / number)
    return means
