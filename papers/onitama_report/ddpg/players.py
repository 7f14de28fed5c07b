"""Players made of an actor that `papers.onitama_report.train` trained."""

import dataclasses
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames import Env, Rules
from jaxgames.internal import checks
from jaxgames.internal.checks import from_plain
from jaxgames.networks import network_files
from jaxgames.players import registry, stored_networks
from jaxgames.search.agent import (
    Decision,
    GameStates,
    Memoryless,
    Params,
)
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.actor import ActorNetwork, make_actor, masked_policy


@dataclasses.dataclass(frozen=True)
class MaskedActor(Memoryless):
    """Plays an actor's policy without the invalid actions."""

    rules: Rules[Any]
    network: ActorNetwork
    temperature: float = 1.0  # 1: a move drawn from the policy, as in training; 0: its likeliest

    def __post_init__(self) -> None:
        """Checks the temperature."""
        checks.temperature(self.temperature)

    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns a move by the masked policy; the critic is not asked, so values are zero."""
        seat = jax.vmap(self.rules.to_move)(state)
        obs = jax.vmap(self.rules.observe)(state, seat)
        mask = jax.vmap(self.rules.legal_actions)(state)
        policy = masked_policy(self.network.apply(params, *obs).policy, mask)
        if self.temperature == 0:
            action = policy.argmax(axis=-1)
        else:
            action = jax.random.categorical(key, jnp.log(policy) / self.temperature)
        values = jnp.zeros((policy.shape[0], self.rules.num_players), jnp.float32)
        return Decision(action.astype(jnp.int32), policy, values), memory


def make_ddpg(env: Env[Any], *, actor: str, temperature: float = 1.0) -> tuple[MaskedActor, Params]:
    """Returns the player of an actor's file, `actors/*.npz` in the folder of a run.

    Raises:
        ValueError: if there is no such file, or its actor was trained for another game.
    """
    if pathlib.Path(actor).is_dir():
        raise ValueError(f"{actor} is a folder; expected the file of one actor, actors/*.npz")
    params, meta = stored_networks.load_network(actor)
    network_files.check_game(env, meta, actor)
    # It sees positions as in its training, whatever the observation of this game is.
    seen = registry.make_env(meta["game"], meta["env_options"])
    try:
        sizes = dict(meta["network"])
        network = make_actor(seen, sizes.pop("architecture"), from_plain(NetworkConfig, sizes))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{actor} holds no actor but a network of another kind: {error}") from None
    expected = jax.eval_shape(network.init, jax.random.key(0))
    if jax.tree.map(jnp.shape, params) != jax.tree.map(jnp.shape, expected):
        raise ValueError(f"{actor} does not hold the parameters that it describes")
    return MaskedActor(seen.rules, network, temperature), jax.tree.map(jnp.asarray, params)


def save_actor(
    path: pathlib.Path,
    params: Params,
    env: Env[Any],
    env_options: str,
    network: ActorNetwork,
    iteration: int,
) -> None:
    """Writes an actor to a file that `make_ddpg` reads."""
    meta = network_files.describe(env, env_options, network.config, iteration)
    meta["plays_as"] = "ddpg:actor"
    meta["network"]["architecture"] = network.architecture
    network_files.save_network(path, params, meta)
