"""Many games between players that differ in their parameters alone, in one compiled loop.

Every game has a lane of its own. The lanes are searched together, each with the parameters of its
seat to move. No lane waits for another: a lane that has decided plays its move and begins the next
search at once, however unequal the searches are.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import choose, fold_in, select_rows
from jaxgames.env import Env
from jaxgames.state import State
from papers.murus_gallicus.evolution.players import Players, Thought


class Outcome(NamedTuple):
    """How games ended."""

    returns: Float[Array, "games seats"]
    plies: Int32[Array, "games"]


Play = Callable[[Int32[Array, "games seats genes"], PRNGKeyArray], Outcome]
"""Plays one game for each row: `genomes[g, s]` plays seat `s`, `keys[g]` is its chance."""


_Begin = Callable[
    [State[Any], Bool[Array, "games seats"]], tuple[Bool[Array, "games seats"], Thought]
]


class RoundRobin(NamedTuple):
    """The games of one generation."""

    wins: Int32[Array, "seeds individuals"]
    draws: Int32[Array, "seeds"]
    plies: Int32[Array, "seeds"]
    """Plies of all games together."""


class _Progress(NamedTuple):
    """The loop's variables; a lane whose game is over keeps its last position."""

    states: State[Any]  # without observations
    is_latched: Bool[Array, "games seats"]
    thoughts: Thought


@dataclasses.dataclass(frozen=True, eq=False)
class Games:
    """Plays games of two seats; a `Play`."""

    env: Env[Any]
    players: Players
    opening_plies: int
    """Random plies at the start of each game, equal for equal keys; none of them ends the game."""
    has_random_ties: bool
    """Whether chance decides between equally good moves; else an order of the moves does."""

    def __call__(self, genomes: Int32[Array, "games seats genes"], keys: PRNGKeyArray) -> Outcome:
        """Plays one game for each row."""
        states = jax.vmap(lambda key: _deal(self.env, key, self.opening_plies))(keys)
        begin = functools.partial(self._begin, genomes, keys)
        first = _Progress(states, *begin(states, jnp.zeros((len(genomes), 2), bool)))
        tick = functools.partial(self._tick, begin)
        last = jax.lax.while_loop(lambda now: ~_is_over(now.states).all(), tick, first).states
        return Outcome(last.rewards, last.step_count)

    def _tick(self, begin: _Begin, progress: _Progress) -> _Progress:
        """Thinks; plays and begins the next search where a move is found."""
        states, is_latched, thoughts = progress
        thoughts = self.players.think(thoughts)
        moves = self.players.has_decided(thoughts) & ~_is_over(states)
        actions = jnp.where(moves, self.players.actions(thoughts), 0)
        moved = jax.vmap(self.env.step)(states, actions).replace(observation=())
        states = select_rows(moves, moved, states)
        now_latched, next_thoughts = begin(states, is_latched)
        begins = moves & ~_is_over(states)
        return _Progress(
            states,
            jnp.where(begins[:, None], now_latched, is_latched),
            self.players.begin_again(begins, next_thoughts, thoughts),
        )

    def _begin(
        self,
        genomes: Int32[Array, "games seats genes"],
        keys: PRNGKeyArray,
        states: State[Any],
        is_latched: Bool[Array, "games seats"],
    ) -> tuple[Bool[Array, "games seats"], Thought]:
        """Returns the seats that have thrown their latch, and the next decisions at their start."""
        lane, seat = jnp.arange(len(keys)), states.current_player
        is_own_latched = is_latched[lane, seat] | self.players.latches(states.game)
        noise = jnp.zeros(len(keys), jnp.uint32)
        if self.has_random_ties:
            ply_keys = fold_in(keys, states.step_count)
            noise = jax.vmap(lambda key: jax.random.bits(key, (), jnp.uint32))(ply_keys)
        thoughts = self.players.begin(genomes[lane, seat], is_own_latched, states.game, noise)
        return is_latched.at[lane, seat].set(is_own_latched), thoughts


def _is_over(states: State[Any]) -> Bool[Array, "games"]:
    return states.terminated | states.truncated


def _deal(env: Env[Any], key: PRNGKeyArray, opening_plies: int) -> State[Any]:
    """Returns the start of a game, after its random plies."""
    deal_key, opening_key = jax.random.split(key)

    def ply(state: State[Any], key: PRNGKeyArray) -> tuple[State[Any], None]:
        moved = env.step(state, env.sample_action(state, key)).replace(observation=())
        is_kept = ~(moved.terminated | moved.truncated)
        return choose(is_kept, moved, state), None

    start = env.init(deal_key).replace(observation=())
    return jax.lax.scan(ply, start, jax.random.split(opening_key, opening_plies))[0]


def play_round_robin(
    play: Play, genomes: Int32[Array, "seeds individuals genes"], keys: PRNGKeyArray
) -> RoundRobin:
    """Plays every ordered pair of each population once, all in one batch; one key for each seed.

    The two games of a pair, one with each seating, have the same opening.
    """
    num_seeds, count, _ = genomes.shape
    seating = ordered_pairs(count)
    pair_number = seating.min(axis=1) * count + seating.max(axis=1)

    contests = genomes[:, seating]
    pair_keys = jax.vmap(fold_in, in_axes=(0, None))(keys, jnp.asarray(pair_number))
    outcome = play(contests.reshape(-1, *contests.shape[2:]), pair_keys.reshape(-1))
    returns = outcome.returns.reshape(num_seeds, len(seating), 2)
    seated = jnp.asarray(seating[:, :, None] == np.arange(count))  # games, seats, individuals
    return RoundRobin(
        wins=((returns > 0)[..., None] & seated).sum(axis=(1, 2), dtype=jnp.int32),
        draws=(returns == 0).all(axis=2).sum(axis=1, dtype=jnp.int32),
        plies=outcome.plies.reshape(num_seeds, -1).sum(axis=1),
    )


def play_duels(
    play: Play,
    first: Int32[Array, "seeds genes"],
    second: Int32[Array, "seeds genes"],
    keys: PRNGKeyArray,
    games: int,
) -> Float[Array, "seeds"]:
    """Returns the first player's score (wins and half of the draws) in an even number of games.

    Each opening is played twice, with exchanged seats.
    """
    both = jnp.stack([jnp.stack([first, second], 1), jnp.stack([second, first], 1)], axis=1)
    contests = jnp.broadcast_to(both[:, None], (len(first), games // 2, *both.shape[1:]))
    opening_keys = jax.vmap(lambda key: jax.random.split(key, games // 2))(keys)
    outcome = play(
        contests.reshape(-1, *contests.shape[3:]), jnp.repeat(opening_keys.reshape(-1), 2)
    )
    returns = outcome.returns.reshape(len(first), games // 2, 2, 2)
    own = jnp.stack([returns[:, :, 0, 0], returns[:, :, 1, 1]], axis=-1)
    return ((own + 1) / 2).mean(axis=(1, 2))


def ordered_pairs(count: int) -> Int32[np.ndarray, "pairs 2"]:
    """Returns all ordered pairs of different individuals: the first takes seat 0."""
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    return np.array(pairs, np.int32)
