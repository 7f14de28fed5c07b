"""The table of Terra Mystica in a terminal: map, tiles and players. Host side, on one game."""

import json
from collections.abc import Iterator
from typing import Any

from jaxgames.pictures.ansi import MUTED, Paint
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS, STRUCTURE_NAMES
from jaxgames.terra_mystica.tables.terrain import (
    COLOUR_LETTERS,
    COLUMNS,
    LAND_CELLS,
    LAND_NAMES,
    MAP,
    RIVER_LETTER,
    Colour,
)
from jaxgames.terra_mystica.tables.tiles import CULT_NAMES, NUM_ROUNDS
from jaxgames.terra_mystica.text.position_text import colours_of, state_to_text, to_host

# Ground and ink of each terrain.
LOOKS = {
    Colour.YELLOW: ("#ffd75f", "#000000"),
    Colour.BROWN: ("#875f00", "#ffffff"),
    Colour.BLACK: ("#303030", "#ffffff"),
    Colour.BLUE: ("#005faf", "#ffffff"),
    Colour.GREEN: ("#008700", "#ffffff"),
    Colour.GRAY: ("#878787", "#000000"),
    Colour.RED: ("#af0000", "#ffffff"),
}
WATER = "#5fafff"
_LEGEND = (
    "a hex: its number in the row, terrain (Y yellow, U brown, K black, B blue, G green, S gray, "
    "R red), structure"
)
_HEX = 7  # characters


def draw(rules: Any, game: TerraMysticaState, paint: Paint, seat: int | None = None) -> str:
    """Returns the table as lines of text.

    Args:
        rules: the game, which does not matter.
        game: a position.
        paint: colours.
        seat: the seat that looks, which does not matter: nothing is hidden.
    """
    del rules, seat
    game = to_host(game)
    document = json.loads(state_to_text(game))
    lines = [
        f"round {document['round']} of {NUM_ROUNDS}, {document['phase']}; "
        f"scoring {' '.join(document['scoring'])}",
        "",
        *_map(game, document, paint),
        paint(_LEGEND, MUTED),
        "",
        "cards " + ", ".join(_card(name, coins) for name, coins in document["cards"].items()),
        f"actions used: {' '.join(document['actions']) or 'none'}",
    ]
    for number, player in enumerate(document["players"]):
        lines += ["", *_player(number, player, number == document["seat"], paint)]
    return "\n".join(lines)


def _map(game: TerraMysticaState, document: dict[str, Any], paint: Paint) -> Iterator[str]:
    colours = colours_of(game).tolist()
    built = {
        name: kind
        for player in document["players"]
        for kind in STRUCTURE_NAMES
        for name in player[kind]
    }
    towns = set(document["towns"])
    places = {int(cell): place for place, cell in enumerate(LAND_CELLS)}
    for row, letters in enumerate(MAP):
        text = paint(chr(ord("A") + row), MUTED) + " " * (1 + (_HEX // 2 if row % 2 else 0))
        for column in range(len(letters)):
            if letters[column] == RIVER_LETTER:
                text += paint(f"{RIVER_LETTER * 3:^{_HEX}}", WATER)
                continue
            place = places[row * COLUMNS + column]
            name = LAND_NAMES[place]
            mark = "*" if name in towns else ""
            words = f"{name[1:]}{COLOUR_LETTERS[colours[place]]} {built.get(name, '')}{mark}"
            ground, ink = LOOKS[Colour(colours[place])]
            text += paint(f"{words:<{_HEX - 1}}", ink, ground, name in built) + " "
        yield text.rstrip()


def _card(name: str, coins: int) -> str:
    return f"{name} ({coins} coins)" if coins else name


def _player(number: int, player: dict[str, Any], is_next: bool, paint: Paint) -> Iterator[str]:
    faction = player["faction"]
    title = f" {faction or 'no faction yet'} "
    if faction:
        ground, ink = LOOKS[Colour(FACTIONS[FACTION_NAMES.index(faction)].colour)]
        title = paint(title, ink, ground, bold=True)
    bowls = "/".join(map(str, player["pw"]))
    cults = ", ".join(
        f"{name.lower()} {level}" for name, level in zip(CULT_NAMES, player["cult"], strict=True)
    )
    yield (
        f"{'>' if is_next else ' '} seat {number} {title} {player['vp']} VP, {player['c']} coins, "
        f"{player['w']} workers, {player['p']} priests, power {bowls}"
    )
    tiles = [name for name in (player["bon"], *player["fav"], *player["tw"]) if name]
    passed = ", has passed" if player["passed"] else ""
    yield f"    {cults}; ship {player['ship']}, dig {player['dig']}{passed}"
    buildings = [f"{kind} {' '.join(player[kind])}" for kind in STRUCTURE_NAMES if player[kind]]
    yield f"    {'; '.join(buildings) or 'nothing built'}; {' '.join(tiles) or 'no tiles'}"
