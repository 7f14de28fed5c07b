"""Many games between players that differ in their parameters alone, in one compiled loop.

Every game has a lane of its own while it is played. The lanes are searched together, each with the
parameters of its seat to move. No lane waits for another: a lane that has decided plays its move
and begins the next search at once, and a lane whose game has ended takes the next game of the list.
So all lanes stay busy until the list is empty, however unequal searches and games are.
"""

import dataclasses
import functools
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames.batching.trees import fold_in, select_rows
from jaxgames.env import Env
from jaxgames.search.agent import GameStates
from jaxgames.state import State

Thoughts = Any
"""The state of a batch of unfinished decisions."""


class Players(Protocol):
    """How individuals decide in a batch of positions; an individual is given by its genes."""

    def latches(self, states: GameStates) -> Bool[Array, "B"]:
        """Whether the seat to move throws its latch, which stays so for the rest of the game."""
        ...

    def begin(
        self,
        genomes: Int32[Array, "B genes"],
        is_latched: Bool[Array, "B"],
        states: GameStates,
        noise: UInt32[Array, "B"],
    ) -> Thoughts:
        """Returns the beginning of the decisions of the seats to move.

        `noise` decides between equally good moves.
        """
        ...

    def think(self, thought: Thoughts) -> Thoughts:
        """Continues the decisions for some steps; each ends after a bounded number of calls."""
        ...

    def has_decided(self, thought: Thoughts) -> Bool[Array, "B"]:
        """Whether each decision is made."""
        ...

    def actions(self, thought: Thoughts) -> Int32[Array, "B"]:
        """Returns the moves that were decided on."""
        ...

    def begin_again(self, mask: Bool[Array, "B"], new: Thoughts, old: Thoughts) -> Thoughts:
        """Returns the new thoughts where `mask` holds, else the old ones."""
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


class _Deck(NamedTuple):
    """The games to play."""

    genomes: Int32[Array, "games seats genes"]
    keys: PRNGKeyArray  # one for each game
    starts: State[Any]  # of all games


class _Progress(NamedTuple):
    """The loop's variables; a lane without a game keeps a finished game and has number `games`."""

    states: State[Any]  # of the lanes, without observations
    numbers: Int32[Array, "B"]  # number of the game in each lane
    is_latched: Bool[Array, "B seats"]
    thoughts: Thoughts
    dealt: Int32[Array, ""]  # games handed out
    outcome: Outcome


@dataclasses.dataclass(frozen=True, eq=False)
class Games:
    """Plays games of two seats; a `Play`."""

    env: Env[Any]
    players: Players
    opening_plies: int
    """Random plies at the start of each game, equal for equal keys; none of them ends the game."""
    has_random_ties: bool
    """Whether chance decides between equally good moves; else an order of the moves does."""
    lanes: int | None
    """Games played at once; None for all."""

    def __call__(self, genomes: Int32[Array, "games seats genes"], keys: PRNGKeyArray) -> Outcome:
        """Plays one game for each row."""
        count = genomes.shape[0]
        width = min(self.lanes or count, count)
        deck = _Deck(
            genomes, keys, jax.vmap(lambda key: _deal(self.env, key, self.opening_plies))(keys)
        )
        states = jax.tree.map(lambda x: x[:width], deck.starts)
        numbers = jnp.arange(width, dtype=jnp.int32)
        thoughts, is_latched = self._begin(deck, states, numbers, jnp.zeros((width, 2), bool))
        first = _Progress(
            states=states,
            numbers=numbers,
            is_latched=is_latched,
            thoughts=thoughts,
            dealt=jnp.int32(width),
            outcome=Outcome(jnp.zeros((count, 2), jnp.float32), jnp.zeros(count, jnp.int32)),
        )
        tick = functools.partial(self._tick, deck)
        return jax.lax.while_loop(lambda p: (p.numbers < count).any(), tick, first).outcome

    def _tick(self, deck: _Deck, progress: _Progress) -> _Progress:
        """Thinks; plays where a move is found; deals the next games to lanes that have finished."""
        count = len(deck.genomes)
        states, numbers = progress.states, progress.numbers
        thoughts = self.players.think(progress.thoughts)
        moves = self.players.has_decided(thoughts) & (numbers < count)
        actions = jnp.where(moves, self.players.actions(thoughts), 0)
        moved = jax.vmap(self.env.step)(states, actions).replace(observation=())
        states = select_rows(moves, moved, states)

        ends = moves & (states.terminated | states.truncated)
        ended = jnp.where(ends, numbers, count)  # writes to row `count` are dropped
        outcome = Outcome(
            progress.outcome.returns.at[ended].set(states.rewards, mode="drop"),
            progress.outcome.plies.at[ended].set(states.step_count, mode="drop"),
        )
        following = jnp.minimum(progress.dealt + jnp.cumsum(ends) - 1, count)
        numbers = jnp.where(ends, following, numbers)
        fresh = jax.tree.map(lambda x: x[jnp.minimum(following, count - 1)], deck.starts)
        states = select_rows(ends & (numbers < count), fresh, states)

        is_latched = progress.is_latched & ~ends[:, None]
        next_thoughts, now_latched = self._begin(deck, states, numbers, is_latched)
        begins = moves & (numbers < count)
        return _Progress(
            states=states,
            numbers=numbers,
            is_latched=jnp.where(begins[:, None], now_latched, is_latched),
            thoughts=self.players.begin_again(begins, next_thoughts, thoughts),
            dealt=jnp.minimum(progress.dealt + ends.sum(dtype=jnp.int32), count),
            outcome=outcome,
        )

    def _begin(
        self,
        deck: _Deck,
        states: State[Any],
        numbers: Int32[Array, "B"],
        is_latched: Bool[Array, "B seats"],
    ) -> tuple[Thoughts, Bool[Array, "B seats"]]:
        """Returns the next decisions at their start, and the seats that have thrown their latch."""
        number = jnp.minimum(numbers, len(deck.genomes) - 1)  # results of idle lanes are dropped
        lane, seat = jnp.arange(len(numbers)), states.current_player
        is_own_latched = is_latched[lane, seat] | self.players.latches(states.game)
        noise = jnp.zeros(len(numbers), jnp.uint32)
        if self.has_random_ties:
            noise = jax.vmap(_noise)(deck.keys[number], states.step_count)
        genomes = deck.genomes[number, seat]
        thoughts = self.players.begin(genomes, is_own_latched, states.game, noise)
        return thoughts, is_latched.at[lane, seat].set(is_own_latched)


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
