"""Many games between players that differ in their parameters alone, in one compiled loop.

Every game has a lane of its own while it is played. At each ply the lanes are searched together,
each with the parameters of its seat to move. A lane whose game has ended takes the next game of the
list, so that lanes stay busy until the list is empty.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from agents.agent import GameStates, Params
from agents.batches import select_rows
from jaxgames.env import Env, State

Choose = Callable[[Params, GameStates], Int32[Array, "B"]]
"""Returns each game's action; every leaf of the parameters has a leading axis `B`."""


class Outcome(NamedTuple):
    """How games ended."""

    returns: Float[Array, "games seats"]
    plies: Int32[Array, "games"]


class Play(Protocol):
    """Plays games between individuals."""

    def __call__(
        self, genomes: Int32[Array, "games seats genes"], keys: PRNGKeyArray
    ) -> Outcome:
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
    dealt: Int32[Array, ""]  # games handed out
    outcome: Outcome


def make_play(
    env: Env[Any],
    choose: Choose,
    put: Callable[[Int32[Array, "genes"]], Params],
    opening_plies: int,
    lanes: int | None,
) -> Play:
    """Returns a `Play` for two seats.

    Args:
        env: the game.
        choose: the players' search, the same for all of them.
        put: returns the parameters of a player with these genes.
        opening_plies: random plies at the start of each game, equal for equal keys. One that would
            end the game is left out.
        lanes: games played at once; None for all.
    """

    def play(genomes: Int32[Array, "games seats genes"], keys: PRNGKeyArray) -> Outcome:
        count = genomes.shape[0]
        starts = jax.vmap(lambda key: _deal(env, key, opening_plies))(keys)

        def tick(progress: _Progress) -> _Progress:
            states, numbers = progress.states, progress.numbers
            seats = states.current_player
            playing = jnp.minimum(numbers, count - 1)
            params = jax.vmap(put)(genomes[playing, seats])
            actions = choose(params, states.game)
            states = jax.vmap(env.step)(states, actions).replace(observation=())

            is_done = (states.terminated | states.truncated) & (numbers < count)
            ended = jnp.where(is_done, numbers, count)  # rows beyond the list are dropped
            outcome = Outcome(
                progress.outcome.returns.at[ended].set(states.rewards, mode="drop"),
                progress.outcome.plies.at[ended].set(states.step_count, mode="drop"),
            )
            following = progress.dealt + jnp.cumsum(is_done) - 1
            is_dealt = is_done & (following < count)
            fresh = jax.tree.map(lambda x: x[jnp.minimum(following, count - 1)], starts)
            numbers = jnp.where(is_done, jnp.minimum(following, count), numbers)
            return _Progress(
                select_rows(is_dealt, fresh, states),
                numbers,
                jnp.minimum(progress.dealt + is_done.sum(), count),
                outcome,
            )

        width = min(lanes or count, count)
        first = _Progress(
            states=jax.tree.map(lambda x: x[:width], starts),
            numbers=jnp.arange(width, dtype=jnp.int32),
            dealt=jnp.int32(width),
            outcome=Outcome(jnp.zeros((count, 2), jnp.float32), jnp.zeros(count, jnp.int32)),
        )
        return jax.lax.while_loop(lambda p: (p.numbers < count).any(), tick, first).outcome

    return play


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
    outcome = play(
        contests.reshape(-1, *contests.shape[2:]), jax.vmap(pair_keys)(keys).reshape(-1)
    )
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
