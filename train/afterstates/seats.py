"""Parameters of an `AfterstateNetwork` for more seats than those with which it has learned.

Each opponent counts as the opponents did that the network knows, on average, so it plays with more
seats as it did before. With fresh outputs it would have to learn all values anew.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxgames import Env
from jaxgames.networks import network_files
from jaxgames.players.registry import make_env
from jaxgames.search.agent import Params


def with_more_seats(
    params: Params, meta: Mapping[str, Any], env: Env[Any], of_seat: int
) -> tuple[Params, list[str]]:
    """Returns the parameters for the seats of a game, and a sentence on what has changed, if any.

    Parameters of a network with as many seats, or more, stay as they are.

    Args:
        params: the parameters that have learned.
        meta: their description; they are of the same game.
        env: the game.
        of_seat: features of each seat, as `AfterstateDomain.num_seat_features` has them; 0: the
            parameters stay as they are.
    """
    if not of_seat:
        return params, []
    before, after = make_env(env.id, meta["env_options"]).num_players, env.num_players
    if before >= after:
        return params, []
    arrays = {name: np.asarray(x) for name, x in network_files.flatten(params).items()}
    last = max(int(name.split(".")[1]) for name in arrays if name.startswith("layers."))
    cell_features = arrays["codes"].shape[1] if "codes" in arrays else 0
    kernel = arrays["layers.0.kernel"]
    end = len(kernel) - cell_features
    common, own, others, cells = np.split(
        kernel, [end - before * of_seat, end - (before - 1) * of_seat, end]
    )
    opponent = others.reshape(before - 1, of_seat, -1).sum(axis=0) / (after - 1)
    arrays["layers.0.kernel"] = np.concatenate([common, own, *[opponent] * (after - 1), cells])
    for name in (f"layers.{last}.kernel", f"layers.{last}.bias"):
        arrays[name] = _outputs(arrays[name], before, after)
    return network_files.nest(arrays), [
        f"each of {after - 1} opponents counts as the {before - 1} that it knows do, on average"
    ]


def _outputs(old: np.ndarray, before: int, after: int) -> np.ndarray:
    """Returns the last axis, the value and where they are learned the points of all seats.

    With two seats the value is one number, that of the seat that acted; the values of all seats add
    up to zero.
    """
    if before == 2:
        own, points = old[..., :1], old[..., 1:]
        values = np.concatenate([own, *[-own / (after - 1)] * (after - 1)], axis=-1)
    else:
        values, points = _repeated(old[..., :before], after), old[..., before:]
    parts = [values, _repeated(points, after)] if points.shape[-1] else [values]
    return np.concatenate(parts, axis=-1)


def _repeated(numbers: np.ndarray, after: int) -> np.ndarray:
    """Returns the number of the first seat, and for each other seat the mean of the others."""
    other = numbers[..., 1:].mean(axis=-1, keepdims=True)
    return np.concatenate([numbers[..., :1], *[other] * (after - 1)], axis=-1)
