"""The agent that plays by learned values of afterstates: one step of look-ahead, no search."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from jaxgames.env import Env
from jaxgames.internal import checks, programs
from jaxgames.internal.checks import from_plain
from jaxgames.internal.program_cache import cached_shapes
from jaxgames.networks import network_files
from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.networks.config import AfterstateConfig
from jaxgames.players.knowledge import action_domain_of, afterstate_domain_of
from jaxgames.players.stored_networks import load_network
from jaxgames.search.agent import Params
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.one_step import Noisy, OneStep
from jaxgames.search.planning.root_actions import max_actions

PLAYS_AS = "afterstate:network"
"""Mark of a network file that holds values of afterstates; see `network_files.describe`."""


def make_network(env: Env[Any], config: AfterstateConfig) -> AfterstateNetwork:
    """Returns the network of a game, without parameters."""
    return AfterstateNetwork(afterstate_domain_of(env), config)


def make_player(
    env: Env[Any], network: AfterstateNetwork, *, noise: float | None = 0.0, width: int = 8
) -> OneStep:
    """Returns the player that judges every legal action by a network; see `OneStep`."""
    domain = planner_domain(env, network)
    return OneStep(domain, max_actions(domain), width, network, noise, all_choices=True)


def planner_domain(env: Env[Any], network: AfterstateNetwork) -> PlannerDomain:
    """Returns the game as planners see it that judge by a network.

    The rules by which the afterstates come about may be simpler than those of the game.
    """
    return dataclasses.replace(action_domain_of(env), rules=network.domain.rules)


def make_afterstate(
    env: Env[Any], *, network: str, noise: float = 0.0, width: int = 8
) -> tuple[OneStep, Params]:
    """Returns the player with a trained network.

    Args:
        env: the game.
        network: a run's folder or an exported file of `train.afterstates`.
        noise: scale of the Gumbel noise that is added to values; 0 plays the best action.
        width: afterstates judged at once for each game of a batch.

    Raises:
        ValueError: if the network is missing, damaged or of another kind or game, or a setting is
            out of range.
    """
    checks.weight("noise", noise)
    values, params = load_values(env, network)
    if noise == 0:
        return make_player(env, values, width=width), params
    # Players of all strengths share one program, which large games compile for minutes.
    player = make_player(env, values, noise=None, width=width)
    return player, Noisy(params, jnp.float32(noise))


def load_values(env: Env[Any], network: str) -> tuple[AfterstateNetwork, Params]:
    """Returns a trained network, by its name or place, and its parameters on the device.

    Raises:
        ValueError: if the network is missing, damaged or of another kind or game.
    """
    return fitted(env, *load_network(network), network)


def fitted(
    env: Env[Any], params: Params, meta: Mapping[str, Any], source: str
) -> tuple[AfterstateNetwork, Params]:
    """Returns the network for stored parameters, and the parameters on the device.

    Raises:
        ValueError: if they were trained for another game, version, options or kind of network.
    """
    network_files.check_game(env, meta, source)
    if meta.get("plays_as") != PLAYS_AS:
        raise ValueError(
            f"{source} holds no values of afterstates, which "
            f"`{programs.command('train.afterstates')}` learns, but a policy: the agent "
            f"gumbel:network={source} plays with it"
        )
    try:
        sizes = {**meta["network"], "hidden": tuple(meta["network"]["hidden"])}
        network = make_network(env, from_plain(AfterstateConfig, sizes))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{source} describes a network of another kind: {error}") from None
    expected = cached_shapes.eval_shape(network.init, jax.random.key(0))
    network_files.check_shapes(env, params, expected, meta, source)
    return network, jax.tree.map(jnp.asarray, params)
