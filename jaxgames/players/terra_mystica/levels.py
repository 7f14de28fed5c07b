"""The levels of Terra Mystica: no search, then noise on the values that the network gives.

With noise of a scale, actions are drawn by their values: the further an action is behind the best
one, the more seldom it is played.
"""

from jaxgames.players.plugs import Level

NETWORKS = {
    2: "terra_mystica",
    3: "terra_mystica_3",
    4: "terra_mystica_4",
    5: "terra_mystica_5",
}
_NOISES = (0.085, 0.066, 0.046, 0.028)
_SCORES = {2: (None, 0.725, 0.7775, 0.7875, 0.77, 0.833)}
_NO_SCORES = (None,) * (len(_NOISES) + 2)


def of_seats(seats: int) -> tuple[Level, ...]:
    """Returns the levels for a number of seats."""
    player = f"afterstate:network={NETWORKS[seats]}"
    specs = (*(f"{player},noise={noise}" for noise in _NOISES), player, "best")
    scores = _SCORES.get(seats, _NO_SCORES)
    return tuple(Level((spec,), score) for spec, score in zip(specs, scores, strict=True))
