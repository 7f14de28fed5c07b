"""The set-up of a game in a ledger: options, tiles, cards and factions.

The platform's program reads it in rows before the first turn, and prints comments instead of most:

| row | comment | what |
| --- | --- | --- |
| `option bonus` | the same | an option of the game, `OPTIONS` |
| `player NAME` | `Player 1: NAME` | nothing here |
| `score SCORE3,SCORE1,...` | `Round 1 scoring: SCORE3`, for each round | the scoring tiles |
| `delete BON5` | `Removing tile BON5` | a bonus card that is not in play |
| `setup witches` | none: seats choose their cards in reverse order | the factions by seat |

Comments about the course of a game, such as `Round 2, turn 1`, say nothing here, and neither do
remarks after `#`, but for these comments and options.
"""

import contextlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxgames.internal.messages import unknown
from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.engine.setup import PLAYERS
from jaxgames.terra_mystica.rules import CLOCKWISE, DRAFT, PASSING, TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, find_faction
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    NUM_BASE_CARDS,
    NUM_CARDS,
    NUM_ROUNDS,
    SCORING_NAMES,
)
from jaxgames.terra_mystica.text import ledger_rows
from jaxgames.terra_mystica.text.ledger_words import joined

OPTIONS: dict[str, tuple[str, Any]] = {
    "errata-cultist-power": ("errata_cultists", True),
    "mini-expansion-1": ("mini_towns", True),
    "shipping-bonus": ("bon10", True),
    "temple-scoring-tile": ("score9", True),
    "variable-turn-order": ("turn_order", PASSING),
}
"""Option of the game, and its value, for each option of the platform that changes the rules."""
STRICT = "strict-leech"  # answers to offers of power name amount and giver, as those written here
_OWN_OPTIONS = ("post_conversions", "auto_end")
_OWN = "# option "
_OWN_OPTION = re.compile(r"# ?option (\w+) ?= ?(\w*)", re.IGNORECASE)
_CHOICE = re.compile(r"pass BON\d+", re.IGNORECASE)
_ROUND = re.compile(r"round ([1-6]) scoring: *(SCORE\d)\b.*", re.IGNORECASE)
_CARD = re.compile(r"removing tile (BON\d+)\.?", re.IGNORECASE)
_OTHER = re.compile(
    r"(player\b|round \d(?! scoring)|scoring |converting resources|default game|game (is|was)).*",
    re.IGNORECASE,
)


class Setup(NamedTuple):
    """The set-up that a ledger describes."""

    options: dict[str, Any]
    """Of the game, as keyword arguments of `TerraMystica`; the number of players is one."""
    factions: tuple[int, ...]
    """Of each seat, as rows of the table."""
    scoring: tuple[int, ...]
    """Scoring tile of each round, counted from 0."""
    cards: tuple[int, ...]
    """Bonus cards in play, counted from 0."""


def read(lines: Sequence[str]) -> tuple[Setup | None, list[str]]:
    """Returns the set-up of a ledger, None if it has none, and the lines with all others empty.

    Raises:
        ValueError: for a set-up that is not complete, or an unknown option, tile or faction; names
            the line.
    """
    reader = _SetupReader()
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append("" if reader.take(line) else line)
        except ValueError as error:
            raise ValueError(f"line {number}, {line.strip()!r}: {error}") from error
    return reader.finish(rows), rows


def write(rules: TerraMystica, start: TerraMysticaState, factions: Sequence[int]) -> list[str]:
    """Returns the rows of the set-up of a game.

    Args:
        rules: the game.
        start: the position before the first decision.
        factions: of each seat, also of seats that choose theirs.
    """
    options = [name for name, (own, value) in OPTIONS.items() if getattr(rules, own) == value]
    own = [name for name in _OWN_OPTIONS if not getattr(rules, name)]
    scoring = ",".join(SCORING_NAMES[tile] for tile in start.supply.scoring)
    number = NUM_CARDS if rules.bon10 else NUM_BASE_CARDS
    removed = [card for card in range(number) if not int(start.supply.cards) >> card & 1]
    return [
        *(f"option {name}" for name in (*options, STRICT)),
        *(f"{_OWN}{name}=false" for name in own),
        *(f"player seat{seat}" for seat in range(1, len(factions) + 1)),
        f"score {scoring}",
        *(f"delete {CARD_NAMES[card]}" for card in removed),
        *(f"setup {FACTION_NAMES[faction]}" for faction in factions),
    ]


def begin(rules: TerraMystica, found: Setup) -> TerraMysticaState:
    """Returns the position before the first decision of a game with a set-up.

    Raises:
        ValueError: if the game has other options, or the tiles and cards cannot be in play.
    """
    for name, value in found.options.items():
        if getattr(rules, name) != value:
            raise ValueError(
                f"the ledger is of a game with {name}={value!r}, got {getattr(rules, name)!r}"
            )
    drafted = rules.factions == DRAFT
    if rules.fixed_factions not in (None, found.factions):
        names = ",".join(FACTION_NAMES[faction] for faction in found.factions)
        raise ValueError(f"the ledger is of a game with factions={names!r}, got {rules.factions!r}")
    factions = None if drafted else found.factions
    return setup.start(
        rules.num_players, factions, found.scoring, found.cards, rules.score9, rules.bon10
    )


class _SetupReader:
    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.factions: list[int] = []
        self.scoring: dict[int, int] = {}
        self.removed: set[int] = set()

    def take(self, line: str) -> bool:
        """Reads a line of the set-up; returns whether it is one."""
        text = " ".join(line.split())
        if text.startswith(ledger_rows.REMARK):
            return self._take_remark(text)
        text = text.partition(ledger_rows.REMARK)[0].strip()
        first, _, rest = text.partition(" ")
        match first.casefold():
            case "option":
                self._option(rest.casefold())
            case "score":
                self._score(rest)
            case "delete":
                self.removed.update(_numbers("bonus card", rest, CARD_NAMES))
            case "setup" if rest:
                self.factions.append(_faction(rest))
            case _:
                return self._take_printed(text) or bool(_OTHER.fullmatch(text))
        return True

    def _take_remark(self, remark: str) -> bool:
        """Reads what remarks say of the set-up; any other words are a player's, and say nothing."""
        if found := _OWN_OPTION.fullmatch(remark):
            name, value = found[1].casefold(), found[2].casefold()
            if value not in ("true", "false"):
                raise ValueError(f"option {name}: expected true or false, got {found[2]!r}")
            self.options[_known("option", name, _OWN_OPTIONS)] = value == "true"
            return True
        text = remark.removeprefix(ledger_rows.REMARK).strip()
        first, _, rest = text.casefold().partition(" ")
        if first == "option" and rest in (*OPTIONS, STRICT):
            self._option(rest)
            return True
        return self._take_printed(text)

    def _take_printed(self, text: str) -> bool:
        """Reads a comment that the platform prints about tiles and cards."""
        if found := _CARD.fullmatch(text):
            self.removed.add(_number("bonus card", found[1], CARD_NAMES))
        elif found := _ROUND.fullmatch(text):
            self.scoring[int(found[1]) - 1] = _number("scoring tile", found[2], SCORING_NAMES)
        return bool(found)

    def _score(self, names: str) -> None:
        tiles = _numbers("scoring tile", names, SCORING_NAMES)
        if len(tiles) > NUM_ROUNDS:
            raise ValueError(f"expected {NUM_ROUNDS} scoring tiles, got {len(tiles)}")
        self.scoring = dict(enumerate(tiles))

    def _option(self, name: str) -> None:
        if name.startswith("strict-"):
            return
        known = (*OPTIONS, STRICT)
        option, value = OPTIONS[_known("option of the platform", name, known)]
        self.options[option] = value

    def finish(self, rows: Sequence[str]) -> Setup | None:
        """Returns the set-up; None if no line was about it."""
        if not self.scoring and not self.factions:
            return None
        factions = self.factions or _by_first_cards(rows)
        if missing := set(range(NUM_ROUNDS)) - self.scoring.keys():
            rounds = ", ".join(str(number + 1) for number in sorted(missing))
            raise ValueError(f"the ledger does not say the scoring tiles of rounds {rounds}")
        names = {name: default for name, default in _defaults().items() if name not in self.options}
        own = dict.fromkeys(_OWN_OPTIONS, True)
        options = {"num_players": len(factions), **own, **names, **self.options}
        number = NUM_CARDS if options["bon10"] else NUM_BASE_CARDS
        cards = tuple(card for card in range(number) if card not in self.removed)
        scoring = tuple(self.scoring[number] for number in range(NUM_ROUNDS))
        return Setup(options, tuple(factions), scoring, cards)


def _defaults() -> dict[str, Any]:
    """Returns the value of each option of the platform that a ledger does not name."""
    return {name: CLOCKWISE if value == PASSING else not value for name, value in OPTIONS.values()}


def _by_first_cards(rows: Sequence[str]) -> list[int]:
    """Returns the factions by seat, from their first bonus cards, chosen in reverse order."""
    names = {name: number for number, name in enumerate(FACTION_NAMES)}
    chosen: list[int] = []
    for row in rows:
        with contextlib.suppress(ValueError):  # of rows that begin in another way
            faction, commands = ledger_rows.split(names, row)
            if faction is None or not any(map(_CHOICE.fullmatch, commands)):
                continue
            if faction in chosen:
                break
            chosen.append(faction)
    if len(chosen) not in PLAYERS:
        raise ValueError("the ledger does not say which factions play: expected 'setup witches'")
    return chosen[::-1]


def _faction(text: str) -> int:
    """Returns the faction whose name, of one word or two, a text begins with."""
    first, *more = text.split(" ")
    long = joined(first + "".join(more[:1]))
    return find_faction(long if long in FACTION_NAMES else joined(first))


def _known(what: str, name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise ValueError(unknown(what, name, names))
    return name


def _number(what: str, name: str, names: Sequence[str]) -> int:
    return names.index(_known(what, name.upper(), names))


def _numbers(what: str, words: str, names: Sequence[str]) -> list[int]:
    return [_number(what, name, names) for name in re.split(r"[ ,]+", words) if name]
