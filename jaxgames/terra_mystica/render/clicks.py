"""The parts of a picture that are clicked for an action.

| part | what is there | actions |
| --- | --- | --- |
| `hex:E7`, `river:r10` | a hex | TERRAFORM, BUILD, UPGRADE, both ends of a BRIDGE; CONNECT |
| `cult:FIRE` | a track of the cult board | SEND, CULT |
| `action:ACT5` | a power action | POWER |
| `favor:FAV6`, `town:TW3`, `card:BON3` | the supply | FAVOR, TOWN, PASS |
| `own:ship`, `own:dig` | the board of the player | ADVANCE |
| `own:special`, `own:BON1`, `own:FAV6` | the same | special actions |

All other actions are chosen in words.
"""

from jaxgames.pictures.click_paths import ClickPath
from jaxgames.terra_mystica.engine.actions import (
    NO_CARD_PASS,
    NUM_SENDS,
    NUM_UPGRADES,
    Kind,
    decode,
)
from jaxgames.terra_mystica.tables.terrain import BRIDGE_NAMES, LAND_NAMES, NUM_COLOURS, RIVER_NAMES
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, CULT_NAMES, FAVOR_NAMES, TOWN_NAMES

_OWN = {
    Kind.ADVANCE_SHIP: "own:ship",
    Kind.ADVANCE_DIG: "own:dig",
    Kind.CARD_SPADE: "own:BON1",
    Kind.CARD_CULT: "own:BON2",
    Kind.FAVOR_CULT: "own:FAV6",
    Kind.SPECIAL: "own:special",
}


def paths_of(action: int) -> list[ClickPath]:
    """Returns the ways to choose an action by clicks: two for a bridge, else one.

    Raises:
        ValueError: if there is no such action.
    """
    kind, argument = decode(action)
    if kind == Kind.BRIDGE:
        ends = [f"hex:{name}" for name in BRIDGE_NAMES[argument].split("-")]
        return [ClickPath(action, tuple(ends)), ClickPath(action, tuple(reversed(ends)))]
    part = _part(kind, argument)
    return [ClickPath(action, () if part is None else (part,))]


def _part(kind: Kind, argument: int) -> str | None:
    match kind:
        case Kind.TERRAFORM:
            return f"hex:{LAND_NAMES[argument // NUM_COLOURS]}"
        case Kind.BUILD:
            return f"hex:{LAND_NAMES[argument]}"
        case Kind.UPGRADE:
            return f"hex:{LAND_NAMES[argument // NUM_UPGRADES]}"
        case Kind.CONNECT:
            return f"river:{RIVER_NAMES[argument]}"
        case Kind.SEND:
            return f"cult:{CULT_NAMES[argument // NUM_SENDS]}"
        case Kind.CULT:
            return f"cult:{CULT_NAMES[argument]}"
        case Kind.POWER:
            return f"action:ACT{argument + 1}"
        case Kind.FAVOR:
            return f"favor:{FAVOR_NAMES[argument]}"
        case Kind.TOWN:
            return f"town:{TOWN_NAMES[argument]}"
        case Kind.PASS:
            return None if argument == NO_CARD_PASS else f"card:{CARD_NAMES[argument]}"
    return _OWN.get(kind)
