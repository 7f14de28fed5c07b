"""The common supply: power actions, scoring tiles, bonus cards, favor and town tiles."""

from collections.abc import Iterator

from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import icons, tiles
from jaxgames.terra_mystica.render.icons import Item
from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    FAVOR_NAMES,
    FAVOR_TILES,
    NUM_CARDS,
    NUM_CULTS,
    NUM_FAVORS,
    NUM_POWER_ACTIONS,
    NUM_ROUNDS,
    POWER_ACTIONS,
    SCORING_NAMES,
    TOWN_NAMES,
)
from jaxgames.terra_mystica.text import effects

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


def backdrop(pen: svg.Pen) -> svg.Group:
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


def parts(pen: svg.Pen, table: TableView) -> Iterator[svg.Part]:
    """Yields all tiles and cards of the supply, with marks of their use."""
    yield from _power_actions(pen, table)
    yield from _scoring(pen, table)
    yield from _cards(pen, table)
    yield from _favors(pen, table)
    yield from _towns(pen, table)


def areas(table: TableView) -> Iterator[svg.Area]:
    """Yields power actions, scoring tiles, bonus cards, favor and town tiles."""
    for number in range(NUM_POWER_ACTIONS):
        x, y = _action_place(number)
        size = 2 * ACTION_RADIUS
        shape = svg.Rectangle(x - ACTION_RADIUS, y - ACTION_RADIUS, size, size, rx=14)
        label, effect = f"power action ACT{number + 1}", effects.power_action(number)
        yield svg.Area(f"action:ACT{number + 1}", label, shape, effect=effect)
    for round_, number in enumerate(table.game.supply.scoring.tolist()):
        x = round(SCORING_X + SCORING_STEP * round_, 1)
        shape = svg.Rectangle(x, CAPTION, *tiles.SCORING_SIZE, rx=8)
        label = f"round {round_ + 1}, scoring tile {SCORING_NAMES[number]}"
        effect = effects.scoring_tile(number)
        yield svg.Area(f"round:{round_ + 1}", label, shape, effect=effect)
    for number, (x, y) in _card_places(table).items():
        name = CARD_NAMES[number]
        shape = svg.Rectangle(x, y, *tiles.CARD_SIZE, rx=8)
        effect = effects.bonus_card(number)
        yield svg.Area(f"card:{name}", f"bonus card {name}", shape, effect=effect)
    for number, place in enumerate(_favor_places()):
        name = FAVOR_NAMES[number]
        shape = svg.Rectangle(*place, *tiles.FAVOR_SIZE, rx=5)
        effect = effects.favor_tile(number)
        yield svg.Area(f"favor:{name}", f"favor tile {name}", shape, effect=effect)
    for number in range(len(table.towns_left)):
        name = TOWN_NAMES[number]
        shape = svg.Rectangle(*_town_place(table, number), *tiles.TOWN_SIZE, rx=5)
        effect = effects.town_tile(number)
        yield svg.Area(f"town:{name}", f"town tile {name}", shape, effect=effect)


def _action_place(number: int) -> tuple[float, float]:
    """Returns the middle of a power action."""
    return ACTION_RADIUS + 4 + ACTION_STEP * number, CAPTION + 36


def _card_places(table: TableView) -> dict[int, tuple[float, float]]:
    """Returns the upper left corner of each bonus card in play."""
    in_play = int(table.game.supply.cards)
    numbers = [number for number in range(NUM_CARDS) if in_play >> number & 1]
    return {number: (CARD_STEP * slot, TILES_Y + CAPTION) for slot, number in enumerate(numbers)}


def _favor_places() -> list[tuple[float, float]]:
    """Returns the upper left corner of each kind of favor tile."""
    seen = [0] * NUM_CULTS
    places: list[tuple[float, float]] = []
    for number in range(NUM_FAVORS):
        cult = FAVOR_TILES[number].cult
        x = FAVORS_X + FAVOR_STEP[0] * cult
        places.append((x, TILES_Y + CAPTION + FAVOR_STEP[1] * seen[cult]))
        seen[cult] += 1
    return places


def _town_place(table: TableView, number: int) -> tuple[float, float]:
    """Returns the upper left corner of a kind of town tile."""
    column, row = divmod(number, (len(table.towns_left) + 1) // 2)
    return TOWNS_X + TOWN_STEP[0] * column, TILES_Y + CAPTION + TOWN_STEP[1] * row


def _power_actions(pen: svg.Pen, table: TableView) -> Iterator[svg.Part]:
    taken = int(table.game.supply.power_actions)
    for number, action in enumerate(POWER_ACTIONS):
        is_taken = bool(taken >> number & 1)
        x, y = _action_place(number)
        items = tiles.power_action(number)
        group = tiles.action_space(items, x, y, ACTION_RADIUS, is_taken)
        group.append(icons.row(pen, [Item("power", action.power)], x - 19, y - 19, 0.95))
        yield svg.Part(f"power action {number} {is_taken}", LAYER, group)


def _scoring(pen: svg.Pen, table: TableView) -> Iterator[svg.Part]:
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


def _cards(pen: svg.Pen, table: TableView) -> Iterator[svg.Part]:
    held = {int(card) - 1: seat for seat, card in enumerate(table.game.players.card) if card}
    coins = table.game.supply.card_coins.tolist()
    width, height = tiles.CARD_SIZE
    for slot, (number, (x, y)) in enumerate(_card_places(table).items()):
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


def _favors(pen: svg.Pen, table: TableView) -> Iterator[svg.Part]:
    for number, (x, y) in enumerate(_favor_places()):
        left = table.favors_left[number]
        group = svg.Group()
        tile = tiles.favor(pen, number, x, y)
        tile.args["opacity"] = 1 if left else FADED
        group.append(tile)
        group.append(_count(pen, left, x + tiles.FAVOR_SIZE[0], y + tiles.FAVOR_SIZE[1] - 2))
        yield svg.Part(f"favors left {number} {left}", LAYER, group)


def _towns(pen: svg.Pen, table: TableView) -> Iterator[svg.Part]:
    for number, left in enumerate(table.towns_left):
        x, y = _town_place(table, number)
        group = svg.Group()
        tile = tiles.town(pen, number, x, y)
        tile.args["opacity"] = 1 if left else FADED
        group.append(tile)
        group.append(_count(pen, left, x + tiles.TOWN_SIZE[0], y + tiles.TOWN_SIZE[1] - 2))
        yield svg.Part(f"towns left {number} {left}", LAYER, group)


def _count(pen: svg.Pen, number: int, x: float, y: float) -> svg.Group:
    """Returns the number of tiles on a pile."""
    group = svg.Group(class_="left")
    group.append(svg.Circle(x, y, 6.5, fill=pen.theme.ink))
    group.append(pen.text(number, 9, x, y, pen.theme.background, weight="bold"))
    return group
