"""The first lines of games, and what the lines after them mean. Shared by the tests of ledgers."""

from jaxgames.terra_mystica.tables.factions import FACTIONS, SPECIAL_NAMES, find_faction
from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.commands import command

WITCHES_GIANTS = ("witches", "giants")
SETUP = {
    WITCHES_GIANTS: [
        "witches: build C3",
        "giants: build D4",
        "giants: build D7",
        "witches: build F4",
        "giants: pass BON1",
        "witches: pass BON2",
    ],
    ("chaosmagicians", "witches"): [
        "witches: build C3",
        "witches: build F4",
        "chaosmagicians: build D4",
        "witches: pass BON2",
        "chaosmagicians: pass BON1",
    ],
    ("alchemists", "halflings"): [
        "alchemists: build C1",
        "halflings: build D8",
        "halflings: build E6",
        "alchemists: build E5",
        "halflings: pass BON1",
        "alchemists: pass BON2",
    ],
    ("darklings", "halflings"): [
        "darklings: build C1",
        "halflings: build D8",
        "halflings: build E6",
        "darklings: build E5",
        "halflings: pass BON1",
        "darklings: pass BON2",
    ],
    ("chaosmagicians", "cultists"): [
        "cultists: build D8",
        "cultists: build E6",
        "chaosmagicians: build D4",
        "cultists: pass BON1",
        "chaosmagicians: pass BON2",
    ],
    ("nomads", "swarmlings"): [
        "nomads: build D3",
        "swarmlings: build D2",
        "swarmlings: build D5",
        "nomads: build A5",
        "nomads: build F3",
        "swarmlings: pass BON1",
        "nomads: pass BON2",
    ],
}


def numbers(factions) -> list[int]:
    """Returns the number of each faction."""
    return [find_faction(name) for name in factions]


def read(factions, *lines: str) -> list[str]:
    """Returns the decisions after the set-up as `seat command`."""
    decisions = ledger.read(numbers(factions), [*SETUP[factions], *lines])
    specials = [SPECIAL_NAMES[FACTIONS[number].special] for number in numbers(factions)]
    return [
        f"{d.seat} {command(d.action, specials[d.seat])}" for d in decisions[len(SETUP[factions]) :]
    ]
