"""What players with learned values of afterstates expect after a move: final points, or returns."""

import functools
from collections.abc import Sequence
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.analysis import host_states
from jaxgames.analysis.chances import chance
from jaxgames.env import Env
from jaxgames.internal.program_cache import cached_jit
from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.players.player import Player
from jaxgames.records.replay import is_over
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import to_absolute_seats
from jaxgames.search.planning.one_step import Noisy
from jaxgames.state import State

PARTS = 8, 32  # afterstates judged at once: as few sizes as possible are compiled
Unit = Literal["points", "chance"]
Expectation = tuple[float, ...]
"""For each seat its expected final points, or its chance to win."""


def network_of(player: Player) -> AfterstateNetwork | None:
    """Returns the network of a player that judges afterstates; None if it has none."""
    agent = player.agent
    network = getattr(agent, "value", None)
    if network is None:
        network = getattr(getattr(agent, "evaluator", None), "network", None)
    return network if isinstance(network, AfterstateNetwork) else None


def expects_points(player: Player) -> bool:
    """Returns whether a player's expectations are final points: its aim is a lead in points.

    Where a player aims at winning, a chance says more than points, if the game counts any.
    """
    network = network_of(player)
    return network is not None and _aims_at_points(network)


def _aims_at_points(network: AfterstateNetwork) -> bool:
    return network.domain.rules.counts_points and not network.domain.bounded


def unit_of(player: Player) -> Unit:
    """Returns in what a player's expectations are told."""
    return "points" if expects_points(player) else "chance"


def own(expectation: Expectation, seat: int, unit: Unit) -> float:
    """Returns what counts for a seat: its chance, or its lead over the mean of the other seats."""
    mine = expectation[seat]
    if unit == "chance":
        return mine
    return mine - (sum(expectation) - mine) / (len(expectation) - 1)


def after(env: Env[Any], state: State[Any], action: int, key: PRNGKeyArray) -> State[Any]:
    """Returns the position after a legal action, on the host; `key` decides chance."""
    return jax.device_get(host_states.step(env, state, np.int32(action), key))


def outcome(env: Env[Any], state: State[Any], unit: Unit) -> Expectation:
    """Returns the points or the chances at the end of a game."""
    if unit == "points":
        return tuple(np.asarray(env.rules.score(state.game)).astype(float).tolist())
    return tuple(map(chance, np.asarray(env.rules.returns(state.game)).astype(float).tolist()))


def expected_or_outcome(
    env: Env[Any], player: Player, afters: Sequence[State[Any]], seats: Sequence[int]
) -> list[Expectation]:
    """Returns what is expected after actions, and the outcome where a game is over.

    Args:
        env: the game.
        player: a player with a network of afterstates.
        afters: the positions after one action each.
        seats: the seat that acted before each of them.
    """
    unit = unit_of(player)
    goes_on = [at for at, state in enumerate(afters) if not is_over(state)]
    judged = expectations(
        player, [afters[at].game for at in goes_on], [seats[at] for at in goes_on]
    )
    if unit == "chance":
        judged = [tuple(map(chance, row)) for row in judged]
    found = dict(zip(goes_on, judged, strict=True))
    return [found[at] if at in found else outcome(env, x, unit) for at, x in enumerate(afters)]


def expectations(
    player: Player, afters: Sequence[Any], seats: Sequence[int]
) -> list[tuple[float, ...]]:
    """Returns what a player with a network of afterstates expects after actions (host side).

    Args:
        player: a player for which `network_of` returns a network.
        afters: the game's own states after one action each; no game is over.
        seats: the seat that acted before each of them.

    Returns:
        For each of them one number a seat: final points if the player's aim is a lead in points,
        else the expected return, from -1 to 1.

    Raises:
        ValueError: if the player has no such network.
    """
    network = network_of(player)
    if network is None:
        raise ValueError(f"{player.name} has no learned values of afterstates")
    params = player.params.values if isinstance(player.params, Noisy) else player.params
    found: list[tuple[float, ...]] = []
    most = PARTS[-1]
    for first in range(0, len(afters), most):
        part, actors = list(afters[first : first + most]), list(seats[first : first + most])
        count = len(part)
        missing = next(size for size in PARTS if size >= count) - count
        part += part[-1:] * missing
        actors += actors[-1:] * missing
        games = jax.tree.map(lambda *leaves: np.stack(leaves), *part)
        numbers = _expectations(network, params, games, np.array(actors, np.int32))
        found += [tuple(row) for row in jax.device_get(numbers)[:count].tolist()]
    return found


@functools.partial(cached_jit.jit, static_argnames="network")
def _expectations(
    network: AfterstateNetwork, params: Params, after: Any, seat: Int32[Array, "N"]
) -> Float[Array, "N players"]:
    predicted = network.apply(params, network.inputs(after, seat))
    if not _aims_at_points(network):
        return network.as_returns(to_absolute_seats(predicted.values, seat))
    return to_absolute_seats(jnp.asarray(predicted.points), seat) * network.domain.points_unit
