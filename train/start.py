"""The parameters that a run starts from: those of a stored network, fitted to the game at hand.

Options of a game can add planes or numbers to its observation, actions, or seats. What the stored
network has learned about all else is kept.
"""

import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames import Env
from jaxgames.networks import network_files
from jaxgames.networks.network_files import DoesNotFit
from jaxgames.players.stored_networks import load_network
from jaxgames.search.agent import Params
from train import parallel, run_record
from train.checkpoint import Checkpoints

_INPUTS = -2  # axis of a kernel


Adapt = Callable[[Params, Mapping[str, Any]], tuple[Params, list[str]]]
"""Returns stored parameters as a game asks for them, and sentences on what has changed.

Its arguments are the parameters and their description."""


def of_run(
    env: Env[Any],
    config: Any,
    init: Callable[[PRNGKeyArray], Params],
    adapt: Adapt | None = None,
) -> Params | None:
    """Returns the parameters from which a run starts, as `parameters` does; None: fresh ones.

    A run that goes on from a checkpoint needs none, and its stored network may be gone.

    Args:
        env: the game.
        config: the settings of the run.
        init: as in `parameters`.
        adapt: as in `parameters`.

    Raises:
        ValueError: as `parameters`.
    """
    if config.start is None or Checkpoints.exist(run_record.check_folder(config)):
        return None
    return parameters(env, config.start, config.network, init, config.seed, adapt)


def parameters(
    env: Env[Any],
    source: str,
    network: Any,
    init: Callable[[PRNGKeyArray], Params],
    seed: int,
    adapt: Adapt | None = None,
) -> Params:
    """Returns the parameters of a stored network, with fresh ones where the game asks for more.

    What is fresh is told on stderr.

    Args:
        env: the game.
        source: a run folder, a network file, or the name of a pretrained network.
        network: a dataclass, the sizes of the network that learns; the stored one has the same.
        init: makes fresh parameters.
        seed: of the fresh parameters.
        adapt: what the algorithm makes of the stored parameters, before fresh ones take the place
            of those that do not fit.

    Raises:
        ValueError: if the network cannot be read, is of another game or kind, or has other sizes.
    """
    params, meta = load_network(source)
    changes = []
    try:
        network_files.check_game(env, meta, source)
    except DoesNotFit as error:
        changes.append(str(error))
    asked = dataclasses.asdict(network)
    if others := sorted(meta["network"].keys() ^ asked.keys()):
        raise ValueError(
            f"start={source} has a network of another kind: expected one of this program, which "
            f"has the same sizes; {', '.join(others)} belong to one of both only"
        )
    if differing := _differing_sizes(meta["network"], asked):
        raise ValueError(f"start={source} has another network than asked for: add {differing}")
    if adapt is not None:
        params, adapted = adapt(params, meta)
        changes += adapted
    key = jax.random.key(seed)
    fresh = jax.eval_shape(init, key)
    if not _shapes(fresh).items() <= _shapes(params).items():
        fresh = jax.device_get(jax.jit(init)(key))
    fitted, more = fit(params, fresh)
    if changes + more and parallel.is_main_process():
        print(f"start={source}:", *changes + more, sep="\n  ", file=sys.stderr, flush=True)
    return fitted


def _differing_sizes(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Returns the options that ask for the stored sizes; empty if they are asked for."""
    options = []
    for name, size in stored.items():
        wanted = asked[name]
        if size == (list(wanted) if isinstance(wanted, tuple) else wanted):
            continue
        option = f"--network.{name.replace('_', '-')}"
        is_list = isinstance(size, list)
        options.append(f"{option} {' '.join(map(str, size))}" if is_list else f"{option}={size}")
    return " ".join(options)


def fit(params: Params, fresh: Params) -> tuple[Params, list[str]]:
    """Returns parameters with the shapes of `fresh`, and sentences on each one that is not stored.

    A kernel that has fewer inputs gets rows of zeros for the others, the last ones, so that the
    network starts as it was. A parameter with another shape, or without a stored one, is fresh.

    Raises:
        ValueError: if none is stored.
    """
    stored, wanted = network_files.flatten(params), network_files.flatten(fresh)
    if not stored.keys() & wanted.keys():
        raise ValueError("the network has no parameter of those that are asked for")
    found, changes = {}, []
    for name, new in wanted.items():
        found[name], change = _fitted(stored, name, new)
        changes += change
    return jax.tree.map(jnp.asarray, network_files.nest(found)), changes


def _shapes(params: Params) -> dict[str, tuple[int, ...]]:
    return {name: np.shape(x) for name, x in network_files.flatten(params).items()}


def _fitted(stored: Mapping[str, Any], name: str, new: Any) -> tuple[np.ndarray, list[str]]:
    if name not in stored:
        return new, [f"{name} is new"]
    old = np.asarray(stored[name], new.dtype)
    if old.shape == new.shape:
        return old, []
    if old.ndim == new.ndim > 1:
        more = new.shape[_INPUTS] - old.shape[_INPUTS]
        missing = [(0, 0)] * new.ndim
        missing[_INPUTS] = (0, max(more, 0))
        padded = np.pad(old, missing)
        if padded.shape == new.shape:
            return padded, [f"{name} has {more} more inputs, which count from zero"]
    return new, [f"{name} is new: {old.shape} there and {new.shape} here"]
