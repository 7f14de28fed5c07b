"""Self-play in the way of pgx's AlphaZero example, for `benchmarks.search --peers`.

The example calls functions that JAX has removed, so its method is written anew here. The complete
pgx state is the embedding of mctx's tree, the tree has a slot for each possible action, and
`auto_reset` starts new games. The network is the tower of this project with the input and output
sizes of the game. It costs less than the network of the example, because it has no normalisation
and a convolutional policy head.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mctx
import pgx
from jaxtyping import Array, Bool, Float, PRNGKeyArray
from pgx.experimental import auto_reset

from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network
from jaxgames.search.agent import Params


class Record(NamedTuple):
    """The data of one ply of all lanes that a learner needs."""

    obs: Float[Array, "B H W planes"]
    policy: Float[Array, "B actions"]
    reward: Float[Array, "B"]
    ended: Bool[Array, "B"]


class PgxSelfPlay:
    """Self-play of a two-player game of pgx with an observation `[height, width, planes]`."""

    def __init__(self, game: str, network: NetworkConfig, simulations: int, plies: int):
        """Describes the programs; each compiles at its first call."""
        self.env = pgx.make(game)
        self.simulations = simulations
        self.plies = plies
        self.network = Network(self.env.observation_shape, self.env.num_actions, 2, network)
        self.start = jax.jit(self._start, static_argnums=1)
        self.play = jax.jit(self._play)
        self.search = jax.jit(self._search)

    def _start(self, key: PRNGKeyArray, batch: int) -> Any:
        return jax.vmap(self.env.init)(jax.random.split(key, batch))

    def _play(self, params: Params, states: Any, key: PRNGKeyArray) -> tuple[Any, Record]:
        """Plays `plies` plies in every lane."""
        step = jax.vmap(auto_reset(self.env.step, self.env.init))

        def one_ply(states: Any, key: PRNGKeyArray) -> tuple[Any, Record]:
            search_key, step_key = jax.random.split(key)
            output = self._search(params, states, search_key)
            step_keys = jax.random.split(step_key, states.current_player.shape[0])
            after = step(states, output.action, step_keys)
            record = Record(
                states.observation,
                output.action_weights,
                _of_player(after.rewards, states.current_player),
                after.terminated,
            )
            return after, record

        return jax.lax.scan(one_ply, states, jax.random.split(key, self.plies))

    def _search(self, params: Params, states: Any, key: PRNGKeyArray) -> Any:
        logits, values = self._evaluate(params, states)
        root = mctx.RootFnOutput(prior_logits=logits, value=values, embedding=states)
        return mctx.gumbel_muzero_policy(
            params=params,
            rng_key=key,
            root=root,
            recurrent_fn=self._simulate,
            num_simulations=self.simulations,
            invalid_actions=~states.legal_action_mask,
        )

    def _simulate(
        self, params: Params, key: PRNGKeyArray, action: Array, states: Any
    ) -> tuple[Any, Any]:
        del key
        after = jax.vmap(self.env.step)(states, action)
        logits, values = self._evaluate(params, after)
        output = mctx.RecurrentFnOutput(
            reward=_of_player(after.rewards, states.current_player),
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(after.terminated, 0.0, values),
        )
        return output, after

    def _evaluate(self, params: Params, states: Any) -> tuple[Array, Array]:
        logits, values = self.network.apply(params, states.observation.astype(jnp.float32))
        logits = jnp.where(states.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        return logits, values[:, 0]


def _of_player(rewards: Float[Array, "B 2"], player: Array) -> Float[Array, "B"]:
    return jnp.take_along_axis(rewards, player[:, None], axis=1)[:, 0]
