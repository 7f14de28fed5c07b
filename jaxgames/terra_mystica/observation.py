"""What a seat sees: a grid of planes for the map, and a vector for everything else.

Nothing depends on seat numbers: the viewer comes first, the others follow clockwise. Numbers are
scaled so that the highest value that play reaches is about 1. The tables below are the layout:
common features come first, then the features of each seat, both in the order of the tables;
`plane_slices` and `vector_slices` give the offsets.

The grid is `PackedPlanes` of shape `[9, 13, planes]`, indexed `[row, column]` as on the map
(`tables/terrain.py`). Column 12 of the odd rows is no hex and has zeros in all planes.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, UInt16

from jaxgames.boards import bits, features
from jaxgames.boards.features import Feature, Features
from jaxgames.boards.packed_planes import PackedPlanes, PlaneLayout
from jaxgames.terra_mystica.engine import (
    decisions,
    income,
    leech,
    reachability,
    seats,
    spades,
    towns,
)
from jaxgames.terra_mystica.engine.decisions import NUM_DECISIONS
from jaxgames.terra_mystica.engine.seats import Number
from jaxgames.terra_mystica.state import NO_FACTION, Options, Spades, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    NUM_FACTIONS,
    NUM_STRUCTURES,
    POWER_TOKENS,
    PRIESTS_PER_PLAYER,
    STOCK,
    Special,
)
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_ENDS,
    COLUMNS,
    LAND,
    LAND_CELLS,
    NUM_BRIDGES,
    NUM_COLOURS,
    NUM_LAND,
    RIVER,
    ROWS,
)
from jaxgames.terra_mystica.tables.tiles import (
    FAVOR_COPIES,
    NUM_CARDS,
    NUM_CULTS,
    NUM_FAVORS,
    NUM_POWER_ACTIONS,
    NUM_ROUNDS,
    NUM_SCORING,
    NUM_SPOTS,
    NUM_TOWNS,
    TOP_LEVEL,
    TOWN_COPIES,
)

COMMON_PLANES = (
    Feature("terrain", NUM_COLOURS, "land of each colour"),
    Feature("river", 1, "river"),
    Feature("valid", 1, "hexes of the map"),
    Feature("skipped", 1, "river hexes across which mermaids have founded a town"),
    Feature("buildable", 1, "hexes turned home in this action"),
)
SEAT_PLANES = (
    Feature("structures", NUM_STRUCTURES, "its structures of each kind"),
    Feature("in_town", 1, "its structures in towns"),
    Feature("direct", 1, "free hexes adjacent to it or within its ships"),
    Feature("tunnelled", 1, "free hexes only its tunnels or carpets get to"),
    Feature("spades", 1, "spades from free land to its home terrain, / 3"),
    Feature("bridge_ends", 1, "its bridges that end here, / 3"),
)
NUMBERS_OF_HEXES = ("spades", "bridge_ends")  # planes that are not yes and no
COMMON_NUMBERS = (
    Feature("round", NUM_ROUNDS + 1, "the round; the last: over"),
    Feature("scoring", NUM_ROUNDS * NUM_SCORING, "tile of each round, round by round"),
    Feature("scoring_now", NUM_SCORING, "tile of this round"),
    Feature("cards", NUM_CARDS, "bonus cards that can be taken"),
    Feature("card_coins", NUM_CARDS, "coins on bonus cards, / 6"),
    Feature("power_actions", NUM_POWER_ACTIONS, "taken this round"),
    Feature("favors_left", NUM_FAVORS, "share of the copies left"),
    Feature("towns_left", NUM_TOWNS, "share of the copies left"),
    Feature("spots", 2 * NUM_CULTS, "share of free places: for 3 steps, for 2, by cult"),
    Feature("decision", NUM_DECISIONS, "kind of decision that is due"),
    Feature("special", len(Special), "special action to carry out"),
    Feature("source", len(Spades), "where free spades come from"),
    Feature("pending_spades", 1, "free spades, / 4"),
    Feature("pending_choices", 5, "favors, towns, cult steps, bridges, priests to choose, / 3"),
    Feature("pending_actions", 1, "full actions left in this turn, / 2"),
    Feature("refused", NUM_CULTS, "cults whose step to the top waits for a key"),
    Feature("terraforming", 3, "a hex is turned; one is left elsewhere; a tunnel is paid"),
)
SEAT_NUMBERS = (
    Feature("faction", NUM_FACTIONS, "its faction"),
    Feature("home", NUM_COLOURS, "its home terrain"),
    Feature("resources", 3, "coins, workers, priests, / 20, 10, 7"),
    Feature("priest_cap", 1, "priests that it may hold, / 7"),
    Feature("bowls", 3, "power in each bowl, / 12"),
    Feature("vp", 1, "points, / 100"),
    Feature("cults", NUM_CULTS, "level on each cult, / 10"),
    Feature("keys", 1, "keys, / 4"),
    Feature("ship", 1, "ship level with the bonus card, / 6"),
    Feature("dig", 1, "dig level, / 2"),
    Feature("range", 1, "hexes that its tunnels or carpets skip, / 4"),
    Feature("spade_price", 2, "workers and priests of a spade, / 3"),
    Feature("income", 4, "next coins, workers, priests, power, / 20, 10, 7, 12"),
    Feature("passed", 1, "it has passed"),
    Feature("card", NUM_CARDS, "its bonus card"),
    Feature("favors", NUM_FAVORS, "its favor tiles"),
    Feature("towns", NUM_TOWNS, "its town tiles, / 2"),
    Feature("used", 3, "special actions used: card, favor, stronghold"),
    Feature("stock", NUM_STRUCTURES, "share of each kind of structure left"),
    Feature("bridges_left", 1, "share of its bridges left"),
    Feature("bridges", NUM_BRIDGES, "its bridges"),
    Feature("priests_sent", NUM_CULTS, "its priests on each cult, / 4"),
    Feature("cult_spades", 1, "spades of the cult bonus, / 4"),
    Feature("decides", 1, "it has to decide"),
    Feature("has_turn", 1, "it is its turn"),
    Feature("place", 1, "place in the turn order, / 4"),
    Feature("starts_next", 1, "it passed first, so it starts the next round"),
    Feature("offered", 2, "power offered by each structure of the turn, / 12"),
)

_RESOURCE_SCALE = np.array([20, 10, PRIESTS_PER_PLAYER, POWER_TOKENS], np.float32)
_MOST_HOME_SPADES = 3  # half way round the wheel of seven colours
_VALID = LAND | RIVER


class TerraMysticaObservation(NamedTuple):
    """The observation of a seat: planes of the map, and a vector."""

    grid: PackedPlanes
    """Of shape `[9, 13, planes]`."""
    vector: Float[Array, "numbers"]


def plane_slices(players: int) -> dict[str, slice]:
    """Returns the slice of each group of planes: `terrain`, ..., `0/structures`, `1/structures`.

    The number is the seat's: 0 is the viewer, 1 sits next to it, and so on.
    """
    return features.slices(COMMON_PLANES, SEAT_PLANES, players)


def vector_slices(players: int) -> dict[str, slice]:
    """Returns the slice of each group of numbers, named in the same way as the planes."""
    return features.slices(COMMON_NUMBERS, SEAT_NUMBERS, players)


def observe(state: TerraMysticaState, viewer: Number, options: Options) -> TerraMysticaObservation:
    """Returns the observation of a seat.

    Args:
        state: the game.
        viewer: the seat that looks.
        options: the rules that the game follows.
    """
    in_turn_order = (viewer + jnp.arange(options.players)) % options.players
    common = _join_sets(COMMON_PLANES, _common_planes(state))
    of_seats = jax.vmap(lambda seat: _join_sets(SEAT_PLANES, _seat_planes(state, seat)))(
        in_turn_order
    )
    by_hex = jax.vmap(lambda seat: _numbers_of_hexes(state, seat))(in_turn_order)
    grid = _to_grid(jnp.concatenate([common, of_seats.reshape(-1, ROWS)]), by_hex)
    return TerraMysticaObservation(grid, numbers_of(state, viewer, options))


def numbers_of(
    state: TerraMysticaState, viewer: Number, options: Options
) -> Float[Array, "numbers"]:
    """Returns the vector of the observation of a seat; arguments as those of `observe`."""
    in_turn_order = (viewer + jnp.arange(options.players)) % options.players
    decider = decisions.to_move(state)
    due = decisions.due(state, options, seats.of_seat(state, decider))
    numbers = features.join(COMMON_NUMBERS, _common_numbers(state, due, options))
    by_seat = jax.vmap(
        lambda seat: features.join(SEAT_NUMBERS, _seat_numbers(state, seat, decider))
    )(in_turn_order)
    return jnp.concatenate([numbers, by_seat.reshape(-1)])


def _join_sets(table: Features, parts: dict[str, Array]) -> UInt16[Array, "planes 9"]:
    """Returns the sets of hexes of a table, in its order; without a part, they are empty."""
    if not set(parts) <= {feature.name for feature in table}:
        raise ValueError(f"planes {sorted(parts)} are not those of the table")
    joined = []
    for feature in table:
        part = parts.get(feature.name, jnp.zeros((feature.size, ROWS), jnp.uint16))
        joined.append(jnp.asarray(part, jnp.uint16).reshape(feature.size, ROWS))
    return jnp.concatenate(joined)


def _cells(sets: UInt16[Array, "*sets 9"]) -> Float[Array, "*sets 9 13"]:
    """Returns sets of hexes as planes."""
    columns = jnp.arange(COLUMNS, dtype=jnp.uint16)
    return ((sets[..., None] >> columns) & 1).astype(jnp.float32)


def _to_grid(
    planes: UInt16[Array, "planes 9"], by_hex: Float[Array, "players numbers 9 13"]
) -> PackedPlanes:
    words = bits.computed_once((planes & jnp.asarray(_VALID)).astype(jnp.uint32).T)
    numbers = jnp.moveaxis(by_hex.reshape(-1, ROWS, COLUMNS), 0, -1)
    places = plane_slices(by_hex.shape[0])
    layout = PlaneLayout(
        ROWS,
        COLUMNS,
        numbers=tuple(
            places[f"{seat}/{name}"].start
            for seat in range(by_hex.shape[0])
            for name in NUMBERS_OF_HEXES
        ),
    )
    return PackedPlanes(words, None, numbers, layout)


def _bits(word: Number, size: int) -> Array:
    return (word.astype(jnp.int32) >> jnp.arange(size)) & 1


def _common_planes(state: TerraMysticaState) -> dict[str, Array]:
    return {
        "terrain": state.board.terrain,
        "river": jnp.asarray(RIVER),
        "valid": jnp.asarray(_VALID),
        "skipped": state.board.skipped,
        "buildable": state.pending.buildable,
    }


def _seat_planes(state: TerraMysticaState, seat: Number) -> dict[str, Array]:
    """Returns the planes of yes and no of a seat."""
    board = state.board
    owner = seats.of_seat(state, seat)
    own = board.terrain[owner.board.colour]
    own = jnp.where(owner.faction < NO_FACTION, own, jnp.uint16(0))
    reached = reachability.reach(board, owner, board.bridges[seat], reachability.ship_level(owner))
    return {
        "structures": board.structures & own,
        "in_town": board.in_town & own,
        "direct": reached.direct,
        "tunnelled": reached.tunnelled,
    }


def _numbers_of_hexes(state: TerraMysticaState, seat: Number) -> Float[Array, "numbers 9 13"]:
    """Returns the planes of `NUMBERS_OF_HEXES` of a seat."""
    board = state.board
    owner = seats.of_seat(state, seat)
    has_faction = owner.faction < NO_FACTION
    free = LAND & ~reachability.occupied(board)
    needed = jnp.asarray(SPADES)[owner.faction, :, owner.board.colour]  # [7] by terrain
    by_terrain = _cells(board.terrain & free) * needed[:, None, None]
    ends = jnp.asarray(BRIDGE_ENDS)[jnp.maximum(board.bridges[seat].astype(jnp.int32) - 1, 0)]
    is_built = (board.bridges[seat] > 0)[:, None]
    by_hex = jnp.zeros((NUM_LAND,)).at[ends].add(is_built.astype(jnp.float32))
    spades_to_home = by_terrain.sum(axis=0) * has_faction / _MOST_HOME_SPADES
    return jnp.stack([spades_to_home, jnp.append(by_hex, 0.0)[_LAND_INDEX] / BRIDGES_PER_PLAYER])


def _land_index() -> np.ndarray:
    index = np.full(ROWS * COLUMNS, NUM_LAND, np.int32)
    index[LAND_CELLS] = np.arange(NUM_LAND)
    return index.reshape(ROWS, COLUMNS)


_LAND_INDEX = _land_index()  # [9, 13] number of each land hex, 77 elsewhere


def _common_numbers(state: TerraMysticaState, due: Number, options: Options) -> dict[str, Array]:
    supply, pending = state.supply, state.pending
    tiles = jax.nn.one_hot(supply.scoring, NUM_SCORING)
    round_now = state.round.astype(jnp.int32)
    held = (state.players.card[:, None] == jnp.arange(1, NUM_CARDS + 1)).any(axis=0)
    is_free = supply.spots == 0
    spots = jnp.concatenate([is_free[:, 0], is_free[:, 1:].mean(axis=1)])
    choices = (
        pending.favors,
        pending.towns,
        pending.cult_steps,
        pending.bridges,
        pending.priests,
    )
    flags = (pending.has_terraformed, pending.is_elsewhere, pending.tunnelled > 0)
    return {
        "round": jax.nn.one_hot(round_now, NUM_ROUNDS + 1),
        "scoring": tiles.reshape(-1),
        "scoring_now": tiles[jnp.minimum(round_now, NUM_ROUNDS - 1)] * (round_now < NUM_ROUNDS),
        "cards": _bits(supply.cards, NUM_CARDS) & ~held,
        "card_coins": supply.card_coins / NUM_ROUNDS,
        "power_actions": _bits(supply.power_actions, NUM_POWER_ACTIONS),
        "favors_left": decisions.favors_left(state) / FAVOR_COPIES,
        "towns_left": towns.tiles_left(state.players, options.mini_towns) / TOWN_COPIES,
        "spots": spots,
        "decision": jax.nn.one_hot(due, NUM_DECISIONS),
        "special": jax.nn.one_hot(pending.special, len(Special)),
        "source": jax.nn.one_hot(pending.source, len(Spades)),
        "pending_spades": pending.spades / 4,
        "pending_choices": jnp.stack(choices) / 3,
        "pending_actions": pending.actions / 2,
        "refused": _bits(pending.refused, NUM_CULTS),
        "terraforming": jnp.stack(flags),
    }


def _seat_numbers(state: TerraMysticaState, seat: Number, decider: Number) -> dict[str, Array]:
    owner = seats.of_seat(state, seat)
    has_faction = owner.faction < NO_FACTION
    counts = reachability.count_structures(state.board, owner.board.colour) * has_faction
    bridges = state.board.bridges[seat]
    resources = jnp.stack([owner.coins, owner.workers, owner.priests])
    is_placed = bridges[:, None] == jnp.arange(1, NUM_BRIDGES + 1)
    offers = leech.offers(state)[:, seat]
    return {
        "faction": jax.nn.one_hot(owner.faction, NUM_FACTIONS),
        "home": jax.nn.one_hot(owner.board.colour, NUM_COLOURS) * has_faction,
        "resources": resources / _RESOURCE_SCALE[:3],
        "priest_cap": owner.priest_cap / PRIESTS_PER_PLAYER,
        "bowls": jnp.stack(owner.bowls) / POWER_TOKENS,
        "vp": owner.vp / 100,
        "cults": owner.cults / TOP_LEVEL,
        "keys": owner.keys / 4,
        "ship": reachability.ship_level(owner) / reachability.MAX_SHIP,
        "dig": owner.dig / 2,
        "range": owner.range / reachability.MAX_RANGE,
        "spade_price": jnp.stack(spades.spade_price(owner)) / 3,
        "income": income.income(owner, counts) * has_faction / _RESOURCE_SCALE,
        "passed": owner.passed,
        "card": owner.card == jnp.arange(1, NUM_CARDS + 1),
        "favors": _bits(owner.favors, NUM_FAVORS),
        "towns": owner.towns / 2,
        "used": _bits(owner.used, 3),
        "stock": 1 - counts / STOCK,
        "bridges_left": 1 - (bridges > 0).mean(),
        "bridges": is_placed.any(axis=0),
        "priests_sent": (state.supply.spots == seat + 1).sum(axis=1) / NUM_SPOTS,
        "cult_spades": owner.cult_spades / 4,
        "decides": seat == decider,
        "has_turn": seat == state.seat,
        "place": jnp.argmax(state.order == seat) / 4,
        "starts_next": seat == state.next_start,
        "offered": offers / POWER_TOKENS,
    }
