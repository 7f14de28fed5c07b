"""Stored networks as evaluators of a search."""

import pathlib
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from jaxgames.env import Env
from jaxgames.internal.checks import from_plain
from jaxgames.internal.messages import unknown
from jaxgames.internal.program_cache import cached_shapes
from jaxgames.networks import network_files
from jaxgames.networks.config import ModelConfig, NetworkConfig
from jaxgames.networks.learned_model import KIND, LearnedModel, make_model
from jaxgames.networks.network import Network, make_network
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import NetworkEvaluator

POLICY_VALUE = "policy_value"
"""Kind of the networks whose description names no kind."""


def load_evaluator(env: Env[Any], path: str | pathlib.Path) -> tuple[NetworkEvaluator, Params]:
    """Returns the network of a file as evaluator of a search, with its parameters.

    The evaluator maps a batch of `B` positions to logits `[B, actions]` and values `[B, players]`.
    Of a learned model, it takes the representation and the prediction; the field `network` of the
    evaluator is then a `LearnedModel`.

    Args:
        env: the game that the network was trained for, with the same options.
        path: a file of `save_network`.

    Raises:
        ValueError: if the file cannot be read, or its network was trained for another game, version
            or size.
    """
    params, meta = network_files.load_network(path)
    return make_evaluator(env, params, meta, str(path))


def make_evaluator(
    env: Env[Any], params: Params, meta: Mapping[str, Any], source: str
) -> tuple[NetworkEvaluator, Params]:
    """Returns the evaluator for stored parameters, and the parameters on the device.

    Args:
        env: the game.
        params: nested dict of arrays.
        meta: the description stored beside the parameters (`network_files.describe`).
        source: the name of the file or folder in messages.

    Raises:
        ValueError: if the network was trained for another game, version, size or search.
    """
    network_files.check_game(env, meta, source)
    if "plays_as" in meta:
        raise ValueError(
            f"{source} has no values for a search; it plays as {meta['plays_as']}={source}"
        )
    network = _network(env, meta, source)
    expected = cached_shapes.eval_shape(network.init, jax.random.key(0))
    network_files.check_shapes(env, params, expected, meta, source)
    return NetworkEvaluator(env.rules, network), jax.tree.map(jnp.asarray, params)


def _network(env: Env[Any], meta: Mapping[str, Any], source: str) -> Network | LearnedModel:
    """Returns the network that a file describes, without parameters."""
    kind = meta.get("kind", POLICY_VALUE)
    if kind not in (POLICY_VALUE, KIND):
        raise ValueError(f"{source}: {unknown('kind of network', str(kind), (POLICY_VALUE, KIND))}")
    try:
        if kind == KIND:
            return make_model(env, from_plain(ModelConfig, meta["network"]))
        return make_network(env, from_plain(NetworkConfig, meta["network"]))
    except ValueError as error:
        raise ValueError(f"{source} describes a network of another kind: {error}") from None
