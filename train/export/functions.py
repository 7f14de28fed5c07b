"""A trained network as a function of plain arrays, and arrays of positions to try it on."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array

from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env, random_actions
from jaxgames.networks.afterstates import Inputs
from jaxgames.networks.evaluators import make_evaluator
from jaxgames.players import registry
from jaxgames.players.afterstate import PLAYS_AS, fitted
from jaxgames.players.stored_networks import load_network
from jaxgames.search.agent import Params
from jaxgames.state import State
from jaxgames.wrappers.auto_reset import auto_reset

GAMES = 32  # played side by side for positions
Arrays = dict[str, np.ndarray]


class PlainNetwork(NamedTuple):
    """A trained network as a function of arrays, each with the axis of the batch in front."""

    apply: Callable[..., tuple[Array, ...]]
    """Maps `params` and the arrays of `inputs`, in their order, to the arrays of `outputs`."""
    inputs: Mapping[str, jax.ShapeDtypeStruct]
    """By name the shape and the type of each input, without the axis of the batch."""
    outputs: tuple[str, ...]
    """The names of the results, all float32."""
    params: Params
    """Nested dict of float32 arrays."""
    meta: dict[str, Any]
    """The description that is stored with the network."""
    positions: Callable[[int, int], Arrays]
    """Maps a number and a seed to the inputs for so many positions of random games."""

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """Returns the results for a batch of inputs."""
        return self.apply(self.params, *arrays)


def load(name: str) -> PlainNetwork:
    """Returns a trained network that computes in float32 on every device.

    A network with a policy maps `planes`, or `planes` and `numbers` where the game is observed as a
    pair, to `logits` `[B, actions]` and `values` `[B, players]`, the observer first. A network of
    afterstates maps `features`, `estimate`, and where it has them `points` and `cells` to `values`
    and perhaps `final_points`, `[B, players]`, the seat that acted first.

    Args:
        name: the name of a network of the library, a network file, or the folder of a run.

    Raises:
        ValueError: if there is none, it is damaged, or does not fit its game.
    """
    params, meta = load_network(name)
    env = registry.make_env(meta["game"], meta["env_options"])
    as_float32 = {**meta, "network": {**meta["network"], "dtype": "float32"}}
    make = _of_afterstates if meta.get("plays_as") == PLAYS_AS else _of_positions
    return make(env, params, as_float32, name)


def _of_positions(env: Env[Any], params: Params, meta: dict[str, Any], name: str) -> PlainNetwork:
    evaluator, params = make_evaluator(env, params, meta, name)
    parts, tree = jax.tree.flatten(jax.eval_shape(as_floats, env.observation_spec))
    names = ("planes", "numbers")[: len(parts)]

    def apply(params: Params, *observation: Array) -> tuple[Array, ...]:
        return evaluator.network.apply(params, jax.tree.unflatten(tree, observation))

    def positions(count: int, seed: int) -> Arrays:
        found = (
            dict(zip(names, jax.tree.leaves(as_floats(after.observation)), strict=True))
            for _, after in _random_moves(env, seed)
        )
        return _first(found, count)

    inputs = dict(zip(names, parts, strict=True))
    return PlainNetwork(apply, inputs, ("logits", "values"), params, meta, positions)


def _of_afterstates(env: Env[Any], params: Params, meta: dict[str, Any], name: str) -> PlainNetwork:
    network, params = fitted(env, params, meta, name)
    read = jax.jit(network.inputs)
    one = jax.eval_shape(env.init, jax.random.key(0))
    batch = jax.tree.map(lambda x: jax.ShapeDtypeStruct((1, *x.shape), x.dtype), one)
    spec = jax.eval_shape(network.inputs, batch.game, batch.current_player)
    inputs = {
        part: jax.ShapeDtypeStruct(found.shape[1:], found.dtype)
        for part, found in spec._asdict().items()
        if found is not None
    }

    def apply(params: Params, *arrays: Array) -> tuple[Array, ...]:
        given = dict(zip(inputs, arrays, strict=True))
        found = network.apply(params, Inputs(**{"points": None, **given}))
        return tuple(part for part in found if part is not None)

    def positions(count: int, seed: int) -> Arrays:
        found = (
            {
                part: array
                for part, array in read(after.game, actor)._asdict().items()
                if array is not None
            }
            for actor, after in _random_moves(env, seed)
        )
        return _first(found, count)

    outputs = ("values", "final_points") if "points" in inputs else ("values",)
    return PlainNetwork(apply, inputs, outputs, params, meta, positions)


def _random_moves(env: Env[Any], seed: int) -> Iterator[tuple[Array, State[Any]]]:
    """Yields, ply by ply, who has moved in each of some games, and those games that go on."""
    step = jax.jit(jax.vmap(auto_reset(env).step))
    start, key = jax.random.split(jax.random.key(seed))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(start, GAMES))
    while True:
        key, choice, chance = jax.random.split(key, 3)
        actor, action = state.current_player, random_actions(env, state, choice)
        state, reached = step(state, action, jax.random.split(chance, GAMES))
        goes_on = ~np.asarray(reached.terminated | reached.truncated)
        yield actor[goes_on], jax.tree.map(lambda x, rows=goes_on: x[rows], reached)


def _first(batches: Iterator[dict[str, Any]], count: int) -> Arrays:
    """Returns the first `count` rows of some batches."""
    taken: list[dict[str, Any]] = []
    found = 0
    while found < count:
        taken.append(jax.device_get(next(batches)))
        found += len(next(iter(taken[-1].values())))
    return {name: np.concatenate([x[name] for x in taken])[:count] for name in taken[0]}
