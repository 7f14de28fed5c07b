"""The boards of the players: resources, power, levels, structures and tiles."""

from collections.abc import Iterator
from typing import NamedTuple

from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import icons, palette, tiles
from jaxgames.terra_mystica.render.icons import Item, Items
from jaxgames.terra_mystica.render.pen import discs
from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.state import NO_CARD, NO_FACTION, Used
from jaxgames.terra_mystica.tables.costs import WORKERS_PER_SPADE
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    FACTIONS,
    PRIESTS_PER_PLAYER,
    STOCK,
    Faction,
    Special,
    Structure,
)
from jaxgames.terra_mystica.tables.tiles import (
    BONUS_CARDS,
    CARD_NAMES,
    CULT_CARD,
    CULT_FAVOR,
    FAVOR_NAMES,
    SPADE_CARD,
    TOWN_NAMES,
)

WIDTH, HEIGHT = 531, 190
HEAD = 30
LINES = (51, 81)  # of resources and levels
BOWLS_X, BOWL_STEP, BOWL_Y, BOWL_SIZE = 285, 82, 38, (76, 54)
TOKEN, TOKEN_STEP, TOKENS_IN_ROW = 4.3, 10.4, 4  # radius, pixels from one to the next
STOCK_Y = 121
TILES_Y = 145
TILE_GAP = 5
LEVELS_X = 22.0
CARD_PLACE, CARD_SIZE = (203, 64), (78, 36)
STOCK_WIDTHS = (19, 26, 23, 28, 34)  # pixels for a structure of each kind
BRIDGE_WIDTH = 22
BODY, LAYER = 1, 2
LEVELS = ("I", "II", "III")
PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def parts(pen: svg.Pen, table: TableView, seat: int) -> Iterator[svg.Part]:
    """Yields the board of a player; (0, 0) is its upper left corner."""
    yield _head(pen, table, seat)
    yield from _resources(pen, table, seat)
    yield _bowls(pen, table, seat)
    yield _levels(pen, table, seat)
    yield from _stock(pen, table, seat)
    yield _card(pen, table, seat)
    yield _tiles(pen, table, seat)


def _head(pen: svg.Pen, table: TableView, seat: int) -> svg.Part:
    decides = seat == table.decider
    players, shades = table.game.players, table.shades(seat)
    name, points = table.name(seat), int(players.vp[seat])
    place = table.game.order.tolist().index(seat)
    notes = [f"{PLACES[place]} in turn"]
    notes += ["passed"] if players.passed[seat] else []
    notes += ["begins next round"] if int(table.game.next_start) == seat else []
    if decides:
        notes = ["to decide", *notes]
    group = pen.panel(f"player seat-{seat}", WIDTH, HEIGHT, HEAD, shades.piece, decides)
    ink = shades.ink
    group.append(pen.text(name, 17, 14, 16, ink, anchor="start", weight="bold"))
    group.append(pen.text(" · ".join(notes), 12, WIDTH / 2 + 30, 16, ink))
    group.append(pen.text(f"{points} VP", 17, WIDTH - 14, 16, ink, anchor="end", weight="bold"))
    if players.passed[seat]:
        veil = {"fill": pen.theme.muted, "fill_opacity": 0.16, "stroke": "none"}
        group.append(pen.box(2, HEAD, WIDTH - 4, HEIGHT - HEAD - 2, 10, **veil))
    return svg.Part(f"head {seat} {name} {notes} {points}", BODY, group)


def _resources(pen: svg.Pen, table: TableView, seat: int) -> Iterator[svg.Part]:
    players = table.game.players
    on_boards = int((table.game.supply.spots == seat + 1).sum())
    limit = PRIESTS_PER_PLAYER - on_boards
    y = LINES[0]
    for kind, numbers, x in (
        ("coins", players.coins, 22),
        ("workers", players.workers, 84),
        ("priests", players.priests, 146),
        ("keys", players.keys, 230),
    ):
        number = int(numbers[seat])
        group = svg.Group(class_=f"resources-{seat} {kind}")
        name = f"{kind} {seat} {number}"
        if kind == "priests":
            piece = table.shades(seat).piece
            group.append(icons.priest(piece, x, y))
            note = pen.text(f"of {limit}", 11, x + 26, y + 1, pen.theme.muted, anchor="start")
            group.append(note)
            name += f" {limit} {piece}"
        else:
            group.append(icons.icon(kind, x, y))
        group.append(pen.text(number, 15, x + 15, y, anchor="start", weight="bold"))
        if kind != "keys" or number:
            yield svg.Part(name, LAYER, group)


def _bowls(pen: svg.Pen, table: TableView, seat: int) -> svg.Part:
    tokens = table.game.players.bowls[seat].tolist()
    group = svg.Group(class_="bowls")
    width, height = BOWL_SIZE
    for bowl, number in enumerate(tokens):
        x, y = BOWLS_X + BOWL_STEP * bowl, BOWL_Y
        # A bowl as seen from the side: a flat rim and a round belly.
        shape = f"M{x} {y}H{x + width}Q{x + width} {y + height} {x + width / 2} {y + height}"
        edge = {"stroke": palette.POWER, "stroke_width": 1.5}
        group.append(svg.Path(f"{shape}Q{x} {y + height} {x} {y}Z", fill=palette.BOWL, **edge))
        group.append(pen.text(LEVELS[bowl], 8.5, x + 4, y + 6, palette.POWER, anchor="start"))
        places = []
        for token in range(number):
            row, slot = divmod(token, TOKENS_IN_ROW)
            in_row = min(number - TOKENS_IN_ROW * row, TOKENS_IN_ROW)
            start = x + width / 2 - (in_row - 1) * TOKEN_STEP / 2
            places.append((start + slot * TOKEN_STEP, y + 10 + row * TOKEN_STEP))
        group.append(svg.Path(discs(places, TOKEN), fill=palette.POWER, class_="tokens"))
        label = pen.text(number, 13, x + width / 2, y + height - 7, palette.POWER, weight="bold")
        group.append(label)
    return svg.Part(f"bowls {seat} {tokens}", LAYER, group)


def _levels(pen: svg.Pen, table: TableView, seat: int) -> svg.Part:
    players = table.game.players
    levels = [int(n[seat]) for n in (players.ship, players.dig, players.range)]
    ship, dig, reach = levels
    group, y = svg.Group(class_="levels"), LINES[1]
    if table.factions[seat] != NO_FACTION:
        faction = FACTIONS[table.factions[seat]]
        x = LEVELS_X
        if faction.max_ship:
            group.append(icons.icon("ship", x, y))
            group.append(_pips(pen, x + 17, y, ship, faction.max_ship))
            x += 30 + 11 * (faction.max_ship + 1)
        if faction.range:
            group.append(pen.text("carpet" if faction.tunnel[1] else "tunnel", 11, x + 8, y))
            group.append(_pips(pen, x + 33, y, reach - 1, faction.max_range - 1))
        x = spades_x(faction)
        group.append(icons.icon("spades", x, y))
        if faction.dig_upgrades:
            group.append(_pips(pen, x + 14, y, dig, faction.dig_upgrades))
            x += 20 + 11 * (faction.dig_upgrades + 1)
        else:
            x += 22
        group.append(icons.row(pen, _spade_price(faction, dig), x + 12, y, 0.9))
    return svg.Part(f"levels {seat} {table.factions[seat]} {levels}", LAYER, group)


def spades_x(faction: Faction) -> float:
    """Returns the middle of the spades in the row of levels."""
    x = LEVELS_X
    x += 30 + 11 * (faction.max_ship + 1) if faction.max_ship else 0
    return x + (52 + 11 * faction.max_range if faction.range else 0)


def _spade_price(faction: Faction, dig: int) -> Items:
    if faction.pays_spades_with_priests:
        return ["=", Item("priests")]
    return ["=", Item("workers", int(WORKERS_PER_SPADE[dig]))]


def _pips(pen: svg.Pen, x: float, y: float, level: int, top: int) -> svg.Group:
    """Returns a small track: a dot for each level, filled if the level is reached."""
    group = svg.Group(class_="track")
    for step in range(top + 1):
        colour = pen.theme.ink if step <= level else "none"
        look = {"fill": colour, "stroke": pen.theme.muted, "stroke_width": 1.2}
        group.append(svg.Circle(x + 11 * step, y, 3.8, **look))
    return group


def stock_places() -> list[float]:
    """Returns the left edge of each kind of structure in stock, and of the bridges."""
    widths = [STOCK_WIDTHS[kind] * int(STOCK[kind]) + 10 for kind in Structure]
    return [8.0, *(8.0 + sum(widths[: kind + 1]) for kind in Structure)]


def _stock(pen: svg.Pen, table: TableView, seat: int) -> Iterator[svg.Part]:
    """Yields the structures and bridges in stock, with empty places for those that are built."""
    shades, places = table.shades(seat), stock_places()
    for kind, x, left in zip(Structure, places, table.stock(seat), strict=False):
        group = svg.Group(class_=f"stock-{seat}")
        for slot in range(int(STOCK[kind])):
            is_built = slot < int(STOCK[kind]) - left
            colour = pen.theme.ink if is_built else shades.piece
            middle = x + STOCK_WIDTHS[kind] * (slot + 0.5)
            group.append(icons.structure(kind, colour, middle, STOCK_Y, 0.78, is_built))
        yield svg.Part(f"stock {seat} {kind} {left} {shades.piece}", LAYER, group)
    built = sum(bridge.seat == seat for bridge in table.bridges)
    group = svg.Group(class_=f"stock-{seat}")
    for slot in range(BRIDGES_PER_PLAYER):
        middle = places[-1] + BRIDGE_WIDTH * (slot + 0.5)
        is_built = slot < built
        colour = pen.theme.ink if is_built else shades.piece
        group.append(icons.bridge(colour, middle, STOCK_Y + 3, is_built))
    yield svg.Part(f"bridges {seat} {built} {shades.piece}", LAYER, group)


class BoardTile(NamedTuple):
    """A tile in the lowest row of a board."""

    name: str
    x: float
    width: float
    drawing: svg.Group


def _tiles(pen: svg.Pen, table: TableView, seat: int) -> svg.Part:
    """Returns the stronghold's action, favor and town tiles in one row."""
    row = tile_row(pen, table, seat)
    place = f"{svg.translate(10, TILES_Y)} scale({row_scale(row):.3g})"
    group = svg.Group(class_="tiles", transform=place)
    for tile in row:
        group.append(svg.Group([tile.drawing], transform=svg.translate(tile.x, 0)))
    used = int(table.game.players.used[seat])
    names = [tile.name for tile in row]
    return svg.Part(f"tiles {seat} {used} {names} {_special(table, seat)}", LAYER, group)


def _special(table: TableView, seat: int) -> Special:
    """Returns the special action that the stronghold of a player gives."""
    if table.factions[seat] != NO_FACTION and table.built(seat)[Structure.STRONGHOLD]:
        return FACTIONS[table.factions[seat]].special
    return Special.NONE


def tile_row(pen: svg.Pen, table: TableView, seat: int) -> list[BoardTile]:
    """Returns the lowest row of a board: the stronghold's action, favor and town tiles."""
    used = Used(int(table.game.players.used[seat]))
    special = _special(table, seat)
    placed: list[tuple[str, float, svg.Group]] = []
    if special != Special.NONE:
        items, is_used = tiles.SPECIAL_ITEMS[special], bool(used & Used.STRONGHOLD)
        placed.append(("special", 36, tiles.action_space(items, 18, 18, 18, is_used)))
    for favor in table.favors(seat):
        is_used = favor == CULT_FAVOR and bool(used & Used.FAVOR)
        drawing = tiles.favor(pen, favor, 0, 2, is_used)
        placed.append((FAVOR_NAMES[favor], tiles.FAVOR_SIZE[0], drawing))
    for town in table.towns(seat):
        placed.append((TOWN_NAMES[town], tiles.TOWN_SIZE[0], tiles.town(pen, town, 0, 5)))
    row, x = [], 0.0
    for name, width, drawing in placed:
        row.append(BoardTile(name, x, width, drawing))
        x += width + TILE_GAP
    return row


def row_scale(row: list[BoardTile]) -> float:
    """Returns the scale at which a row fits on the board; 1 if it is not too wide."""
    width = row[-1].x + row[-1].width + TILE_GAP if row else 1
    return min(1, (WIDTH - 20) / width)


def _card(pen: svg.Pen, table: TableView, seat: int) -> svg.Part:
    card = int(table.game.players.card[seat])
    is_used = bool(Used(int(table.game.players.used[seat])) & Used.CARD)
    group = svg.Group()
    if card != NO_CARD:
        held = _small_card(pen, card - 1, is_used)
        group.append(svg.Group([held], transform=svg.translate(*CARD_PLACE)))
    return svg.Part(f"held card {seat} {card} {is_used}", LAYER, group)


def _small_card(pen: svg.Pen, number: int, is_used: bool) -> svg.Group:
    """Returns a bonus card so small that it fits into a row of tiles."""
    group = svg.Group(class_=f"held {CARD_NAMES[number]}")
    is_action = number in (SPADE_CARD, CULT_CARD)
    group.append(pen.box(0, 0, *CARD_SIZE, 6, stroke=pen.theme.muted))
    group.append(pen.text(CARD_NAMES[number], 9, 20 if is_action else 39, 8, pen.theme.muted))
    income = icons.of_gain(BONUS_CARDS[number].income)
    if is_action:
        group.append(icons.row(pen, income, 20, 23, 0.85))
        items: Items = [Item("spades" if number == SPADE_CARD else "cult")]
        group.append(tiles.action_space(items, 58, 18, 15, is_used))
    else:
        items = tiles.card_pass(number)
        scale = min(0.85, 70 / icons.row_width([*income, *items]))
        group.append(icons.row(pen, [*income, *items], 39, 23, scale))
    return group
