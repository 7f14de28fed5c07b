"""Setting up a game: from chance, or as given."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray, UInt8, UInt16

from jaxgames.terra_mystica.engine import leech, turns
from jaxgames.terra_mystica.state import (
    NO_FACTION,
    Board,
    Phase,
    PlayerStates,
    Supply,
    TerraMysticaState,
)
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    COLUMNS,
    FACTIONS,
    NUM_FACTIONS,
    START_VP,
    Columns,
)
from jaxgames.terra_mystica.tables.terrain import START_TERRAIN
from jaxgames.terra_mystica.tables.tiles import (
    LAST_SPADE_SCORING_ROUND,
    NUM_BASE_CARDS,
    NUM_BASE_SCORING,
    NUM_CARDS,
    NUM_CULTS,
    NUM_ROUNDS,
    NUM_SCORING,
    NUM_SPOTS,
    NUM_TOWNS,
    SPADE_SCORING,
)

PLAYERS = range(2, 6)
EXTRA_CARDS = 3  # bonus cards in play above the number of players


def with_faction(
    players: PlayerStates, seat: Int32[Array, ""], faction: Int32[Array, ""]
) -> PlayerStates:
    """Returns the players with a seat's faction chosen and its start resources given."""
    row = jax.tree.map(lambda column: jnp.asarray(column)[faction], COLUMNS)
    values = _start_values(row, faction)
    return jax.tree.map(
        lambda field, value: field.at[seat].set(value.astype(field.dtype)), players, values
    )


def _start_values(row: Columns, faction: Int32[Array, ""]) -> PlayerStates:
    zero = jnp.int32(0)
    return PlayerStates(
        faction=faction,
        coins=row.coins,
        workers=row.workers,
        priests=row.priests,
        bowls=row.bowls,
        vp=jnp.int32(START_VP),
        cults=row.cults,
        keys=zero,
        ship=row.ship,
        dig=zero,
        range=row.range,
        card=zero,
        favors=zero,
        towns=jnp.zeros((NUM_TOWNS,), jnp.int32),
        used=zero,
        passed=jnp.bool_(False),
        cult_spades=zero,
    )


def nobody(players: int) -> PlayerStates:
    """Returns seats that have chosen no faction and own nothing."""
    zeros = jnp.zeros((players,), jnp.uint8)
    return PlayerStates(
        faction=zeros + NO_FACTION,
        coins=zeros,
        workers=zeros,
        priests=zeros,
        bowls=jnp.zeros((players, 3), jnp.uint8),
        vp=jnp.full((players,), START_VP, jnp.int16),
        cults=jnp.zeros((players, NUM_CULTS), jnp.uint8),
        keys=zeros,
        ship=zeros,
        dig=zeros,
        range=zeros,
        card=zeros,
        favors=jnp.zeros((players,), jnp.uint16),
        towns=jnp.zeros((players, NUM_TOWNS), jnp.uint8),
        used=zeros,
        passed=jnp.zeros((players,), bool),
        cult_spades=zeros,
    )


def begin(
    players: int,
    factions: Int32[Array, "P"] | None,
    scoring: UInt8[Array, "6"],
    cards: UInt16[Array, ""],
) -> TerraMysticaState:
    """Returns a game before its first decision.

    Args:
        players: number of players.
        factions: faction of each seat; None: they choose.
        scoring: scoring tile of each round.
        cards: bit for each bonus card in play.
    """
    seats = nobody(players)
    if factions is not None:
        for seat in range(players):
            seats = with_faction(seats, jnp.int32(seat), factions[seat])
    structures = np.zeros((5, START_TERRAIN.shape[1]), np.uint16)
    return TerraMysticaState(
        board=Board(
            terrain=jnp.asarray(START_TERRAIN),
            structures=jnp.asarray(structures),
            in_town=jnp.asarray(structures[0]),
            skipped=jnp.asarray(structures[0]),
            bridges=jnp.zeros((players, BRIDGES_PER_PLAYER), jnp.uint8),
        ),
        players=seats,
        supply=Supply(
            spots=jnp.zeros((NUM_CULTS, NUM_SPOTS), jnp.uint8),
            card_coins=jnp.zeros((NUM_CARDS,), jnp.uint8),
            cards=cards,
            scoring=scoring,
            power_actions=jnp.uint8(0),
        ),
        pending=turns.nothing_pending(0),
        leech=leech.no_offers(players),
        phase=jnp.uint8(Phase.FACTIONS if factions is None else Phase.DWELLINGS),
        round=jnp.uint8(0),
        seat=jnp.uint8(0),
        placed=jnp.uint8(0),
        order=jnp.arange(players, dtype=jnp.uint8),
        next_start=jnp.uint8(players),
    )


def draw_scoring(key: PRNGKeyArray, score9: bool) -> UInt8[Array, "6"]:
    """Draws the scoring tiles; the tile for spades is never in the last two rounds.

    The spade tile gets one of its allowed places with equal chance, and the other tiles a random
    order. This is the distribution of drawing all tiles again until the spade tile is allowed.
    """
    number = NUM_SCORING if score9 else NUM_BASE_SCORING
    order_key, place_key = jax.random.split(key)
    # At a place from `NUM_ROUNDS` on, the spade tile is not in the game.
    others = jax.random.permutation(order_key, np.arange(1, number))
    allowed = np.array([p for p in range(number) if not LAST_SPADE_SCORING_ROUND <= p < NUM_ROUNDS])
    place = jax.random.choice(place_key, allowed)
    index = jnp.arange(NUM_ROUNDS)
    tile = others[jnp.minimum(index - (index > place), number - 2)]
    return jnp.where(index == place, SPADE_SCORING, tile).astype(jnp.uint8)


def draw_cards(key: PRNGKeyArray, players: int, bon10: bool) -> UInt16[Array, ""]:
    """Draws the bonus cards in play, as bits."""
    number = NUM_CARDS if bon10 else NUM_BASE_CARDS
    drawn = jax.random.permutation(key, number)[: players + EXTRA_CARDS]
    return (1 << drawn).sum().astype(jnp.uint16)


def draw_factions(key: PRNGKeyArray, players: int) -> Int32[Array, "P"]:
    """Draws factions of different colours; each seat draws from the factions still open."""
    chosen = jnp.full((players,), -1, jnp.int32)
    colours = jnp.asarray(COLUMNS.colour)
    is_open = jnp.ones((NUM_FACTIONS,), bool)
    for seat, seat_key in enumerate(jax.random.split(key, players)):
        faction = jax.random.categorical(seat_key, jnp.where(is_open, 0.0, -jnp.inf))
        is_open &= colours != colours[faction]
        chosen = chosen.at[seat].set(faction)
    return chosen


def start(
    players: int,
    factions: Sequence[int] | None,
    scoring: Sequence[int],
    cards: Sequence[int],
    score9: bool = False,
    bon10: bool = False,
) -> TerraMysticaState:
    """Returns a game set up as given, before its first decision.

    Args:
        players: number of players.
        factions: faction of each seat, by its row of the table; None: they choose.
        scoring: scoring tile of each round, counted from 0.
        cards: bonus cards in play, counted from 0.
        score9: whether the ninth scoring tile may be used.
        bon10: whether the tenth bonus card may be used.

    Raises:
        ValueError: if the factions, tiles or cards cannot be in play together; says why.
    """
    if players not in PLAYERS:
        raise ValueError(f"players must be {PLAYERS[0]} to {PLAYERS[-1]}, got {players!r}")
    for name, numbers in (("scoring tiles", scoring), ("bonus cards", cards)):
        if not isinstance(numbers, Sequence | np.ndarray) or not all(
            isinstance(number, int | np.integer) for number in numbers
        ):
            raise ValueError(f"{name} must be a sequence of whole numbers, got {numbers!r}")
    if factions is not None:
        check_factions(factions, players)
    tiles = NUM_SCORING if score9 else NUM_BASE_SCORING
    if len(scoring) != NUM_ROUNDS or len(set(scoring)) != NUM_ROUNDS:
        raise ValueError(f"expected {NUM_ROUNDS} different scoring tiles, got {list(scoring)}")
    if not all(0 <= tile < tiles for tile in scoring):
        raise ValueError(f"scoring tiles are 0 to {tiles - 1}, got {list(scoring)}")
    if SPADE_SCORING in scoring[LAST_SPADE_SCORING_ROUND:]:
        raise ValueError(f"SCORE1 must not be in the last two rounds, got {list(scoring)}")
    number = NUM_CARDS if bon10 else NUM_BASE_CARDS
    if len(cards) != players + EXTRA_CARDS or len(set(cards)) != len(cards):
        raise ValueError(
            f"expected {players + EXTRA_CARDS} different bonus cards for {players} players, "
            f"got {list(cards)}"
        )
    if not all(0 <= card < number for card in cards):
        raise ValueError(f"bonus cards are 0 to {number - 1}, got {list(cards)}")
    rows = None if factions is None else jnp.asarray(factions, jnp.int32)
    bits = sum(1 << card for card in cards)
    return begin(players, rows, jnp.asarray(scoring, jnp.uint8), jnp.uint16(bits))


def check_factions(factions: Sequence[int], players: int) -> None:
    """Checks that each seat has a faction and no two share a colour.

    Raises:
        ValueError: if not; names the factions.
    """
    if not isinstance(factions, Sequence | np.ndarray):
        raise ValueError(f"factions must be a sequence of whole numbers, got {factions!r}")
    if len(factions) != players:
        raise ValueError(f"expected a faction for each of {players} seats, got {len(factions)}")
    by_colour: dict[int, str] = {}
    for row in factions:
        if not isinstance(row, int | np.integer) or not 0 <= row < NUM_FACTIONS:
            raise ValueError(f"factions are numbers from 0 to {NUM_FACTIONS - 1}, got {row!r}")
        faction = FACTIONS[row]
        other = by_colour.setdefault(faction.colour, faction.name)
        if other != faction.name or list(factions).count(row) > 1:
            raise ValueError(f"{other} and {faction.name} have the same colour")
