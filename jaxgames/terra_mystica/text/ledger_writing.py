"""The rows of a ledger for a game, in the words that the online platform reads.

A row is a turn, or one decision of another seat in between. What the platform wants to be told and
the rules leave to themselves comes from the positions: the spades that terraforming buys, the giver
and the amount of power, the choices that a turn gives up. The end of a turn has no words.

Remarks, which the platform does not read, say what its words leave open (`ledger_rows.py`).
Alchemists with a stronghold may buy spades one by one, which `dig 2` means for them, or all at once
by terraforming; a turn may not have ended; and every row is a turn of its own.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from jaxgames.internal import checks
from jaxgames.terra_mystica.engine.actions import NUM_SENDS, Kind, decode
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import (
    FACTION_NAMES,
    FACTIONS,
    SPECIAL_NAMES,
    Structure,
)
from jaxgames.terra_mystica.tables.terrain import (
    LAND_COLUMN,
    LAND_NAMES,
    LAND_ROW,
    NUM_COLOURS,
    Colour,
)
from jaxgames.terra_mystica.tables.tiles import CULT_NAMES, FAVOR_NAMES, TOWN_NAMES
from jaxgames.terra_mystica.text.commands import command
from jaxgames.terra_mystica.text.ledger_replay import Referee
from jaxgames.terra_mystica.text.ledger_rows import (
    BUYS_AT_ONCE,
    ROWS_ARE_TURNS,
    SEPARATOR,
    UNFINISHED,
)

_CONVERT = re.compile(r"convert (\d+)([a-z]+) to (\d+)([a-z]+)")
_GIVEN_UP = {
    Due.SANDSTORM: "-FREE_TF",
    Due.RIDE: "-FREE_D",
    Due.TRADING_POST: "-FREE_TP",
}
_BESIDE = (Kind.CONVERT, Kind.CONNECT)  # what may precede the action of a turn


class _Moment(NamedTuple):
    """A decision, and the positions around it."""

    before: TerraMysticaState
    after: TerraMysticaState
    seat: int
    due: int
    kind: Kind
    argument: int
    action: int


def write(
    rules: TerraMystica, start: TerraMysticaState, moves: Iterable[tuple[int, int]]
) -> list[str]:
    """Returns the rows of a game, after the remark that they are turns.

    Args:
        rules: the game.
        start: the position before the first dwelling, in which each seat has its faction.
        moves: seat and action number of each decision, all of them legal.

    Raises:
        ValueError: for a seat that does not decide there.
    """
    rows: list[tuple[str, list[_Moment]]] = []
    is_open = False
    for moment in _moments(rules, start, moves):
        if not is_open:
            faction = FACTION_NAMES[moment.before.players.faction[moment.seat]]
            rows.append((faction, []))
        rows[-1][1].append(moment)
        is_open = _turn_goes_on(moment)
    lines = [ROWS_ARE_TURNS, *(_row(faction, moments) for faction, moments in rows)]
    return [*lines, UNFINISHED] if is_open else lines


def _moments(
    rules: TerraMystica, start: TerraMysticaState, moves: Iterable[tuple[int, int]]
) -> Iterator[_Moment]:
    referee = Referee(rules)
    position = referee.look(start)
    for seat, action in moves:
        before, to_move, due, _ = position
        checks.number(int(seat), to_move, to_move, "seat")
        position = referee.step(before, action)
        yield _Moment(before, position.state, to_move, due, *decode(action), action)


def _turn_goes_on(moment: _Moment) -> bool:
    """Whether the next decision belongs to the same turn."""
    before, after = moment.before, moment.after
    if (before.phase, before.seat, before.round) != (after.phase, after.seat, after.round):
        return False
    if before.phase != Phase.ACTIONS:
        return False
    # Actions left tell a turn from the next one of the same seat, when all others have passed.
    left, now_left = int(before.pending.actions), int(after.pending.actions)
    if moment.due != Due.ACTION:
        return now_left <= left
    is_double = moment.kind is Kind.SPECIAL and now_left > left
    return now_left < left or is_double or moment.kind in _BESIDE


def _row(faction: str, moments: list[_Moment]) -> str:
    row = f"{faction}: {SEPARATOR.join(_commands(moments))}"
    bought = [moment for moment in moments if _bought(moment)]
    is_at_once = any(_may_buy_one_by_one(moment) for moment in bought)
    return f"{row}  {BUYS_AT_ONCE}" if is_at_once else row


def _commands(moments: list[_Moment]) -> Iterator[str]:
    """Yields the commands of a row, with a run of equal conversions or spades merged into one."""
    for action, group in itertools.groupby(moments, key=lambda moment: moment.action):
        same = list(group)
        if same[0].kind in (Kind.CONVERT, Kind.DIG):
            yield _repeated(command(action), len(same))
        else:
            for moment in same:
                yield from _words(moment)


def _repeated(text: str, count: int) -> str:
    if found := _CONVERT.fullmatch(text):
        price, gain = count * int(found[1]), count * int(found[3])
        return f"convert {price}{found[2]} to {gain}{found[4]}"
    return f"{text.removesuffix('1')}{count}"  # `burn 1`, `dig 1`


def _words(moment: _Moment) -> list[str]:
    """Returns the commands for a decision; none for what the platform does by itself."""
    argument, players = moment.argument, moment.before.players
    match moment.kind:
        case Kind.TERRAFORM:
            place, colour = divmod(argument, NUM_COLOURS)
            bought = _bought(moment)
            words = f"transform {LAND_NAMES[place]} to {Colour(colour).name.lower()}"
            return [f"dig {bought}", words] if bought else [words]
        case Kind.SEND:
            cult, fewer = divmod(argument, NUM_SENDS)
            return [f"send p to {CULT_NAMES[cult]} for {NUM_SENDS - fewer}"]
        case Kind.CULT if moment.due == Due.KEY:
            return [f"+{CULT_NAMES[argument]}", "-KEY"]
        case Kind.CULT:
            steps = max(1, int(moment.before.pending.cult_steps))
            return [f"+{_several(steps)}{CULT_NAMES[argument]}"]
        case Kind.FAVOR:
            return [f"+{FAVOR_NAMES[argument]}"]
        case Kind.TOWN:
            return [f"+{TOWN_NAMES[argument]}"]
        case Kind.TAKE_POWER | Kind.DECLINE_POWER:
            amounts = moment.before.leech.amounts[:, moment.seat]
            amount = next(int(amount) for amount in amounts if amount)
            giver = FACTION_NAMES[players.faction[moment.before.seat]]
            return [f"{command(moment.action)} {amount} from {giver}"]
        case Kind.END:
            return _given_up(moment)
    special = SPECIAL_NAMES[FACTIONS[players.faction[moment.seat]].special]
    return [command(moment.action, special)]


def _given_up(moment: _Moment) -> list[str]:
    """Returns the words for what an END gives up."""
    pending = moment.before.pending
    if moment.due in _GIVEN_UP:
        return [_GIVEN_UP[Due(moment.due)]]
    given_up = {
        Due.SPADES: (pending.spades, "SPADE"),
        Due.CULT_SPADES: (moment.before.players.cult_spades[moment.seat], "SPADE"),
        Due.PRIEST: (pending.priests, "CONVERT_W_TO_P"),
    }.get(Due(moment.due))
    return [] if given_up is None else [f"-{_several(int(given_up[0]))}{given_up[1]}"]


def _several(number: int) -> str:
    return "" if number == 1 else str(number)


def _bought(moment: _Moment) -> int:
    """Returns the spades that a decision buys by terraforming."""
    if moment.kind is not Kind.TERRAFORM or moment.due in (Due.SANDSTORM, Due.CULT_SPADES):
        return 0
    place, colour = divmod(moment.argument, NUM_COLOURS)
    old = np.argmax(moment.before.board.terrain[:, LAND_ROW[place]] >> LAND_COLUMN[place] & 1)
    faction = moment.before.players.faction[moment.seat]
    return max(0, int(SPADES[faction, old, colour]) - int(moment.before.pending.spades))


def _may_buy_one_by_one(moment: _Moment) -> bool:
    """Whether the seat could also buy spades before it names the hex."""
    faction = FACTIONS[moment.before.players.faction[moment.seat]]
    strongholds = moment.before.board.structures[Structure.STRONGHOLD]
    home = moment.before.board.terrain[faction.colour]
    return faction.spade_power > 0 and bool((strongholds & home).any())
