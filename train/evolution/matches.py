"""Many games between players that differ in their parameters alone, in one compiled loop.

Every game has a lane of its own while it is played. At each ply the lanes are searched together,
each with the parameters of its seat to move. A lane whose game has ended takes the next game of the
list, so that lanes stay busy until the list is empty.
"""

import dataclasses
import functools
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from agents.agent import GameStates
from agents.batches import select_rows
from jaxgames.env import Env, State


class Players(Protocol):
    """What individuals do with a batch of positions; each is known by its genes."""

    def latches(self, states: GameStates) -> Bool[Array, "B"]:
        """Whether the seat to move throws a switch that stays thrown for the rest of the game."""
        ...

    def choose(
        self,
        genomes: Int32[Array, "B genes"],
        is_latched: Bool[Array, "B"],
        states: GameStates,
        noise: UInt32[Array, "B"],
    ) -> Int32[Array, "B"]:
        """Returns the moves of the seats to move; `noise` decides between equally good ones."""
        ...


class Outcome(NamedTuple):
    """How games ended."""

    returns: Float[Array, "games seats"]
    plies: Int32[Array, "games"]


class Play(Protocol):
    """Plays games between individuals."""

    def __call__(self, genomes: Int32[Array, "games seats genes"], keys: PRNGKeyArray) -> Outcome:
        """Plays one game for each row: `genomes[g, s]` plays seat `s`, `keys[g]` is its chance."""
        ...


class RoundRobin(NamedTuple):
    """The games of one generation."""

    wins: Int32[Array, "seeds individuals"]
    draws: Int32[Array, "seeds"]
    plies: Int32[Array, "seeds"]
    """Plies of all games together."""


class _Progress(NamedTuple):
    """The loop's variables; a lane without a game keeps a finished one and has number `games`."""

    states: State[Any]  # of the lanes, without observations
    numbers: Int32[Array, "B"]  # which game a lane plays
    is_latched: Bool[Array, "B seats"]
    dealt: Int32[Array, ""]  # games handed out
    outcome: Outcome


@dataclasses.dataclass(frozen=True, eq=False)
class Games:
    """Plays games of two seats; a `Play`."""

    env: Env[Any]
    players: Players
    opening_plies: int
    """Random plies at the start of each game, equal for equal keys; none that would end it."""
    has_random_ties: bool
    """Whether chance decides between equally good moves; else an order of the moves does."""
    lanes: int | None
    """Games played at once; None for all."""

    def __call__(self, genomes: Int32[Array, "games seats genes"], keys: PRNGKeyArray) -> Outcome:
        """Plays one game for each row."""
        count = genomes.shape[0]
        width = min(self.lanes or count, count)
        starts = jax.vmap(lambda key: _deal(self.env, key, self.opening_plies))(keys)
        first = _Progress(
            states=jax.tree.map(lambda x: x[:width], starts),
            numbers=jnp.arange(width, dtype=jnp.int32),
            is_latched=jnp.zeros((width, 2), bool),
            dealt=jnp.int32(width),
            outcome=Outcome(jnp.zeros((count, 2), jnp.float32), jnp.zeros(count, jnp.int32)),
        )
        tick = functools.partial(self._tick, starts, genomes, keys)
        return jax.lax.while_loop(lambda p: (p.numbers < count).any(), tick, first).outcome

    def _tick(
        self,
        starts: State[Any],
        genomes: Int32[Array, "games seats genes"],
        keys: PRNGKeyArray,
        progress: _Progress,
    ) -> _Progress:
        """Plays one ply in every lane, and deals the next games to lanes that have finished."""
        count = genomes.shape[0]
        states, numbers = progress.states, progress.numbers
        number = jnp.minimum(numbers, count - 1)  # what an idle lane does is dropped
        lane, seat = jnp.arange(len(numbers)), states.current_player
        is_latched = progress.is_latched[lane, seat] | self.players.latches(states.game)
        noise = jnp.zeros(len(numbers), jnp.uint32)
        if self.has_random_ties:
            noise = jax.vmap(_noise)(keys[number], states.step_count)
        actions = self.players.choose(genomes[number, seat], is_latched, states.game, noise)
        states = jax.vmap(self.env.step)(states, actions).replace(observation=())

        ends = (states.terminated | states.truncated) & (numbers < count)
        ended = jnp.where(ends, numbers, count)  # writes to row `count` are dropped
        outcome = Outcome(
            progress.outcome.returns.at[ended].set(states.rewards, mode="drop"),
            progress.outcome.plies.at[ended].set(states.step_count, mode="drop"),
        )
        following = jnp.minimum(progress.dealt + jnp.cumsum(ends) - 1, count)
        fresh = jax.tree.map(lambda x: x[jnp.minimum(following, count - 1)], starts)
        latched = progress.is_latched.at[lane, seat].set(is_latched)
        return _Progress(
            states=select_rows(ends & (following < count), fresh, states),
            numbers=jnp.where(ends, following, numbers),
            is_latched=latched & ~ends[:, None],
            dealt=jnp.minimum(progress.dealt + ends.sum(dtype=jnp.int32), count),
            outcome=outcome,
        )


def _noise(key: PRNGKeyArray, ply: Int32[Array, ""]) -> UInt32[Array, ""]:
    return jax.random.bits(jax.random.fold_in(key, ply), (), jnp.uint32)


def _deal(env: Env[Any], key: PRNGKeyArray, opening_plies: int) -> State[Any]:
    """Returns the start of a game, after its random plies."""
    deal_key, opening_key = jax.random.split(key)

    def ply(state: State[Any], key: PRNGKeyArray) -> tuple[State[Any], None]:
        moved = env.step(state, env.sample_action(state, key)).replace(observation=())
        is_kept = ~(moved.terminated | moved.truncated)
        return jax.tree.map(lambda new, old: jnp.where(is_kept, new, old), moved, state), None

    start = env.init(deal_key).replace(observation=())
    return jax.lax.scan(ply, start, jax.random.split(opening_key, opening_plies))[0]


def play_round_robin(
    play: Play, genomes: Int32[Array, "seeds individuals genes"], keys: PRNGKeyArray
) -> RoundRobin:
    """Plays every ordered pair of each population once, all in one batch; one key for each seed.

    The two games of a pair, one with each seating, start alike.
    """
    num_seeds, count, _ = genomes.shape
    seating = ordered_pairs(count)
    pair_number = seating.min(axis=1) * count + seating.max(axis=1)

    def pair_keys(key: PRNGKeyArray) -> PRNGKeyArray:
        return jax.vmap(lambda number: jax.random.fold_in(key, number))(pair_number)

    contests = genomes[:, seating]
    outcome = play(contests.reshape(-1, *contests.shape[2:]), jax.vmap(pair_keys)(keys).reshape(-1))
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
