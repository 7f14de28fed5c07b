"""The networks that come with the library, in the folder `jaxgames/pretrained`.

The README beside the files says how each was trained and how strong it plays.
"""

import pathlib
from typing import Any

from jaxgames.internal.messages import unknown
from jaxgames.networks.network_files import load_network
from jaxgames.search.agent import Params

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "pretrained"


def available_pretrained() -> tuple[str, ...]:
    """Returns the names of the networks, sorted; the network of a game has the game's id."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))


def pretrained_file(name: str) -> pathlib.Path:
    """Returns the file of a network.

    Raises:
        ValueError: if there is no network of this name; names the nearest.
    """
    if not isinstance(name, str):
        raise ValueError(
            f"expected the name of a network, one of {', '.join(available_pretrained())}; "
            f"got {name!r}"
        )
    if name not in available_pretrained():
        raise ValueError(unknown("pretrained network", name, available_pretrained()))
    return FOLDER / f"{name}.npz"


def pretrained(game: str) -> tuple[Params, dict[str, Any]]:
    """Returns the parameters of the network of a game, and their description.

    Args:
        game: the id of a game, for instance `"terra_mystica"`.

    Returns:
        Nested dict of float32 NumPy arrays, and the entries of `networks.describe`. The entry
        `plays_as` names the agent that plays with values of afterstates; a network without it has
        a policy and values, and `networks.load_evaluator` reads it from `pretrained_file(game)`.

    Raises:
        ValueError: if the library has no network of this game, or its file is damaged.
    """
    return load_network(pretrained_file(game))
