"""The parts of a player's board that can be clicked or asked about."""

from collections.abc import Iterator

from jaxgames.internal.sentences import count
from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import boards
from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.state import NO_CARD, NO_FACTION
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    FACTIONS,
    SPECIAL_NAMES,
    STOCK,
    Structure,
)
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, FAVOR_NAMES, TOWN_NAMES
from jaxgames.terra_mystica.text import effects, faction_words

LEVEL_HEIGHT = 26  # of the row of levels


def areas(pen: svg.Pen, table: TableView, seat: int) -> Iterator[svg.Area]:
    """Yields the parts of a board; those that its player can use are named `own:` in his turn."""
    owner = "own" if seat == table.decider else f"seat{seat}"
    yield from _card(table, seat, owner)
    yield _bowls(table, seat)
    if table.factions[seat] != NO_FACTION:
        yield _head(table, seat)
        yield from _levels(table, seat, owner)
        yield from _stock(table, seat)
        yield from _tiles(pen, table, seat, owner)


def _head(table: TableView, seat: int) -> svg.Area:
    shape = svg.Rectangle(0, 0, boards.WIDTH, boards.HEAD, rx=10)
    label = f"{table.name(seat)}, {count(int(table.game.players.vp[seat]), 'point')}"
    effect = faction_words.describe(table.factions[seat])
    return svg.Area(f"seat{seat}:faction", label, shape, effect=effect)


def _bowls(table: TableView, seat: int) -> svg.Area:
    width, height = boards.BOWL_SIZE
    shape = svg.Rectangle(boards.BOWLS_X, boards.BOWL_Y, 2 * boards.BOWL_STEP + width, height, rx=6)
    tokens = table.game.players.bowls[seat].tolist()
    label = f"power of {table.name(seat)}: {tokens[0]}, {tokens[1]} and {tokens[2]} in the bowls"
    return svg.Area(f"seat{seat}:power", label, shape, effect=effects.POWER)


def _levels(table: TableView, seat: int, owner: str) -> Iterator[svg.Area]:
    number = table.factions[seat]
    faction, y = FACTIONS[number], boards.LINES[1] - LEVEL_HEIGHT / 2
    ship, dig = int(table.game.players.ship[seat]), int(table.game.players.dig[seat])
    if faction.max_ship:
        shape = svg.Rectangle(8, y, 26 + 11 * (faction.max_ship + 1), LEVEL_HEIGHT, rx=6)
        effect = faction_words.shipping(number, ship)
        yield svg.Area(f"{owner}:ship", "shipping", shape, effect=effect)
    if faction.dig_upgrades:
        width = 24 + 11 * (faction.dig_upgrades + 1)
        shape = svg.Rectangle(boards.spades_x(faction) - 13, y, width, LEVEL_HEIGHT, rx=6)
        effect = faction_words.digging(number, dig)
        yield svg.Area(f"{owner}:dig", "digging", shape, effect=effect)


def _stock(table: TableView, seat: int) -> Iterator[svg.Area]:
    number, y = table.factions[seat], boards.STOCK_Y - 14
    for kind, x, left in zip(Structure, boards.stock_places(), table.stock(seat), strict=False):
        width = boards.STOCK_WIDTHS[kind] * int(STOCK[kind])
        label = f"{faction_words.stock_name(kind, left)} of {int(STOCK[kind])} left"
        effect = f"{effects.structure(kind)} {faction_words.built(number, kind)}"
        shape = svg.Rectangle(x, y, width, 28, rx=6)
        yield svg.Area(f"seat{seat}:{kind.name.lower()}", label, shape, effect=effect)
    left = BRIDGES_PER_PLAYER - sum(bridge.seat == seat for bridge in table.bridges)
    label = f"{count(left, 'bridge')} of {BRIDGES_PER_PLAYER} left"
    width = boards.BRIDGE_WIDTH * BRIDGES_PER_PLAYER
    shape = svg.Rectangle(boards.stock_places()[-1], y, width, 28, rx=6)
    yield svg.Area(f"seat{seat}:bridges", label, shape, effect=effects.BRIDGE)


def _card(table: TableView, seat: int, owner: str) -> Iterator[svg.Area]:
    card = int(table.game.players.card[seat])
    if card != NO_CARD:
        name = CARD_NAMES[card - 1]
        shape = svg.Rectangle(*boards.CARD_PLACE, *boards.CARD_SIZE, rx=6)
        effect = effects.bonus_card(card - 1)
        yield svg.Area(f"{owner}:{name}", f"held bonus card {name}", shape, effect=effect)


def _tiles(pen: svg.Pen, table: TableView, seat: int, owner: str) -> Iterator[svg.Area]:
    """Yields the action of the stronghold, favor tiles and town tiles."""
    row = boards.tile_row(pen, table, seat)
    scale = boards.row_scale(row)
    for index, tile in enumerate(row):
        place = (round(10 + scale * tile.x, 1), boards.TILES_Y)
        shape = svg.Rectangle(*place, round(scale * tile.width, 1), round(36 * scale, 1), rx=6)
        if tile.name in TOWN_NAMES:
            part, label = f"seat{seat}:town{index}", f"town tile {tile.name}"
            effect = effects.town_tile(TOWN_NAMES.index(tile.name))
        elif tile.name in FAVOR_NAMES:
            part, label = f"{owner}:{tile.name}", f"own {tile.name}"
            effect = effects.favor_tile(FAVOR_NAMES.index(tile.name))
        else:
            part, label = f"{owner}:{tile.name}", "action of the stronghold"
            special = SPECIAL_NAMES[FACTIONS[table.factions[seat]].special]
            effect = faction_words.stronghold_actions()[special]
        yield svg.Area(part, label, shape, effect=effect)
