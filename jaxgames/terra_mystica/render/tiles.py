"""Faces of tiles, cards and action spaces. What they show is read from the tables of the rules."""

from collections.abc import Sequence

from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import icons, palette
from jaxgames.terra_mystica.render.icons import Item, Items
from jaxgames.terra_mystica.render.pen import cross, polygon
from jaxgames.terra_mystica.tables.factions import Special, Structure
from jaxgames.terra_mystica.tables.tiles import (
    BONUS_CARDS,
    CARD_NAMES,
    CULT_CARD,
    CULT_FAVOR,
    DWELLING_FAVOR,
    FAVOR_DWELLING_VP,
    FAVOR_NAMES,
    FAVOR_PASS_VP,
    FAVOR_TILES,
    FAVOR_TRADING_VP,
    NUM_CULTS,
    PASS_FAVOR,
    POWER_ACTIONS,
    SCORING_TILES,
    SPADE_CARD,
    TOWN_FAVOR,
    TOWN_NAMES,
    TOWN_POWER,
    TOWN_TILES,
    TRADING_FAVOR,
)

FAVOR_SIZE = (60, 32)
TOWN_SIZE = (58, 27)
CARD_SIZE = (71, 92)
SCORING_SIZE = (102, 66)

ON_ACTION = svg.Pen(svg.LIGHT)  # action spaces have the same colour in all themes

SPECIAL_ITEMS: dict[Special, Items] = {
    Special.CULT_STEPS: [Item("cult", 2)],
    Special.DOUBLE_TURN: ["2 acts"],
    Special.SPADES: [Item("spades", 2)],
    Special.SANDSTORM: ["sand"],
    Special.TRADING_POST: [Item(Structure.TRADING_POST)],
    Special.RIDE: [Item(Structure.DWELLING)],
}


def points(kinds: Sequence[Structure], vp: int) -> Items:
    """Returns the items of points for structures."""
    return [*(Item(kind) for kind in kinds), Item("vp", vp)]


def action_space(items: Items, x: float, y: float, radius: float, is_used: bool) -> svg.Group:
    """Returns an action space, crossed if it has been used."""
    group = svg.Group(class_="action used" if is_used else "action")
    edge = {"stroke": palette.OUTLINE, "stroke_width": 1.2}
    group.append(svg.Path(polygon(x, y, radius, 8, 22.5), fill=palette.ACTION, **edge))
    scale = min(1.1, 1.35 * radius / icons.row_width(items))
    group.append(icons.row(ON_ACTION, items, x, y, scale))
    if is_used:
        group.append(cross(x, y, 1.3 * radius, 1.3 * radius))
    return group


def power_action(number: int) -> Items:
    """Returns the items of what a power action gives."""
    action = POWER_ACTIONS[number]
    gains = icons.of_gain(action.gain)
    gains += [Item("spades", action.spades)] if action.spades else []
    return gains + ([Item("bridges", action.bridges)] if action.bridges else [])


def favor(pen: svg.Pen, number: int, x: float, y: float, is_used: bool = False) -> svg.Group:
    """Returns a favor tile; `(x, y)` is its upper left corner."""
    tile = FAVOR_TILES[number]
    width, height = FAVOR_SIZE
    group = svg.Group(class_=f"favor {FAVOR_NAMES[number]}")
    group.append(pen.box(x, y, width, height, 5))
    look = {"fill": palette.CULTS[tile.cult], "fill_opacity": 0.35, "stroke": "none"}
    group.append(
        svg.Path(f"M{x + 5} {y}h17v{height}h-17a5 5 0 0 1-5-5v{10 - height}a5 5 0 0 1 5-5Z", **look)
    )
    group.append(icons.icon(icons.CULT_KINDS[tile.cult], x + 11, y + 9.5, 0.75))
    group.append(pen.text(tile.steps, 11, x + 11, y + 22.5, weight="bold"))
    right = x + 22 + (width - 22) / 2
    if number == CULT_FAVOR:
        group.append(action_space([Item("cult")], right, y + height / 2, 13, is_used))
    elif items := _favor_effect(number):
        scale = min(0.95, (width - 26) / icons.row_width(items))
        group.append(icons.row(pen, items, right, y + height / 2, scale))
    return group


def _favor_effect(number: int) -> Items:
    low, high = int(FAVOR_PASS_VP[1]), int(FAVOR_PASS_VP[-1])
    effects: dict[int, Items] = {
        TOWN_FAVOR: [f"town {TOWN_POWER - 1}"],
        TRADING_FAVOR: points([Structure.TRADING_POST], FAVOR_TRADING_VP),
        DWELLING_FAVOR: points([Structure.DWELLING], FAVOR_DWELLING_VP),
        PASS_FAVOR: [Item(Structure.TRADING_POST), f"{low}-{high}"],
    }
    return effects.get(number) or icons.of_gain(FAVOR_TILES[number].income)


def town(pen: svg.Pen, number: int, x: float, y: float) -> svg.Group:
    """Returns a town tile; `(x, y)` is its upper left corner."""
    tile = TOWN_TILES[number]
    width, height = TOWN_SIZE
    group = svg.Group(class_=f"town-tile {TOWN_NAMES[number]}")
    group.append(pen.box(x, y, width, height, 5, stroke=palette.GOLD_DARK, stroke_width=1.6))
    items: Items = [Item("vp", tile.vp), *icons.of_gain(tile.gain)]
    items += [Item("cult", tile.cult_steps)] if tile.cult_steps else []
    items += [Item("ship")] if tile.ship else []
    items += [Item("keys", tile.keys)] if tile.keys > 1 else []
    scale = min(0.95, (width - 6) / icons.row_width(items))
    group.append(icons.row(pen, items, x + width / 2, y + height / 2, scale))
    return group


def card(pen: svg.Pen, number: int, x: float, y: float, is_used: bool = False) -> svg.Group:
    """Returns a bonus card; `(x, y)` is its upper left corner."""
    entry = BONUS_CARDS[number]
    width, height = CARD_SIZE
    middle = x + width / 2
    group = svg.Group(class_=f"card {CARD_NAMES[number]}")
    group.append(pen.box(x, y, width, height, 8))
    group.append(pen.text(CARD_NAMES[number], 9, middle, y + 9, pen.theme.muted))
    group.append(icons.row(pen, ["+", *icons.of_gain(entry.income)], middle, y + 26))
    low = y + 54
    if number in (SPADE_CARD, CULT_CARD):
        items: Items = [Item("spades" if number == SPADE_CARD else "cult")]
        group.append(action_space(items, middle, low, 15, is_used))
    elif items := card_pass(number):
        if not entry.ship:
            group.append(pen.text("pass", 8.5, middle, low - 16, pen.theme.muted))
        scale = min(0.9, (width - 8) / icons.row_width(items))
        group.append(icons.row(pen, items, middle, low + 1, scale))
    return group


def card_pass(number: int) -> Items:
    """Returns the items of what a bonus card brings besides income and special action."""
    entry = BONUS_CARDS[number]
    if entry.ship:
        return ["+", Item("ship")]
    if entry.pass_ship_vp:
        return [Item("ship"), Item("vp", entry.pass_ship_vp)]
    return points(entry.pass_kinds, entry.pass_vp) if entry.pass_vp else []


def scoring(pen: svg.Pen, number: int, round_: int, x: float, y: float, colour: str) -> svg.Group:
    """Returns the scoring tile of a round; `colour` is the colour of its rim."""
    tile = SCORING_TILES[number]
    width, height = SCORING_SIZE
    group = svg.Group(class_=f"scoring SCORE{number + 1}")
    group.append(pen.box(x, y, width, height, 8, stroke=colour, stroke_width=2))
    group.append(pen.text(round_ + 1, 17, x + 13, y + 17, colour, weight="bold"))
    group.append(icons.row(pen, _scoring_points(number), x + 58, y + 19, 0.95))
    line = f"M{x + 8} {y + 38}h{width - 16}"
    group.append(svg.Path(line, stroke=pen.theme.line, fill="none"))
    if tile.cult == NUM_CULTS:
        seen = [Item("priests")]
    else:
        seen = [Item(icons.CULT_KINDS[tile.cult], tile.steps)]
    gains = icons.of_gain(tile.gain) + ([Item("spades", tile.spades)] if tile.spades else [])
    group.append(icons.row(pen, [*seen, "→", *gains], x + width / 2, y + 51, 0.85))
    return group


def _scoring_points(number: int) -> Items:
    tile = SCORING_TILES[number]
    if tile.spade_vp:
        return [Item("spades"), Item("vp", tile.spade_vp)]
    if tile.town_vp:
        return ["town", Item("vp", tile.town_vp)]
    return points(tile.built, tile.built_vp)
