"""The state that reading and writing ledgers needs: terrain, strongholds and open choices.

A ledger leaves out what follows from its commands, such as the end of a turn. A `LedgerTracker`
follows a game only as far as this requires: it does not know resources and does not check whether
actions are legal.
"""

import collections
import dataclasses
from collections.abc import Iterator, Sequence

from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.engine.actions import (
    NUM_SENDS,
    NUM_UPGRADES,
    WORKER_TO_PRIEST,
    Kind,
    decode,
    encode,
)
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import FACTIONS, Faction, Special, Structure
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS, START_COLOURS
from jaxgames.terra_mystica.tables.tiles import CULT_NAMES, POWER_ACTIONS, SPOT_STEPS
from jaxgames.terra_mystica.text.commands import command

END = encode(Kind.END)
_NO_ACTION = {
    Kind.BRIDGE,
    Kind.CONNECT,
    Kind.CULT,
    Kind.FAVOR,
    Kind.TOWN,
    Kind.CONVERT,
    Kind.END,
}  # kinds that belong to an action or may stand beside it
_REACTIONS = {Kind.TAKE_POWER, Kind.DECLINE_POWER}
_OPEN_SPECIALS = (Special.SANDSTORM, Special.RIDE, Special.TRADING_POST)
_SPECIAL_SPADES = 2  # of ACTG
_DOUBLE_TURN = 2  # actions of ACTC


@dataclasses.dataclass
class LedgerTurn:
    """The known state of the turn in progress."""

    seat: int
    actions: int = 1  # full actions left
    spades: int = 0  # free ones, and those of DIG
    dug: int = 0  # spades of the command `dig`, which TERRAFORM is going to buy
    home: set[int] = dataclasses.field(default_factory=set)  # turned to home in this action
    special: Special = Special.NONE  # taken and not carried out yet
    priests: int = 0  # workers that may become priests

    def begin_action(self) -> None:
        """Takes one of the actions of the turn."""
        self.actions -= 1
        self.spades, self.dug, self.special = 0, 0, Special.NONE
        self.home.clear()

    def is_new_action(self, kind: Kind, argument: int) -> bool:
        """Whether an action is not part of the one before it."""
        match kind:
            case Kind.TERRAFORM:
                return not (self.spades or self.dug or self.special is Special.SANDSTORM)
            case Kind.BUILD:
                return not (argument in self.home or self.special is Special.RIDE)
            case Kind.UPGRADE:
                return self.special is not Special.TRADING_POST
            case Kind.DIG:
                return not (self.spades or self.dug)
        return kind not in _NO_ACTION

    def open_choices(self) -> int:
        """Returns how many choices are open, each of which one END gives up."""
        return bool(self.spades) + (self.special in _OPEN_SPECIALS) + bool(self.priests)

    def give_up(self) -> None:
        """Gives up the first of the open choices."""
        if self.spades:
            self.spades = 0
        elif self.special in _OPEN_SPECIALS:
            self.special = Special.NONE
        else:
            self.priests = 0


class LedgerTracker:
    """The game so far; follows `apply`."""

    def __init__(self, factions: Sequence[int]) -> None:
        """Begins a game.

        Raises:
            ValueError: for a number that is no faction, or two factions of one colour.
        """
        setup.check_factions(factions, len(factions))
        self.numbers = factions
        self.factions = [FACTIONS[number] for number in factions]
        self.colours: list[int] = START_COLOURS.tolist()
        self.strongholds: set[int] = set()
        self.passed: set[int] = set()
        self.turn: LedgerTurn | None = None
        self._setup = _setup(self.factions)
        self._sent: list[collections.Counter[int]] = [collections.Counter() for _ in CULT_NAMES]

    @property
    def setup_seat(self) -> int | None:
        """The seat that makes the next choice of the set-up; None after that."""
        return self._setup[0][1] if self._setup else None

    def is_spot_free(self, cult: int, steps: int) -> bool:
        """Whether a priest that is sent to a cult may go that many steps."""
        spots = SPOT_STEPS.tolist().count(steps)
        return spots == 0 or self._sent[cult][steps] < spots

    @property
    def is_between_rounds(self) -> bool:
        """Whether all have passed, so that only cult spades are used."""
        return self.turn is None and len(self.passed) == len(self.factions)

    def pays_single_spades(self, seat: int) -> bool:
        """Whether a seat buys each spade by DIG, for the power that it brings."""
        return self.factions[seat].spade_power > 0 and seat in self.strongholds

    def builds_on_spades(self, seat: int, kind: Kind) -> bool:
        """Whether a dwelling is built with spades, or the sandstorm, that wait for a hex."""
        turn = self.turn
        if kind is not Kind.BUILD or turn is None or turn.seat != seat:
            return False
        return turn.spades + turn.dug > 0 or turn.special is Special.SANDSTORM

    def goes_beyond_turn(self, seat: int, kind: Kind, argument: int) -> bool:
        """Whether an action does not fit into the turn in progress any more."""
        turn = self.turn
        if turn is None or turn.seat != seat:
            return turn is not None
        return turn.actions == 0 and turn.is_new_action(kind, argument)

    def close(self) -> Iterator[tuple[int, int]]:
        """Ends the turn in progress, if any; yields an END for each open choice and for the turn.

        Raises:
            ValueError: if `dig` has paid spades that no terraforming has used.
        """
        turn, self.turn = self.turn, None
        if turn is None:
            return
        if turn.dug:
            raise ValueError(f"{turn.dug} spades of the turn before it were not used")
        for _ in range(turn.open_choices() + 1):
            yield turn.seat, END

    def dig(self, seat: int, spades: int) -> None:
        """Notes spades that a ledger names before the terraforming that buys them."""
        self._turn_for(seat, Kind.DIG, 0).dug += spades

    def spades_to_buy(self, seat: int, place: int, colour: int) -> int:
        """Returns the spades that terraforming a hex takes beyond those that are free.

        Raises:
            ValueError: if the faction cannot turn the hex into this terrain.
        """
        if self.turn and self.turn.special is Special.SANDSTORM:
            return 0
        cost = int(SPADES[self.numbers[seat], self.colours[place], colour])
        if cost == 0:
            name = self.factions[seat].name
            raise ValueError(f"the {name} cannot turn this hex into that terrain now")
        if self.is_between_rounds:
            return 0
        return max(0, cost - (self.turn.spades if self.turn else 0))

    def apply(self, seat: int, action: int) -> None:
        """Follows an action; if it does not fit into the turn in progress, a new turn begins.

        Raises:
            ValueError: if it cannot follow those before it.
        """
        kind, argument = decode(action)
        if kind is Kind.FACTION or kind in _REACTIONS:
            return
        if self._setup:
            if self._setup[0][0] is not kind:
                expected = self._setup[0][0].name
                raise ValueError(f"expected {expected} in the set-up, got {command(action)!r}")
            del self._setup[0]
            return
        if kind is Kind.END:
            if self.turn and self.turn.open_choices():
                self.turn.give_up()
            else:
                self.turn = None
        elif kind is Kind.TERRAFORM:
            self._terraform(seat, *divmod(argument, NUM_COLOURS))
        elif not (kind is Kind.CULT and self.turn is None):  # that is the cultists' reaction
            self._act(self._turn_for(seat, kind, argument), kind, argument)

    def _turn_for(self, seat: int, kind: Kind, argument: int) -> LedgerTurn:
        """Returns the turn that an action belongs to, with the action begun if it is a new one."""
        if self.turn is None or self.goes_beyond_turn(seat, kind, argument):
            if len(self.passed) == len(self.factions):
                self.passed.clear()
            self.turn = LedgerTurn(seat)
        if self.turn.is_new_action(kind, argument):
            self.turn.begin_action()
        return self.turn

    def _terraform(self, seat: int, place: int, colour: int) -> None:
        if self.goes_beyond_turn(seat, Kind.TERRAFORM, place):
            self.turn = None
        bought = self.spades_to_buy(seat, place, colour)
        if not self.is_between_rounds:
            turn = self._turn_for(seat, Kind.TERRAFORM, place)
            if turn.dug:
                if bought > turn.dug:
                    at_hand = turn.spades + turn.dug
                    raise ValueError(
                        f"this terraforming takes {turn.spades + bought} spades, not {at_hand}"
                    )
                turn.dug -= bought
            if turn.special is Special.SANDSTORM:
                turn.special = Special.NONE
            elif bought:
                turn.spades = 0
            else:
                turn.spades -= int(SPADES[self.numbers[seat], self.colours[place], colour])
            if colour == self.factions[seat].colour:
                turn.home.add(place)
        self.colours[place] = colour

    def _act(self, turn: LedgerTurn, kind: Kind, argument: int) -> None:
        faction = self.factions[turn.seat]
        match kind:
            case Kind.BUILD:
                turn.special = Special.NONE
                turn.home.clear()
            case Kind.UPGRADE:
                turn.special = Special.NONE
                if argument % NUM_UPGRADES + 1 == Structure.STRONGHOLD:
                    self.strongholds.add(turn.seat)
                    turn.spades = faction.stronghold_spades
                    turn.priests = faction.stronghold_priests
            case Kind.POWER:
                turn.spades = POWER_ACTIONS[argument].spades
            case Kind.CARD_SPADE:
                turn.spades = 1
            case Kind.DIG:
                turn.spades += 1
            case Kind.SPECIAL:
                turn.special = faction.special
                if turn.special is Special.SPADES:
                    turn.spades = _SPECIAL_SPADES
                elif turn.special is Special.DOUBLE_TURN:
                    turn.actions = _DOUBLE_TURN
            case Kind.CULT:
                turn.special = Special.NONE
            case Kind.SEND:
                cult, fewer = divmod(argument, NUM_SENDS)
                self._sent[cult][NUM_SENDS - fewer] += 1
            case Kind.CONVERT if argument == WORKER_TO_PRIEST:
                turn.priests -= 1
            case Kind.PASS:
                turn.actions = 0
                self.passed.add(turn.seat)


def _setup(factions: Sequence[Faction]) -> list[tuple[Kind, int]]:
    """Returns the kind and the seat of each choice of the set-up."""
    places = [faction.first_dwellings for faction in factions]
    seats = range(len(places))
    rounds = [seat for seat in seats if places[seat] > 1]
    dwellings = [*rounds, *reversed(rounds)]
    dwellings += [seat for seat in seats if places[seat] > 2]
    dwellings += [seat for seat in seats if places[seat] == 1]
    return [(Kind.BUILD, seat) for seat in dwellings] + [(Kind.PASS, s) for s in reversed(seats)]
