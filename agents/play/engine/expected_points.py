"""The final points that an agent with values of afterstates expects, in games that count points."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from jaxgames.internal.program_cache import cached_jit
from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.players.player import Player
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import to_absolute_seats
from jaxgames.search.planning.one_step import Noisy


def network_of(player: Player) -> AfterstateNetwork | None:
    """Returns the network of an agent that predicts final points; None if it has none."""
    agent = player.agent
    network = getattr(agent, "value", None)
    if network is None:
        network = getattr(getattr(agent, "evaluator", None), "network", None)
    if isinstance(network, AfterstateNetwork) and network.domain.rules.counts_points:
        return network
    return None


def expected_points(player: Player, after: Any, seat: int) -> tuple[float, ...] | None:
    """Returns the final points of every seat that an agent expects (host side).

    Args:
        player: any agent.
        after: the game's own state after an action of `seat`; the game is not over.
        seat: the seat that acted.

    Returns:
        The points by seat; None from agents that do not predict them.
    """
    network = network_of(player)
    if network is None:
        return None
    params = player.params.values if isinstance(player.params, Noisy) else player.params
    points = _points(network, params, after, jnp.int32(seat))
    return tuple(jax.device_get(points).tolist())


@functools.partial(cached_jit.jit, static_argnames="network")
def _points(
    network: AfterstateNetwork, params: Params, after: Any, seat: Int32[Array, ""]
) -> Float[Array, "players"]:
    batch, seats = jax.tree.map(lambda x: jnp.asarray(x)[None], (after, seat))
    points = network.apply(params, network.inputs(batch, seats)).points
    assert points is not None, "checked by `network_of`"
    return to_absolute_seats(points, seats)[0] * network.domain.points_unit
