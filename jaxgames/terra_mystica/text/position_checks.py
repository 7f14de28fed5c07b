"""Refuses positions of Terra Mystica whose parts contradict each other.

`position_reading.py` has read each part by itself. Here the parts are compared with the phase, with
the faction, and with the choices that can be open at the same time.
"""

from collections.abc import Sequence

import numpy as np

from jaxgames.boards import hexes
from jaxgames.internal import checks
from jaxgames.terra_mystica.engine import apply_action, leech, towns
from jaxgames.terra_mystica.state import NO_FACTION, Phase, Spades, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    FACTIONS,
    Faction,
    Special,
    Structure,
)
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    CULT_CARD,
    CULT_FAVOR,
    CULT_NAMES,
    SPADE_CARD,
    TOP_LEVEL,
)
from jaxgames.terra_mystica.text.position_text import (
    PENDING_FLAGS,
    PENDING_NUMBERS,
    PHASES,
    SOURCES,
    SPECIALS,
    USED_NAMES,
    land_names,
    names_of_bits,
)

MOST_SPADES = int(SPADES.max())  # at hand at once: no terraforming takes more
CARRIED_OUT = (Special.SANDSTORM, Special.RIDE, Special.TRADING_POST)  # wait for a hex


def check(state: TerraMysticaState, mini_towns: bool) -> None:
    """Checks the parts of a position, made of NumPy values, against each other.

    Args:
        state: the position.
        mini_towns: whether the game has the small town tiles.

    Raises:
        ValueError: if they contradict each other; names the place, the value and what was expected.
    """
    phase, seat = Phase(int(state.phase)), int(state.seat)
    _check_passing(state, phase, seat)
    _check_setup(state, phase)
    _check_used(state)
    _check_leech(state, phase, seat)
    _check_cult_spades(state, phase, seat)
    _check_river(state)
    if phase == Phase.REACTION and not FACTIONS[state.players.faction[seat]].reacts_to_leech:
        raise ValueError(
            f"seat {seat}: in phase 'reaction' cultists choose a cult, "
            f"but this seat has the {FACTIONS[state.players.faction[seat]].name}"
        )
    if phase == Phase.ACTIONS:
        _check_pending(state, FACTIONS[state.players.faction[seat]], mini_towns)
    else:
        _check_nothing_pending(state, phase)


def _check_setup(state: TerraMysticaState, phase: Phase) -> None:
    """Checks that the choices of the set-up were made in order, and that `placed` counts them."""
    seats, placed = len(state.order), int(state.placed)
    if phase == Phase.DWELLINGS:
        structures = int(hexes.count(state.board.structures).sum())
        if structures != placed:
            raise ValueError(f"placed {placed}: there are {structures} structures on the board")
    for seat in range(seats):
        has_card, has_faction = state.players.card[seat] > 0, state.players.faction[seat]
        if phase == Phase.FACTIONS and (has_faction != NO_FACTION) != (seat < placed):
            raise ValueError(
                f"placed {placed}: so many seats have chosen a faction, from seat 0 on; "
                f"see players[{seat}], faction"
            )
        if phase <= Phase.CARDS and has_card != (phase == Phase.CARDS and seat >= seats - placed):
            raise ValueError(
                f"players[{seat}], bon: before the first round, as many seats have a card as have "
                f"chosen one in phase 'cards', from the last seat on"
            )


def _check_passing(state: TerraMysticaState, phase: Phase, seat: int) -> None:
    """Checks that seats have passed only when they can, and that they take no action after it."""
    passed, first = state.players.passed, int(state.next_start)
    wrong = np.flatnonzero(passed if phase < Phase.ACTIONS else ~passed).tolist()
    if wrong and phase in (*range(Phase.ACTIONS), Phase.CULT_SPADES, Phase.OVER):
        expected = int(phase > Phase.ACTIONS)
        raise ValueError(
            f"players[{wrong[0]}], passed: expected {expected} in phase {PHASES[phase]!r}"
        )
    if phase == Phase.ACTIONS and passed[seat] and state.pending.actions > 0:
        raise ValueError(
            f"seat {seat}: has passed, so that it has no action left; "
            f"pending, actions: expected 0, got {state.pending.actions}"
        )
    if first < len(passed) and not passed[first]:
        raise ValueError(f"next_start {first}: this seat has not passed")
    if first == len(passed) and np.delete(passed, seat).any():
        raise ValueError("next_start: expected the seat that has passed first, got null")


def _check_used(state: TerraMysticaState) -> None:
    """Checks that a seat has each special action that it used; after passing its card is new."""
    players, board = state.players, state.board
    for seat, faction in enumerate(players.faction.tolist()):
        if faction == NO_FACTION:
            continue
        own = board.structures[Structure.STRONGHOLD] & board.terrain[FACTIONS[faction].colour]
        has = {
            "BON": players.card[seat] in (SPADE_CARD + 1, CULT_CARD + 1) or players.passed[seat],
            "FAV6": int(players.favors[seat]) >> CULT_FAVOR & 1,
            "SH": FACTIONS[faction].special != Special.NONE and own.any(),
        }
        what = {
            "BON": f"{CARD_NAMES[SPADE_CARD]} or {CARD_NAMES[CULT_CARD]}",
            "FAV6": "that tile",
            "SH": "a stronghold with a special action",
        }
        for name, flag in USED_NAMES.items():
            if int(players.used[seat]) & flag and not has[name]:
                raise ValueError(
                    f"players[{seat}], used: {name} needs {what[name]}, which the seat has not"
                )


def _check_leech(state: TerraMysticaState, phase: Phase, seat: int) -> None:
    """Checks that power is offered to opponents only, and decided about in its own phase."""
    offered, name = state.leech, PHASES[phase]
    amounts = offered.amounts.tolist()
    if offered.amounts[:, seat].any():
        raise ValueError(f"leech, amounts: seat {seat} builds, so it is offered 0, got {amounts}")
    if offered.amounts.any() and phase not in (Phase.ACTIONS, Phase.LEECH):
        raise ValueError(f"leech, amounts: expected none in phase {name!r}, got {amounts}")
    if (offered.was_taken or offered.was_declined) and phase != Phase.LEECH:
        flag = "was_taken" if offered.was_taken else "was_declined"
        raise ValueError(f"leech, {flag}: expected 0 in phase {name!r}, got 1")
    if phase == Phase.LEECH and not np.any(leech.offers(state)):
        raise ValueError(
            "leech, amounts: in phase 'leech' somebody is offered power for which there are tokens "
            f"and points, got {amounts}"
        )


def _check_cult_spades(state: TerraMysticaState, phase: Phase, seat: int) -> None:
    spades = state.players.cult_spades
    if phase == Phase.CULT_SPADES and spades[seat] == 0:
        raise ValueError(
            f"seat {seat}: in phase 'cult_spades' it uses spades, but players[{seat}], spades is 0"
        )
    if phase != Phase.CULT_SPADES and spades.any():
        holder = int(np.flatnonzero(spades)[0])
        raise ValueError(
            f"players[{holder}], spades: expected 0 in phase {PHASES[phase]!r}, "
            f"got {spades[holder]}"
        )


def _check_river(state: TerraMysticaState) -> None:
    chosen = [FACTIONS[row] for row in state.players.faction.tolist() if row != NO_FACTION]
    if state.board.skipped.any() and not any(faction.skips_river for faction in chosen):
        raise ValueError("skipped: only mermaids skip river hexes, and no seat has them")


def _check_nothing_pending(state: TerraMysticaState, phase: Phase) -> None:
    """Checks that nothing is open between turns, except the action of the coming turn."""
    for name, value in state.pending.__dict__.items():
        most = int(name == "actions" and phase > Phase.REACTION)
        if np.any(value > most):
            raise ValueError(f"pending, {name}: nothing is open in phase {PHASES[phase]!r}")


def _check_pending(state: TerraMysticaState, faction: Faction, mini_towns: bool) -> None:
    """Compares the open choices of the seat whose turn it is with what its faction can have."""
    pending, seat = state.pending, int(state.seat)
    actions = 2 if faction.special == Special.DOUBLE_TURN else 1
    steps = faction.special == Special.CULT_STEPS
    limits = {
        "actions": actions,
        "spades": MOST_SPADES,
        "favors": actions * max(faction.favors_per_tile, faction.stronghold_favors),
        "towns": int(towns.tiles_left(state.players, mini_towns).sum()) if pending.towns else 0,
        "cult_steps": apply_action.CULT_SPECIAL_STEPS if steps else apply_action.CULT_CARD_STEPS,
        "bridges": min(1, BRIDGES_PER_PLAYER - int((state.board.bridges[seat] > 0).sum())),
        "priests": faction.stronghold_priests,
    }
    for name in PENDING_NUMBERS:
        checks.number(int(getattr(pending, name)), 0, limits[name], f"pending, {name}")
    _expect_one_of("source", SOURCES[pending.source], _sources(state, faction))
    special = (SPECIALS[faction.special],) if faction.special in CARRIED_OUT else ()
    _expect_one_of("special", SPECIALS[pending.special], (SPECIALS[Special.NONE], *special))
    if pending.tunnelled and not faction.max_range:
        raise ValueError(f"pending, tunnelled: {faction.name} have neither tunnels nor carpets")
    if pending.is_elsewhere and not pending.has_terraformed:
        raise ValueError(f"pending: {PENDING_FLAGS[0]} without {PENDING_FLAGS[1]}")
    # Buildable hexes need not have the home terrain: later spades of the action may turn them.
    if (wrong := pending.buildable & np.bitwise_or.reduce(state.board.structures)).any():
        names = ", ".join(land_names(wrong))
        raise ValueError(f"pending, buildable: expected free hexes, got {names}")
    levels = state.players.cults[seat].tolist()
    for name in names_of_bits(pending.refused, CULT_NAMES):
        if (level := levels[CULT_NAMES.index(name)]) != TOP_LEVEL - 1:
            raise ValueError(
                f"pending, refused: the step to the top of {name} waits on level {TOP_LEVEL - 1}, "
                f"but the seat is on {level}"
            )


def _sources(state: TerraMysticaState, faction: Faction) -> tuple[str, ...]:
    """Returns where the spades of the action can come from."""
    possible = {
        Spades.NONE: state.pending.spades == 0,
        Spades.SINGLE: True,
        Spades.DOUBLE: True,
        Spades.STRONGHOLD: faction.stronghold_spades > 0,
        Spades.BOUGHT: faction.spade_power > 0,
    }
    return tuple(SOURCES[source] for source, is_possible in possible.items() if is_possible)


def _expect_one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"pending, {name}: expected {' or '.join(allowed)}, got {value}")
