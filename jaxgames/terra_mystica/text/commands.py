"""Words for actions, in the style of the online platform's ledgers: `upgrade D3 to TP`.

| kind | text |
| --- | --- |
| TERRAFORM, BUILD, UPGRADE | `transform C1 to B`, `build E7`, `upgrade D3 to TP` |
| BRIDGE, CONNECT | `bridge A3:C1`, `connect r10` |
| SEND, ADVANCE | `send FIRE 3`, `advance ship`, `advance dig` |
| power and special actions | `action ACT5`, `action BON1`, `action FAV6`, `action ACTW` |
| CULT, FAVOR, TOWN | `+1 FIRE`, `+1 FAV11`, `+1 TW3` |
| PASS | `pass BON3`, `pass` |
| TAKE_POWER, DECLINE_POWER | `leech`, `decline` |
| CONVERT, DIG | `burn 1`, `convert 3pw to 1w`, `dig 1` |
| END, FACTION | `end`, `faction witches` |
"""

from jaxgames.terra_mystica.engine.actions import (
    BURN,
    CONVERSIONS,
    NO_CARD_PASS,
    NUM_ACTIONS,
    NUM_SENDS,
    NUM_UPGRADES,
    Kind,
    decode,
    encode,
)
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, SPECIAL_NAMES, STRUCTURE_NAMES
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_NAMES,
    COLOUR_LETTERS,
    LAND_NAMES,
    NUM_COLOURS,
    RIVER_NAMES,
)
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, CULT_NAMES, FAVOR_NAMES, TOWN_NAMES

SPECIAL_ACTION = "stronghold"  # the special action, if the faction is not known
_UPGRADES = STRUCTURE_NAMES[1:]
_FIXED = {
    Kind.ADVANCE_SHIP: "advance ship",
    Kind.ADVANCE_DIG: "advance dig",
    Kind.CARD_SPADE: "action BON1",
    Kind.CARD_CULT: "action BON2",
    Kind.FAVOR_CULT: "action FAV6",
    Kind.BUY_BRIDGE: "action ACTE",
    Kind.TAKE_POWER: "leech",
    Kind.DECLINE_POWER: "decline",
    Kind.END: "end",
    Kind.DIG: "dig 1",
}


def command(action: int, special: str = SPECIAL_ACTION, steps: int = 1) -> str:
    """Returns the words for an action.

    Args:
        action: number of the action.
        special: name of the special action of the acting faction's stronghold, `ACTW` for instance.
        steps: steps that a choice of a cult is worth.

    Raises:
        ValueError: if there is no such action.
    """
    kind, argument = decode(action)
    match kind:
        case Kind.TERRAFORM:
            place, colour = divmod(argument, NUM_COLOURS)
            return f"transform {LAND_NAMES[place]} to {COLOUR_LETTERS[colour]}"
        case Kind.BUILD:
            return f"build {LAND_NAMES[argument]}"
        case Kind.UPGRADE:
            place, structure = divmod(argument, NUM_UPGRADES)
            return f"upgrade {LAND_NAMES[place]} to {_UPGRADES[structure]}"
        case Kind.BRIDGE:
            return f"bridge {BRIDGE_NAMES[argument].replace('-', ':')}"
        case Kind.CONNECT:
            return f"connect {RIVER_NAMES[argument]}"
        case Kind.SEND:
            cult, fewer = divmod(argument, NUM_SENDS)
            return f"send {CULT_NAMES[cult]} {NUM_SENDS - fewer}"
        case Kind.POWER:
            return f"action ACT{argument + 1}"
        case Kind.SPECIAL:
            return f"action {special}"
        case Kind.CULT:
            return f"+{steps} {CULT_NAMES[argument]}"
        case Kind.FAVOR:
            return f"+1 {FAVOR_NAMES[argument]}"
        case Kind.TOWN:
            return f"+1 {TOWN_NAMES[argument]}"
        case Kind.PASS:
            return "pass" if argument == NO_CARD_PASS else f"pass {CARD_NAMES[argument]}"
        case Kind.CONVERT:
            return "burn 1" if argument == BURN else f"convert {CONVERSIONS[argument].name}"
        case Kind.FACTION:
            return f"faction {FACTION_NAMES[argument]}"
    return _FIXED[kind]


def _all_commands() -> dict[str, int]:
    actions = {command(action): action for action in range(NUM_ACTIONS)}
    specials = {f"action {name}": encode(Kind.SPECIAL) for name in SPECIAL_NAMES[1:]}
    backwards = {
        "bridge " + ":".join(reversed(name.split("-"))): encode(Kind.BRIDGE, place)
        for place, name in enumerate(BRIDGE_NAMES)
    }
    return actions | specials | backwards


ACTIONS = _all_commands()
"""The action of each command; bridges in both directions."""
