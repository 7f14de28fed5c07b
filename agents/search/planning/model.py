"""The forward model: whole actions in many games at once, each game at its own pace.

One *call* of it is one completed action of the game, of one ply or more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from agents.agent import GameStates
from agents.batches import select_rows
from agents.search.planning.planner import NO_PLY
from jaxgames import Rules, sampling


class Place(NamedTuple):
    """Where each game of a playout stands."""

    games: GameStates
    calls: Int32[Array, "W"]  # actions completed
    ply: Int32[Array, "W"]  # of the action at hand


Choice = tuple[Int32[Array, "W"], Any]
"""The next ply of each game, and what the one who chooses carries along."""


def apply(
    rules: Rules[Any], games: GameStates, plies: Int32[Array, "W plies"], key: PRNGKeyArray
) -> GameStates:
    """Returns the games after the plies of one action each, which must be legal."""

    def one(games: GameStates, ply: Int32[Array, "W"], number: int) -> GameStates:
        return select_rows(ply != NO_PLY, step(rules, games, ply, key, number), games)

    games = step(rules, games, plies[:, 0], key, 0)
    for number in range(1, plies.shape[1]):
        games = one(games, plies[:, number], number)
    return games


def step(
    rules: Rules[Any],
    games: GameStates,
    action: Int32[Array, "W"],
    key: PRNGKeyArray,
    number: Int32[Array, ""] | int,
) -> GameStates:
    """Returns the games after one ply; the chance of each ply number is drawn apart."""
    if not rules.stochastic:
        return jax.vmap(lambda game, a: rules.step(game, a, None))(games, action)
    keys = jax.random.split(jax.random.fold_in(key, number), len(action))
    return jax.vmap(rules.step)(games, action, keys)


def play(
    rules: Rules[Any],
    games: GameStates,
    limit: Int32[Array, "W"],
    choose: Callable[[Place, UInt32[Array, "W"], Any], Choice],
    carried: Any,
    key: PRNGKeyArray,
    goes_on: Callable[[GameStates], Bool[Array, "W"]] | None = None,
) -> tuple[Place, Any]:
    """Plays until each game has completed `limit` actions or is over.

    Args:
        rules: the game.
        games: where to start.
        limit: completed actions of each game; one with 0 stays as it is.
        choose: returns the next plies from where the games stand, a random word for each, and what
            is carried along. It is asked about games that have stopped as well.
        carried: what `choose` gets first.
        key: for chance and random words.
        goes_on: stops a game that could go on otherwise.
    """
    word_key, chance_key = jax.random.split(key)

    def runs(place: Place) -> Bool[Array, "W"]:
        running = (place.calls < limit) & ~jax.vmap(rules.is_over)(place.games)
        return running if goes_on is None else running & goes_on(place.games)

    def next_choice(number: Int32[Array, ""] | int, place: Place, carried: Any) -> Choice:
        words = sampling.random_words(jax.random.fold_in(word_key, number), len(limit))
        return choose(place, words, carried)

    def one_ply(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        number, place, running, action, carried = carry
        completes = jax.vmap(rules.completes_action)(place.games, action)
        moved = step(rules, place.games, action, chance_key, number)
        place = Place(
            select_rows(running, moved, place.games),
            place.calls + (running & completes),
            jnp.where(running & ~completes, place.ply + 1, 0),
        )
        running &= runs(place)
        # Chosen at the end of a round, an action is computed once; at its beginning, it would be
        # computed in each of the loops that update a field of the state.
        return number + 1, place, running, *next_choice(number + 1, place, carried)

    zero = jnp.zeros_like(limit)
    place = Place(games, zero, zero)
    first = jnp.int32(0), place, runs(place), *next_choice(0, place, carried)
    _, place, _, _, carried = jax.lax.while_loop(lambda carry: carry[2].any(), one_ply, first)
    return place, carried
