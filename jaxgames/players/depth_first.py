"""Depth-first searches as agents, under their usual names."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.batching.trees import choose
from jaxgames.env import Env
from jaxgames.internal import jax_modes
from jaxgames.players import afterstate
from jaxgames.players.knowledge import integer_score_of, score_of, tactics_of
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirst, DepthFirstResult
from jaxgames.search.depth_first.search_state import Pruning
from jaxgames.search.evaluators.integer_score import MAX_SCORE, UNITS, IntegerScore, Latch, Learned
from jaxgames.search.minimax import Minimax, Ties


@dataclasses.dataclass(frozen=True)
class DepthFirstPlayer:
    """Plays the move that a depth-first search finds, with the parameters of one player."""

    search: DepthFirst
    latch: Latch | None = None

    @property
    def scores_are_returns(self) -> bool:
        """Whether every score is an expected return; else only proved results are."""
        return isinstance(self.search.score, Learned)

    def reset(self, batch_size: int) -> Bool[Array, "B"] | tuple[()]:
        """Returns the memory: the mask of games in which the latch is thrown, at first none."""
        return () if self.latch is None else jnp.zeros(batch_size, bool)

    @jax_modes.standard
    def watch(self, memory: Any, state: GameStates) -> Any:
        """Returns the memory, with the latch also thrown in games whose position demands it."""
        return memory if self.latch is None else memory | jax.vmap(self.latch.is_due)(state)

    @jax_modes.standard
    @allows_empty("state", "memory")
    def act(
        self, params: Params, memory: Any, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Any]:
        """Returns the best move found; chance decides between equally good moves of depth 1."""
        decision, _, memory = self.decide(params, memory, state, key)
        return decision, memory

    @jax_modes.standard
    def decide(
        self, params: Params, memory: Any, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, DepthFirstResult, Any]:
        """Returns the decision of `act`, the search that it comes from, and the memory."""
        batch_size = jax.tree.leaves(state)[0].shape[0]
        memory = self.watch(memory, state)
        lanes = self.lanes(params, memory, batch_size)
        # A table is as large as the memory of a whole search, so it is not kept between moves.
        found = self.search.search(lanes, state, key)
        return self.decision(state, found), found, memory

    def lanes(self, params: Params, memory: Any, batch_size: int) -> Params:
        """Returns the parameters of the player as the search takes them for a batch of games."""
        if self.search.shares_params:
            return params
        return per_lane(params, self.latch, memory, batch_size)

    def decision(self, state: GameStates, found: DepthFirstResult) -> Decision:
        """Returns the decision after a search of these positions."""
        rules = self.search.rules
        # Other scores have units of their own, so only proved results are given as values.
        is_proved = jnp.abs(found.value) > MAX_SCORE
        expected = found.value / UNITS if self.scores_are_returns else 0.0
        value = jnp.where(is_proved, jnp.sign(found.value), expected)
        to_move = jax.vmap(rules.to_move)(state)
        values = jnp.where(jnp.arange(2) == to_move[:, None], value[:, None], -value[:, None])
        policy = jax.nn.one_hot(found.action, rules.num_actions)
        action = jnp.maximum(found.action, 0)
        return Decision(action, policy, values.astype(jnp.float32))


def per_lane(params: Params, latch: Latch | None, is_thrown: Any, batch_size: int) -> Params:
    """Returns the parameters of one player repeated for each game, changed where `is_thrown`."""
    if latch is not None:
        thrown = latch.thrown(params)
        return jax.vmap(lambda here: choose(here, thrown, params))(is_thrown)
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (batch_size, *jnp.shape(x))), params)


def make_minimax(env: Env[Any], *, depth: int = 2, ties: Ties = "random") -> tuple[Minimax, Params]:
    """Returns minimax with the game's heuristic; it has no parameters.

    Raises:
        ValueError: if the game has no heuristic or is not a two-player game of full information,
            or for a value out of range.
    """
    return Minimax(env.rules, score_of(env), depth, ties), ()


def _make(
    pruning: Pruning,
    env: Env[Any],
    *,
    depth: int = 3,
    table: int | None = None,
    quiescence: int = 0,
    network: str | None = None,
) -> tuple[DepthFirstPlayer, Params]:
    """Returns a depth-first search; `network` holds values of afterstates that judge positions.

    Raises:
        ValueError: if the game has no score or is not a two-player game of full information, or
            the network is missing, damaged or of another kind or game, or the seats do not
            alternate in a game with a network.
    """
    score: IntegerScore
    if network is None:
        score, params = integer_score_of(env)
    else:
        if not env.rules.seats_alternate:
            raise ValueError(
                f"network={network}: values of afterstates are searched depth first in games whose "
                f"seats take turns with every action; {env.id} with these options is none"
            )
        values, params = afterstate.load_values(env, network)
        score = Learned(env.rules, values)
    tactics = None if pruning == "none" else tactics_of(env)
    search = DepthFirst(env.rules, score, depth, pruning, table, quiescence, tactics)
    return DepthFirstPlayer(dataclasses.replace(search, shares_params=network is not None)), params


make_alpha_beta = functools.partial(_make, "alpha_beta")
make_negascout = functools.partial(_make, "pvs")


def make_negamax(
    env: Env[Any], *, depth: int = 3, network: str | None = None
) -> tuple[DepthFirstPlayer, Params]:
    """Returns NegaMax without pruning, which visits every position: for comparison.

    Raises:
        ValueError: as the searches with pruning.
    """
    return _make("none", env, depth=depth, network=network)
