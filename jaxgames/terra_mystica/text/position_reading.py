"""Reads a position of Terra Mystica from the JSON that `position_text.py` describes.

A position is refused if its parts contradict each other (`position_checks.py` compares them).
Whether a game can lead to it is not checked.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxgames.boards import hexes
from jaxgames.internal import checks
from jaxgames.internal.checks import Document
from jaxgames.terra_mystica.engine.setup import EXTRA_CARDS
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import (
    MAX_LEECH_EVENTS,
    NO_FACTION,
    Board,
    Leech,
    Pending,
    Phase,
    Supply,
    TerraMysticaState,
)
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    FACTION_NAMES,
    FACTIONS,
    NUM_STRUCTURES,
    STOCK,
    STRUCTURE_NAMES,
)
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_NAMES,
    COLOUR_LETTERS,
    COLUMNS,
    LAND_CELLS,
    LAND_NAMES,
    NUM_COLOURS,
    RIVER_CELLS,
    RIVER_NAMES,
    ROWS,
    START_COLOURS,
)
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    CULT_NAMES,
    LAST_SPADE_SCORING_ROUND,
    NUM_BASE_CARDS,
    NUM_BASE_SCORING,
    NUM_ROUNDS,
    NUM_SPOTS,
    SCORING_NAMES,
    SPADE_SCORING,
)
from jaxgames.terra_mystica.text import position_checks
from jaxgames.terra_mystica.text.position_players import (
    MAX_NUMBER,
    bits_of,
    read_factions,
    read_players,
)
from jaxgames.terra_mystica.text.position_text import (
    LEECH_FLAGS,
    NUMBERS,
    PENDING_FLAGS,
    PENDING_NUMBERS,
    PHASES,
    POWER_ACTION_NAMES,
    SOURCES,
    SPECIALS,
)

KEYS = (
    *("phase", "round", "seat", "placed", "order", "next_start", "scoring", "cards", "actions"),
    *("spots", "terrain", "towns", "skipped", "players", "pending", "leech"),
)
PLAYER_KEYS = (
    *("faction", *NUMBERS, "pw", "cult", "bon", "fav", "tw", *STRUCTURE_NAMES),
    *("br", "used", "passed"),
)
PENDING_KEYS = (
    *(*PENDING_NUMBERS, *PENDING_FLAGS),
    *("source", "special", "tunnelled", "buildable", "refused"),
)
LEECH_KEYS = (*LEECH_FLAGS, "amounts")
_byte: Any = np.uint8


def text_to_state(rules: TerraMystica, text: str) -> TerraMysticaState:
    """Returns the position that a text describes, made of NumPy values.

    Raises:
        ValueError: for a text that is no position, or one whose parts contradict each other; names
            the place, the value and what was expected.
    """
    document = checks.parsed(text)
    checks.keys(document, KEYS, "position")
    seats = rules.num_players
    rows = document["players"]
    if not isinstance(rows, list) or len(rows) != seats:
        raise ValueError(f"players: expected a list of {seats}, as num_players says, got {rows!r}")
    for seat, row in enumerate(rows):
        checks.keys(row, PLAYER_KEYS, f"players[{seat}]")
    phase = checks.index(document["phase"], PHASES, "phase")
    factions = read_factions(rows, is_draft=phase == Phase.FACTIONS)
    fixed = rules.fixed_factions
    if fixed is not None and tuple(factions) != fixed:
        names = ", ".join(FACTION_NAMES[faction] for faction in fixed)
        raise ValueError(f"players: expected {names}, as the option factions says")
    board = _board(document, rows, factions)
    supply = _supply(rules, document)
    state = TerraMysticaState(
        board=board,
        players=read_players(rules, document, factions, supply),
        supply=supply,
        pending=_pending(document["pending"]),
        leech=_leech(document["leech"], seats),
        phase=_byte(phase),
        round=_byte(checks.number(document["round"], 1, NUM_ROUNDS + 1, "round") - 1),
        seat=_byte(checks.number(document["seat"], 0, seats - 1, "seat")),
        placed=_byte(_placed(document["placed"], phase, factions)),
        order=_bytes(_order(document["order"], seats)),
        next_start=_byte(_next_start(document["next_start"], seats)),
    )
    if (state.round == NUM_ROUNDS) != (phase == Phase.OVER):
        raise ValueError(
            f"round {document['round']}: the game is over in round {NUM_ROUNDS + 1} and only then, "
            f"but the phase is {document['phase']!r}"
        )
    position_checks.check(state, rules.mini_towns)
    return state


def _placed(value: Any, phase: int, factions: Sequence[int]) -> int:
    """Returns the checked number of choices made in a set-up phase; 0 in other phases."""
    seats = len(factions)
    lengths = {
        Phase.FACTIONS: seats,
        Phase.DWELLINGS: sum(
            FACTIONS[faction].first_dwellings for faction in factions if faction != NO_FACTION
        ),
        Phase.CARDS: seats,
    }
    return checks.number(value, 0, lengths.get(Phase(phase), 1) - 1, "placed")


def _bytes(values: Any) -> Any:
    return np.array(values, np.uint8)


def _order(value: Any, seats: int) -> list[int]:
    order = checks.numbers(value, seats, 0, seats - 1, "order")
    if len(set(order)) != seats:
        raise ValueError(f"order: expected each seat once, got {order}")
    return order


def _next_start(value: Any, seats: int) -> int:
    return seats if value is None else checks.number(value, 0, seats - 1, "next_start")


def _board(document: Document, rows: list[Document], factions: list[int]) -> Board:
    colours = START_COLOURS.copy()
    checks.keys(document["terrain"], (), "terrain", LAND_NAMES)
    for name, letter in document["terrain"].items():
        colour = checks.index(letter, COLOUR_LETTERS, f"terrain, {name}")
        colours[LAND_NAMES.index(name)] = colour
    kinds = _structures(rows, factions, colours)
    towns = checks.indices(document["towns"], LAND_NAMES, "towns")
    for place in towns:
        if place not in kinds:
            raise ValueError(f"towns: there is no structure on {LAND_NAMES[place]}")
    skipped = checks.indices(document["skipped"], RIVER_NAMES, "skipped")
    by_kind: list[list[int]] = [[] for _ in range(NUM_STRUCTURES)]
    for place, kind in kinds.items():
        by_kind[kind].append(place)
    terrain = [np.flatnonzero(colours == colour).tolist() for colour in range(NUM_COLOURS)]
    values: dict[str, Any] = {
        "terrain": np.stack([_land(places) for places in terrain]),
        "structures": np.stack([_land(places) for places in by_kind]),
        "in_town": _land(towns),
        "skipped": hexes.from_cells(RIVER_CELLS[skipped], ROWS, COLUMNS),
        "bridges": _bridges(rows),
    }
    return Board(**values)


def _land(places: list[int]) -> np.ndarray:
    return hexes.from_cells(LAND_CELLS[places], ROWS, COLUMNS)


def _structures(rows: list[Document], factions: list[int], colours: np.ndarray) -> dict[int, int]:
    """Returns the kind of structure by hex."""
    kinds: dict[int, int] = {}
    for seat, (row, number) in enumerate(zip(rows, factions, strict=True)):
        for kind, key in enumerate(STRUCTURE_NAMES):
            where = f"players[{seat}], {key}"
            places = checks.indices(row[key], LAND_NAMES, where)
            if number == NO_FACTION and places:
                raise ValueError(f"{where}: a seat without faction has no structures")
            if len(places) > STOCK[kind]:
                raise ValueError(f"{where}: a player has {STOCK[kind]} pieces, got {len(places)}")
            for place in places:
                name, home = LAND_NAMES[place], FACTIONS[number].colour
                if place in kinds:
                    raise ValueError(f"{where}: there are two structures on {name}")
                if colours[place] != home:
                    raise ValueError(
                        f"{where}: the terrain of {name} is {COLOUR_LETTERS[colours[place]]}, but "
                        f"the {FACTION_NAMES[number]} build on {COLOUR_LETTERS[home]}"
                    )
                kinds[place] = kind
    return kinds


def _bridges(rows: list[Document]) -> np.ndarray:
    """Returns `[P, 3]` place of each bridge + 1."""
    bridges = np.zeros((len(rows), BRIDGES_PER_PLAYER), np.uint8)
    names = [name.replace("-", ":") for name in BRIDGE_NAMES]
    for seat, row in enumerate(rows):
        where = f"players[{seat}], br"
        places = checks.indices(row["br"], names, where)
        if len(places) > BRIDGES_PER_PLAYER:
            raise ValueError(f"{where}: a player has {BRIDGES_PER_PLAYER} bridges, got {row['br']}")
        for index, place in enumerate(places):
            if (bridges == place + 1).any():
                raise ValueError(f"{where}: there are two bridges {names[place]}")
            bridges[seat, index] = place + 1
    return bridges


def _supply(rules: TerraMystica, document: Document) -> Supply:
    seats = rules.num_players
    tiles = SCORING_NAMES if rules.score9 else SCORING_NAMES[:NUM_BASE_SCORING]
    scoring = checks.indices(document["scoring"], tiles, "scoring")
    if len(scoring) != NUM_ROUNDS:
        raise ValueError(f"scoring: expected a tile for {NUM_ROUNDS} rounds, got {len(scoring)}")
    if SPADE_SCORING in scoring[LAST_SPADE_SCORING_ROUND:]:
        raise ValueError(f"scoring: SCORE1 must not be in the last two rounds, got {scoring}")
    names = CARD_NAMES if rules.bon10 else CARD_NAMES[:NUM_BASE_CARDS]
    checks.keys(document["cards"], (), "cards", names)
    if len(document["cards"]) != seats + EXTRA_CARDS:
        raise ValueError(
            f"cards: expected {seats + EXTRA_CARDS} for {seats} players, "
            f"got {len(document['cards'])}"
        )
    coins = np.zeros(len(CARD_NAMES), np.uint8)
    for name, value in document["cards"].items():
        coins[CARD_NAMES.index(name)] = checks.number(value, 0, MAX_NUMBER, f"cards, {name}")
    checks.keys(document["spots"], CULT_NAMES, "spots")
    spots = [
        checks.numbers(document["spots"][name], NUM_SPOTS, -1, seats - 1, f"spots, {name}")
        for name in CULT_NAMES
    ]
    taken = checks.indices(document["actions"], POWER_ACTION_NAMES, "actions")
    values: dict[str, Any] = {
        "spots": _bytes(np.array(spots) + 1),
        "card_coins": coins,
        "cards": np.uint16(bits_of([CARD_NAMES.index(name) for name in document["cards"]])),
        "scoring": _bytes(scoring),
        "power_actions": _byte(bits_of(taken)),
    }
    return Supply(**values)


def _pending(document: Any) -> Pending:
    checks.keys(document, (), "pending", PENDING_KEYS)
    values: dict[str, Any] = {
        name: _byte(checks.number(document.get(name, 0), 0, MAX_NUMBER, f"pending, {name}"))
        for name in PENDING_NUMBERS
    }
    values |= _flags(document, PENDING_FLAGS, "pending")
    for name, names in (("source", SOURCES), ("special", SPECIALS)):
        word = document.get(name, names[0])
        values[name] = _byte(checks.index(word, names, f"pending, {name}"))
    tunnelled = 0
    if "tunnelled" in document:
        tunnelled = checks.index(document["tunnelled"], LAND_NAMES, "pending, tunnelled") + 1
    refused = checks.indices(document.get("refused", []), CULT_NAMES, "pending, refused")
    buildable = checks.indices(document.get("buildable", []), LAND_NAMES, "pending, buildable")
    values |= {"refused": _byte(bits_of(refused)), "buildable": _land(buildable)}
    values["tunnelled"] = _byte(tunnelled)
    return Pending(**values)


def _leech(document: Any, seats: int) -> Leech:
    checks.keys(document, (), "leech", LEECH_KEYS)
    amounts = document.get("amounts", [[0] * seats] * MAX_LEECH_EVENTS)
    if not isinstance(amounts, list) or len(amounts) != MAX_LEECH_EVENTS:
        raise ValueError(
            f"leech, amounts: expected a list of {MAX_LEECH_EVENTS} lists, got {amounts!r}"
        )
    rows = [checks.numbers(row, seats, 0, MAX_NUMBER, "leech, amounts") for row in amounts]
    return Leech(amounts=_bytes(rows), **_flags(document, LEECH_FLAGS, "leech"))


def _flags(document: Document, names: Sequence[str], place: str) -> dict[str, Any]:
    return {
        name: np.bool_(checks.number(document.get(name, 0), 0, 1, f"{place}, {name}"))
        for name in names
    }
