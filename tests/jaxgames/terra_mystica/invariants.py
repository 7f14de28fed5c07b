"""What holds in every position of every game, as one array of named checks."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.boards import hexes
from jaxgames.terra_mystica.engine import cults, reachability, towns
from jaxgames.terra_mystica.engine.actions import BURN, Kind, encode
from jaxgames.terra_mystica.state import Phase
from jaxgames.terra_mystica.tables.factions import COLUMNS, POWER_TOKENS, STOCK
from jaxgames.terra_mystica.tables.terrain import LAND, NUM_BRIDGES, RIVER
from jaxgames.terra_mystica.tables.tiles import FAVOR_COPIES, NUM_FAVORS, TOP_LEVEL

MOST_COINS, MOST_WORKERS = 250, 250  # counters are bytes: a negative amount would be above these


def of_state(state) -> dict:
    """Returns named checks of a position; all are true in a sound one. Works on one game."""
    players, board, pending = state.players, state.board, state.pending
    seats = jnp.arange(players.vp.shape[0])
    colours = jnp.asarray(COLUMNS.colour)[players.faction]
    counts = jax.vmap(lambda c: reachability.count_structures(board, c))(colours)
    cap = jax.vmap(lambda seat: cults.priest_cap(state.supply.spots, seat))(seats)
    terrain = board.terrain
    overlap = (hexes.count(terrain).sum() != hexes.count(jnp.asarray(LAND))) | (
        hexes.union(terrain) != LAND
    ).any()
    kinds = hexes.count(board.structures).sum()
    held_favors = (players.favors[:, None] >> jnp.arange(NUM_FAVORS, dtype=jnp.uint16)) & 1
    tops = (players.cults == TOP_LEVEL).sum(axis=0)
    bridges = board.bridges.reshape(-1)
    bridge_count = (bridges[:, None] == jnp.arange(1, NUM_BRIDGES + 1)).sum(axis=0)
    same_card = (players.card[:, None] == players.card) & (players.card > 0)
    return {
        "coins": (players.coins <= MOST_COINS).all(),
        "workers": (players.workers <= MOST_WORKERS).all(),
        "points": (players.vp >= 0).all(),
        "priests": (players.priests <= cap).all(),
        "tokens": (players.bowls.sum(axis=1) <= POWER_TOKENS).all(),
        "levels": (players.cults <= TOP_LEVEL).all() & (tops <= 1).all(),
        "ships": (players.ship <= jnp.asarray(COLUMNS.max_ship)[players.faction]).all(),
        "digging": (players.dig <= jnp.asarray(COLUMNS.dig_upgrades)[players.faction]).all(),
        "ranges": (players.range <= jnp.asarray(COLUMNS.max_range)[players.faction]).all(),
        "stocks": (counts <= STOCK).all(),
        "owners": counts.sum() == kinds,
        "one structure a hex": hexes.count(reachability.occupied(board)) == kinds,
        "one colour a hex": ~overlap,
        "towns are built": hexes.is_empty(board.in_town & ~reachability.occupied(board)),
        "skipped river": hexes.is_empty(board.skipped & ~RIVER),
        "bridges": (bridge_count <= 1).all() & (bridges <= NUM_BRIDGES).all(),
        "favors": (held_favors.sum(axis=0) <= FAVOR_COPIES).all(),
        "town tiles": (towns.tiles_left(players, True) >= 0).all(),
        "cards": (same_card.sum(axis=1) <= 1).all(),
        "open choices": (
            (pending.actions <= 2)
            & (pending.spades <= 5)
            & (pending.favors <= 3)
            & (pending.towns <= 4)
            & (pending.cult_steps <= 2)
            & (pending.bridges <= 1)
            & (pending.priests <= 3)
        ),
        "spades of the bonus": (players.cult_spades <= 2).all(),
        "phase": (state.phase <= Phase.OVER) & (state.round <= 6),
    }


def of_step(before, action, after, earned) -> dict:
    """Returns named checks of one step: points by source, tokens, towns that stay."""
    gained = after.players.vp.astype(jnp.int32) - before.players.vp.astype(jnp.int32)
    tokens = [state.players.bowls.astype(jnp.int32).sum() for state in (before, after)]
    burnt = action == encode(Kind.CONVERT, BURN)
    chooses = before.phase == Phase.FACTIONS  # brings the tokens of a faction
    return {
        "sum of the sources": (gained == earned.sum(axis=1)).all(),
        "only burning destroys tokens": (tokens[0] - tokens[1] == burnt) | chooses,
        "towns stay": hexes.is_empty(before.board.in_town & ~after.board.in_town),
        "rounds go on": (after.round >= before.round) & (after.round <= before.round + 1),
    }


def of_both(before, action, after, earned) -> dict:
    """Returns the checks of a step and of the position that it leads to."""
    return {**of_state(after), **of_step(before, action, after, earned)}


def assert_sound(checks: dict) -> None:
    """Fails with the names of the checks that are not true throughout."""
    assert [name for name, results in checks.items() if not np.all(results)] == []
