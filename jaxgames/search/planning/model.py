"""The forward model: plays whole actions in many games at once, each game at its own pace.

One *call* of the model is one completed game action, of one ply or more.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from jaxgames.batching.trees import fold_in, select_rows
from jaxgames.search.agent import GameStates
from jaxgames.search.planning.domain import PlannerDomain


class PlayoutState(NamedTuple):
    """The games of playouts between two decisions."""

    games: GameStates
    calls: Int32[Array, "W"]  # actions completed
    part: Int32[Array, "W"]  # decisions already made of the current action


Choice = tuple[Int32[Array, "W plies"], Any]
"""The next decision of each game, and the carry of the chooser."""

Renewal = tuple[PlayoutState, Bool[Array, "W"], Any]
"""The games, the mask of games that go on, and the carry of the chooser."""


def step(
    domain: PlannerDomain,
    games: GameStates,
    plies: Int32[Array, "W plies"],
    keys: PRNGKeyArray,
) -> tuple[GameStates, Bool[Array, "W"]]:
    """Returns the games after one decision each, and the mask of completed actions."""
    if not domain.rules.stochastic:
        return jax.vmap(lambda game, p: domain.play(game, p, None))(games, plies)
    return jax.vmap(domain.play)(games, plies, keys)


def words_of(key: PRNGKeyArray, lanes: Int32[Array, "W"]) -> UInt32[Array, "W"]:
    """Returns a random word for each game, which depends on its number and the key only."""
    return jax.vmap(functools.partial(jax.random.bits, dtype=jnp.uint32))(fold_in(key, lanes))


def play(
    domain: PlannerDomain,
    games: GameStates,
    limit: Int32[Array, "W"],
    choose: Callable[[PlayoutState, UInt32[Array, "W"], Any], Choice],
    carried: Any,
    key: PRNGKeyArray,
    lanes: Int32[Array, "W"],
    goes_on: Callable[[GameStates], Bool[Array, "W"]] | None = None,
    renew: Callable[[Int32[Array, ""], PlayoutState, Bool[Array, "W"], Any], Renewal] | None = None,
) -> tuple[PlayoutState, Any]:
    """Plays until each game has completed `limit` actions or is over; returns games and carry.

    With `renew`, a stopped game may start again while others are still played.

    Args:
        domain: the game as planners see it.
        games: the start positions.
        limit: the actions to complete in each game; 0 leaves it as it is.
        choose: returns the next decision of each game and the new carry, from the games, a random
            word for each, and the carry. It is called for stopped games as well.
        carried: the first carry.
        key: for chance and random words.
        lanes: a number of each game; with `key`, it fixes its chance and its random words.
        goes_on: returns false for a game that must stop early.
        renew: maps the number of the next decision, the games, the mask of games that go on, and
            the carry to new games, mask and carry.
    """
    word_key, chance_key = jax.random.split(key)

    def runs(place: PlayoutState) -> Bool[Array, "W"]:
        running = (place.calls < limit) & ~jax.vmap(domain.rules.is_over)(place.games)
        return running if goes_on is None else running & goes_on(place.games)

    def next_choice(number: Int32[Array, ""] | int, place: PlayoutState, carried: Any) -> Choice:
        words = words_of(jax.random.fold_in(word_key, number), lanes)
        return choose(place, words, carried)

    def one_decision(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        number, place, running, plies, carried = carry
        keys = fold_in(jax.random.fold_in(chance_key, number), lanes)
        moved, completes = step(domain, place.games, plies, keys)
        place = PlayoutState(
            select_rows(running, moved, place.games),
            place.calls + (running & completes),
            jnp.where(running & ~completes, place.part + 1, 0),
        )
        running &= runs(place)
        if renew is not None:
            place, running, carried = renew(number + 1, place, running, carried)
        # Decisions are computed at the end of a round, because at its beginning the compiler would
        # compute them again in each loop that updates a field of the state.
        return number + 1, place, running, *next_choice(number + 1, place, carried)

    zero = jnp.zeros_like(limit)
    place = PlayoutState(games, zero, zero)
    first = jnp.int32(0), place, runs(place), *next_choice(0, place, carried)
    _, place, _, _, carried = jax.lax.while_loop(lambda carry: carry[2].any(), one_decision, first)
    return place, carried
