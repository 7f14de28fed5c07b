"""The parts of a picture that are clicked for an action.

| part | what is there | actions |
| --- | --- | --- |
| `hex:E7`, `river:r10` | a hex | TERRAFORM, BUILD, UPGRADE, both ends of a BRIDGE; CONNECT |
| `cult:FIRE` | a track of the cult board | SEND, CULT |
| `action:ACT5` | a power action | POWER |
| `favor:FAV6`, `town:TW3`, `card:BON3` | the supply | FAVOR, TOWN, PASS |
| `own:ship`, `own:dig` | the board of the player | ADVANCE |
| `own:special`, `own:BON1`, `own:FAV6` | the same | special actions |

All other actions are chosen in words; a PASS, which ends the round, is asked for in words, too.
"""

from jaxgames.pictures.click_paths import ClickPath
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, CULT_NAMES, FAVOR_NAMES, TOWN_NAMES
from jaxgames.terra_mystica.text.commands import SPECIAL_ACTION, command

_OWN = {SPECIAL_ACTION: "special", "BON1": "BON1", "BON2": "BON2", "FAV6": "FAV6"}
_KINDS = {
    **dict.fromkeys(CULT_NAMES, "cult"),
    **dict.fromkeys(FAVOR_NAMES, "favor"),
    **dict.fromkeys(TOWN_NAMES, "town"),
    **dict.fromkeys(CARD_NAMES, "card"),
}


def paths_of(action: int) -> list[ClickPath]:
    """Returns the ways to choose an action by clicks: two for a bridge, else one.

    Raises:
        ValueError: if there is no such action.
    """
    words = command(action).split()
    if words[0] == "bridge":
        ends = [f"hex:{name}" for name in words[1].split(":")]
        return [ClickPath(action, tuple(ends)), ClickPath(action, tuple(reversed(ends)))]
    return [ClickPath(action, _parts(words), asks=words[0] == "pass")]


def _parts(words: list[str]) -> tuple[str, ...]:
    match words:
        case ["transform" | "build" | "upgrade", place, *_]:
            return (f"hex:{place}",)
        case ["connect", river]:
            return (f"river:{river}",)
        case ["send" | "+1" | "pass", name, *_]:
            return (f"{_KINDS[name]}:{name}",)
        case ["advance", track]:
            return (f"own:{track}",)
        case ["action", name] if name in _OWN:
            return (f"own:{_OWN[name]}",)
        case ["action", name] if name[-1].isdigit():
            return (f"action:{name}",)
    return ()
