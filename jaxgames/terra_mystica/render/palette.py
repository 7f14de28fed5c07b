"""Colours of the pictures that belong to the game, not to a theme."""

from typing import NamedTuple

from jaxgames.terra_mystica.tables.terrain import Colour


class ColourShades(NamedTuple):
    """What is drawn in one of the seven colours."""

    hex: str  # terrain
    piece: str  # structures, bridges and markers
    ink: str  # text on the piece's colour


SHADES = {
    Colour.YELLOW: ColourShades("#ecd27c", "#e9b820", "#2f2613"),
    Colour.BROWN: ColourShades("#c19b6c", "#8a5629", "#ffffff"),
    Colour.BLACK: ColourShades("#77757b", "#2b2a2f", "#ffffff"),
    Colour.BLUE: ColourShades("#86b4dd", "#2b6cb5", "#ffffff"),
    Colour.GREEN: ColourShades("#8fbf7f", "#35833a", "#ffffff"),
    Colour.GRAY: ColourShades("#c3c7ca", "#868e95", "#1d2023"),
    Colour.RED: ColourShades("#dd8a75", "#bf3524", "#ffffff"),
}
NO_SHADES = ColourShades("#cfc8bb", "#9b9487", "#1d2023")  # of a seat without a faction

OUTLINE = "#1c1712"  # around pieces and icons
HALO = "#ffffff"  # between a piece and the terrain of its own colour
GOLD = "#e2a91f"  # towns, coins
GOLD_DARK = "#8a6512"
WORKER = "#f3eee2"
POWER = "#7a3fa0"
BOWL = "#e7d9ef"
ACTION = "#e8913a"  # action spaces
CROSS = "#c0221b"  # over what has been used
TEXT_ON_ICON = "#241c12"
CULTS = ("#d9622b", "#3b7fc4", "#8d6b3b", "#dfe4e8")  # fire, water, earth, air
