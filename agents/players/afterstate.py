"""The agent that plays by learned values of afterstates: one step of look-ahead, no search."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from agents.games.knowledge import action_domain_of, afterstate_domain_of
from agents.players.stored_networks import load_network
from jaxgames import Env
from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.networks.config import AfterstateConfig
from jaxgames.search.agent import Params
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.root_actions import MAX_ACTIONS

PLAYS_AS = "afterstate:network"
"""Mark of a network file that holds values of afterstates; see `network_files.describe`."""


def make_network(env: Env[Any], config: AfterstateConfig) -> AfterstateNetwork:
    """Returns the network of a game, without parameters."""
    return AfterstateNetwork(afterstate_domain_of(env), config)


def make_player(
    env: Env[Any], network: AfterstateNetwork, *, noise: float = 0.0, width: int = 8
) -> OneStep:
    """Returns the player that judges every legal action by a network."""
    budget = env.rules.max_legal_actions
    domain = action_domain_of(env)
    if domain.decision_plies == 2:
        budget = MAX_ACTIONS
    return OneStep(domain, budget, width, network, noise, all_choices=True)


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
        ValueError: if the network is missing, damaged or of another kind or game.
    """
    values, params = fitted(env, *load_network(network), network)
    return make_player(env, values, noise=noise, width=width), params


def fitted(
    env: Env[Any], params: Params, meta: Mapping[str, Any], source: str
) -> tuple[AfterstateNetwork, Params]:
    """Returns the network for stored parameters, and the parameters on the device.

    Raises:
        ValueError: if they were trained for another game, version, options or kind of network.
    """
    if meta.get("plays_as") != PLAYS_AS:
        raise ValueError(f"{source} holds no values of afterstates")
    for name, value in {"game": env.id, "game_version": env.version}.items():
        if meta[name] != value:
            raise ValueError(f"{source} was trained for {name} {meta[name]!r}, not {value!r}")
    try:
        config = AfterstateConfig(**{**meta["network"], "hidden": tuple(meta["network"]["hidden"])})
    except (TypeError, KeyError) as error:
        raise ValueError(f"{source} describes a network of another kind: {error}") from None
    network = make_network(env, config)
    expected = jax.eval_shape(network.init, jax.random.key(0))
    shapes = [jax.tree.map(jnp.shape, tree) for tree in (params, expected)]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"{source} does not fit {env.id} with these options; it was trained with "
            f"{meta['env_options'] or 'the default options'}"
        )
    return network, jax.tree.map(jnp.asarray, params)
