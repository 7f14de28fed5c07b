"""Ledgers as files: the set-up of a game and its rows, as the online platform reads them.

The set-up is read from the rows and comments of the platform (`ledger_setup.py`). Before version
0.2 of this library a first line had the position instead, as the remark `START`; it is still read.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxgames.internal import texts
from jaxgames.terra_mystica.engine.actions import Kind, encode
from jaxgames.terra_mystica.rules import DRAFT, TerraMystica
from jaxgames.terra_mystica.state import Phase, TerraMysticaState
from jaxgames.terra_mystica.text import ledger_setup, ledger_writing, notation
from jaxgames.terra_mystica.text.ledger_replay import Referee, replay

START = "# start "


def read(rules: TerraMystica, text: str, start: str | None) -> tuple[str, list[str]]:
    """Returns the position before the first decision of a ledger, and all decisions as commands.

    Args:
        rules: the game.
        text: the ledger.
        start: the position before it, if the ledger does not say it.

    Raises:
        ValueError: for a ledger without a set-up, of a game with other options, a malformed line,
            or a command that is not legal; names the line.
    """
    lines = texts.plain(text).split("\n")
    said = lines[0].removeprefix(START).strip() if lines[0].startswith(START) else None
    found, rows = ledger_setup.read(lines)
    begin = start or said
    if begin:
        state = notation.text_to_state(rules, begin)
    elif found:
        state = ledger_setup.begin(rules, found)
        begin = notation.state_to_text(rules, state)
    else:
        raise ValueError(
            "the ledger does not say which tiles and cards are in play: give the start of the "
            "game, or write its set-up into rows such as 'score SCORE3,SCORE1,...', 'delete BON5' "
            "and 'setup witches'"
        )
    chosen: list[str] = []
    if found and state.phase == Phase.FACTIONS:
        state, chosen = _choose(rules, state, found.factions)
    played = replay(rules, state, rows)
    commands = [
        notation.action_to_text(rules, before, decision.action)
        for before, decision in zip(played.states, played.decisions, strict=False)
    ]
    return begin, chosen + commands


def options(text: str) -> dict[str, Any]:
    """Returns the options of the game of a ledger, as far as it says them.

    Raises:
        ValueError: for a malformed set-up; names the line.
    """
    found, _ = ledger_setup.read(texts.plain(text).split("\n"))
    return {} if found is None else found.options


def write(
    rules: TerraMystica, start: str, moves: Sequence[str], decisions: Sequence[tuple[int, int]]
) -> str:
    """Returns the ledger of a game.

    Args:
        rules: the game.
        start: the position before the first decision.
        moves: the commands, which do not matter.
        decisions: seat and action of each decision.

    Raises:
        ValueError: for a game that begins after its set-up, or ends before it.
    """
    del moves
    state = notation.text_to_state(rules, start)
    if state.round or state.placed or state.phase not in (Phase.FACTIONS, Phase.DWELLINGS):
        raise ValueError(
            "a ledger begins with the first dwelling; this game begins after its set-up"
        )
    chosen = _factions(rules, state, decisions)
    number = len(chosen) if state.phase == Phase.FACTIONS else 0
    before = _choose(rules, state, chosen)[0] if number else state
    rows = ledger_setup.write(rules, state, chosen)
    return "\n".join([*rows, *ledger_writing.write(rules, before, decisions[number:])]) + "\n"


def _factions(
    rules: TerraMystica, state: TerraMysticaState, decisions: Sequence[tuple[int, int]]
) -> list[int]:
    """Returns the faction of each seat, chosen or given."""
    if rules.factions != DRAFT:
        return np.asarray(state.players.faction).tolist()
    chosen = [action - encode(Kind.FACTION) for _, action in decisions[: rules.num_players]]
    if len(chosen) < rules.num_players:
        raise ValueError(
            "a ledger names the factions of all seats; in this game some have none yet"
        )
    return chosen


def _choose(
    rules: TerraMystica, state: TerraMysticaState, factions: Sequence[int]
) -> tuple[TerraMysticaState, list[str]]:
    """Returns the position after the seats have chosen their factions, and their commands."""
    referee = Referee(rules)
    commands = []
    for faction in factions:
        action = encode(Kind.FACTION, faction)
        commands.append(notation.action_to_text(rules, state, action))
        state = referee.step(state, action).state
    return state, commands
