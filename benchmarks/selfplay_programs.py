"""Self-play of this library as compiled programs: the whole, and each of its parts alone.

The parts are loops in which each round needs the arrays of the round before. So a compiler can
neither move work out of a loop nor remove it.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from configs.alphazero import SelfPlayConfig
from jaxgames import Env, Rules, sampling
from jaxgames.batching.trees import choose
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, make_network
from jaxgames.search import action_slots
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.evaluators.network import NetworkEvaluator
from train import selfplay
from train.selfplay import Lanes, Plies

OPENING_PLIES = 12  # random, so that not all searches are of the first move


class SelfPlay:
    """The programs for one game, one network size and one setting of self-play."""

    def __init__(self, env: Env[Any], network: NetworkConfig, config: SelfPlayConfig):
        """Describes the programs; each compiles at its first call."""
        self.rules: Rules[Any] = env.rules
        self.config = config
        self.network: Network = make_network(env, network)
        evaluator = NetworkEvaluator(env.rules, self.network)
        self.agent = selfplay.make_search(env.rules, evaluator, config)
        self.start = jax.jit(self._start)
        self.play = jax.jit(self._play)
        self.search = jax.jit(self._search)
        self.observe = jax.jit(self._observe)
        self.evaluate_repeatedly = jax.jit(self._evaluate_repeatedly)
        self.simulate_repeatedly = jax.jit(self._simulate_repeatedly)

    @property
    def evaluations(self) -> int:
        """Returns the evaluations of each lane in one call of `play`, roots included."""
        return self.config.plies * (self.config.simulations + 1)

    def _start(self, key: PRNGKeyArray) -> Lanes:
        """Returns lanes in the middle of their games."""
        deal_key, opening_key = jax.random.split(key)
        lanes = selfplay.start_lanes(self.rules, self.config, self.config.lanes, deal_key)

        def random_ply(games: GameStates, key: PRNGKeyArray) -> tuple[GameStates, None]:
            words = sampling.random_words(key, self.config.lanes)
            actions = jax.vmap(self.rules.sample_action)(games, words)
            moved = jax.vmap(self._step)(games, actions)
            over = jax.vmap(self.rules.is_over)(moved)
            return jax.vmap(choose)(over, games, moved), None

        keys = jax.random.split(opening_key, OPENING_PLIES)
        return lanes.replace(game=jax.lax.scan(random_ply, lanes.game, keys)[0])

    def _play(self, params: Params, lanes: Lanes, key: PRNGKeyArray) -> tuple[Lanes, Plies]:
        """Plays as training does: search, choice of the move, step, reset, record."""
        return selfplay.play(self.rules, self.agent, self.config, params, lanes, key)

    def _search(self, params: Params, games: GameStates, key: PRNGKeyArray) -> Decision:
        return self.agent.act(params, (), games, key)[0]

    def _observe(self, games: GameStates) -> Any:
        return jax.vmap(self.rules.observe)(games, jax.vmap(self.rules.to_move)(games))

    def _evaluate_repeatedly(self, params: Params, obs: Any) -> Any:
        """Calls the network `evaluations` times; each input depends on the output before."""

        def call(_: Any, obs: Any) -> Any:
            logits, values = self.network.apply(params, obs)
            # The few numbers beside the bits change: that keeps the calls in order.
            return _nudged(obs, 1e-6 * (logits[0, 0] + values[0, 0]))

        return jax.lax.fori_loop(0, self.evaluations, call, obs)

    def _simulate_repeatedly(self, games: GameStates, obs: Any) -> Any:
        """Computes the game's part of a simulation, `evaluations` times."""
        size = self.rules.max_legal_actions
        actions = jnp.zeros((self.config.lanes, size), jnp.int32)
        filled = jnp.zeros((self.config.lanes, size), bool)
        outcome = jnp.zeros((self.config.lanes, self.rules.num_players), jnp.float32)

        def simulate(number: Int32[Array, ""], carry: Any) -> Any:
            games, _, outcome, _, _ = carry
            was_over = jax.vmap(self.rules.is_over)(games)
            words = action_slots.pack(jax.vmap(self.rules.legal_actions)(games))
            slot = number % jnp.maximum(jax.lax.population_count(words).sum(axis=-1), 1)
            action = action_slots.action_at(words, slot.astype(jnp.int32)[:, None])[:, 0]
            moved = jax.vmap(self._step)(games, action)
            games = jax.vmap(choose)(was_over, games, moved)
            outcome = outcome + jax.vmap(self.rules.returns)(games)
            words = action_slots.pack(jax.vmap(self.rules.legal_actions)(games))
            return games, self._observe(games), outcome, *action_slots.legal_list(words, size)

        first = games, obs, outcome, actions, filled
        return jax.lax.fori_loop(0, self.evaluations, simulate, first)

    def _step(self, game: Any, action: Int32[Array, ""]) -> Any:
        return self.rules.step(game, action, None)


def _nudged(obs: Any, amount: Float[Array, ""]) -> Any:
    """Returns an observation whose floats are a little greater."""
    return jax.tree.map(
        lambda leaf: leaf + amount if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf, obs
    )


def memory(program: Any, *arguments: Any) -> dict[str, int]:
    """Returns the bytes that one compiled program needs: arguments, results and temporary."""
    analysis = program.lower(*arguments).compile().memory_analysis()
    names = ("argument", "output", "temp")
    return {name: int(getattr(analysis, f"{name}_size_in_bytes")) for name in names}


def bytes_of_one(batch: Any) -> int:
    """Returns the bytes of one item of a batch."""
    leaves = jax.tree.leaves(batch)
    return sum(leaf.nbytes for leaf in leaves) // len(leaves[0])
