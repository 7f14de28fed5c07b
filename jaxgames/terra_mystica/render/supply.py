"""The common supply: power actions, scoring tiles, bonus cards, favor and town tiles."""

from collections.abc import Iterator

from jaxgames import svg
from jaxgames.terra_mystica.render import icons, tiles
from jaxgames.terra_mystica.render.icons import Item
from jaxgames.terra_mystica.render.pen import Pen
from jaxgames.terra_mystica.render.table import Table
from jaxgames.terra_mystica.tables.tiles import (
    FAVOR_TILES,
    NUM_CARDS,
    NUM_CULTS,
    NUM_FAVORS,
    NUM_POWER_ACTIONS,
    NUM_ROUNDS,
    POWER_ACTIONS,
)

WIDTH = 1074
CAPTION = 14
ACTION_RADIUS = 25
ACTION_STEP = 66
SCORING_X = ACTION_STEP * NUM_POWER_ACTIONS + 12
SCORING_STEP = (WIDTH - SCORING_X - tiles.SCORING_SIZE[0]) / (NUM_ROUNDS - 1)
TILES_Y = 98
CARD_STEP = 77
FAVOR_STEP = (68, 41)
TOWN_STEP = (72, 31.5)

TOWNS_X = WIDTH - 2 * TOWN_STEP[0] + 6
FAVORS_X = TOWNS_X - NUM_CULTS * FAVOR_STEP[0] - 18
HEIGHT = TILES_Y + CAPTION + 4 * TOWN_STEP[1]
LAYER = 1
FADED = 0.3


def backdrop(pen: Pen) -> svg.Group:
    """Returns the captions."""
    group = svg.Group(class_="supply")
    for text, x, y in (
        ("Power actions", 0, 0),
        ("Rounds: points, and the cult bonus at their ends", SCORING_X, 0),
        ("Bonus cards", 0, TILES_Y),
        ("Favor tiles", FAVORS_X, TILES_Y),
        ("Town tiles", TOWNS_X, TILES_Y),
    ):
        group.append(pen.heading(text, x, y + 4))
    return group


def parts(pen: Pen, table: Table) -> Iterator[svg.Part]:
    """Yields all tiles and cards of the supply, with marks of their use."""
    yield from _power_actions(pen, table)
    yield from _scoring(pen, table)
    yield from _cards(pen, table)
    yield from _favors(pen, table)
    yield from _towns(pen, table)


def _power_actions(pen: Pen, table: Table) -> Iterator[svg.Part]:
    taken = int(table.game.supply.power_actions)
    for number, action in enumerate(POWER_ACTIONS):
        is_taken = bool(taken >> number & 1)
        x, y = ACTION_RADIUS + 4 + ACTION_STEP * number, CAPTION + 36
        items = tiles.power_action(number)
        group = tiles.action_space(items, x, y, ACTION_RADIUS, is_taken)
        group.append(icons.row(pen, [Item("power", action.power)], x - 19, y - 19, 0.95))
        yield svg.Part(f"power action {number} {is_taken}", LAYER, group)


def _scoring(pen: Pen, table: Table) -> Iterator[svg.Part]:
    now = int(table.game.round)
    for round_, number in enumerate(table.game.supply.scoring.tolist()):
        when = "now" if round_ == now else "past" if round_ < now else "next"
        colour = pen.theme.accent if when == "now" else pen.theme.muted
        x = round(SCORING_X + SCORING_STEP * round_, 1)
        group = svg.Group(class_=f"round {when}")
        if when == "now":
            width, height = tiles.SCORING_SIZE
            glow = {"fill": pen.theme.accent, "stroke": "none"}
            group.append(pen.box(x - 4, CAPTION - 4, width + 8, height + 8, 11, **glow))
        tile = tiles.scoring(pen, number, round_, x, CAPTION, colour)
        tile.args["opacity"] = 0.45 if when == "past" else 1
        group.append(tile)
        yield svg.Part(f"scoring {round_} {number} {when}", LAYER, group)


def _cards(pen: Pen, table: Table) -> Iterator[svg.Part]:
    in_play = int(table.game.supply.cards)
    held = {int(card) - 1: seat for seat, card in enumerate(table.game.players.card) if card}
    coins = table.game.supply.card_coins.tolist()
    numbers = [number for number in range(NUM_CARDS) if in_play >> number & 1]
    width, height = tiles.CARD_SIZE
    for slot, number in enumerate(numbers):
        x, y = CARD_STEP * slot, TILES_Y + CAPTION
        holder = held.get(number)
        group = tiles.card(pen, number, x, y)
        name = f"card {number} {slot}"
        if holder is not None:
            shades = table.shades(holder)
            tab = {"fill": shades.piece}
            group.append(pen.box(x, y + height + 4, width, 19, 6, **tab))
            label = table.name(holder)
            size = min(10.5, 1.55 * width / len(label))
            group.append(pen.text(label, size, x + width / 2, y + height + 13.5, shades.ink))
            name += f" {label}"
        elif coins[number]:
            place = (x + width / 2, y + height + 14)
            group.append(icons.row(pen, [Item("coins", coins[number])], *place))
            name += f" {coins[number]} coins"
        yield svg.Part(name, LAYER, group)


def _favors(pen: Pen, table: Table) -> Iterator[svg.Part]:
    seen = [0] * NUM_CULTS
    for number in range(NUM_FAVORS):
        cult = FAVOR_TILES[number].cult
        x = FAVORS_X + FAVOR_STEP[0] * cult
        y = TILES_Y + CAPTION + FAVOR_STEP[1] * seen[cult]
        seen[cult] += 1
        left = table.favors_left[number]
        group = svg.Group()
        tile = tiles.favor(pen, number, x, y)
        tile.args["opacity"] = 1 if left else FADED
        group.append(tile)
        group.append(_count(pen, left, x + tiles.FAVOR_SIZE[0], y + tiles.FAVOR_SIZE[1] - 2))
        yield svg.Part(f"favors left {number} {left}", LAYER, group)


def _towns(pen: Pen, table: Table) -> Iterator[svg.Part]:
    rows = (len(table.towns_left) + 1) // 2
    for number, left in enumerate(table.towns_left):
        column, row = divmod(number, rows)
        x = TOWNS_X + TOWN_STEP[0] * column
        y = TILES_Y + CAPTION + TOWN_STEP[1] * row
        group = svg.Group()
        tile = tiles.town(pen, number, x, y)
        tile.args["opacity"] = 1 if left else FADED
        group.append(tile)
        group.append(_count(pen, left, x + tiles.TOWN_SIZE[0], y + tiles.TOWN_SIZE[1] - 2))
        yield svg.Part(f"towns left {number} {left}", LAYER, group)


def _count(pen: Pen, number: int, x: float, y: float) -> svg.Group:
    """Returns the number of tiles on a pile."""
    group = svg.Group(class_="left")
    group.append(svg.Circle(x, y, 6.5, fill=pen.theme.ink))
    group.append(pen.text(number, 9, x, y, pen.theme.background, weight="bold"))
    return group
