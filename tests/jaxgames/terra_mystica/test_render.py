import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from jaxgames.boards import hexes
from jaxgames.terra_mystica import render
from jaxgames.terra_mystica.render import boards, cults, hexmap, palette, supply
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Phase, Used
from jaxgames.terra_mystica.tables import terrain
from jaxgames.terra_mystica.tables.factions import (
    FACTION_NAMES,
    FACTIONS,
    STOCK,
    Special,
    Structure,
)
from jaxgames.terra_mystica.tables.tiles import (
    BONUS_CARDS,
    FAVOR_TILES,
    NUM_SCORING,
    TOWN_COPIES,
    TOWN_TILES,
)
from tests.jaxgames.terra_mystica.drawn import FIVE, TWO, cells, change, draw, start
from tests.svg_trees import SVG, check_film, having, starts, tree, words


def fills(root: ET.Element) -> list[str]:
    return [shape.get("fill") for shape in root.iter(f"{SVG}path")]


def spot(element: ET.Element) -> tuple[float, float]:
    numbers = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform"))
    return float(numbers[1]), float(numbers[2])


@pytest.mark.parametrize("kind", Structure)
def test_every_structure_stands_on_its_hex_in_the_colour_of_its_owner(kind):
    root = draw(start(TWO, {f"{kind.name} 0": "D4", f"{kind.name} 1": "F3"}))
    name = kind.name.lower().replace("_", "-")
    for colour, hex_name in (("gray", "D4"), ("brown", "F3")):
        (group,) = having(root, "on-map", colour)
        (piece,) = having(group, "structure", name)
        x, y = hexmap.land_middle(terrain.LAND_NAMES.index(hex_name))
        assert spot(piece) == pytest.approx((x, y + hexmap.PIECE_Y), abs=0.1)
        assert palette.SHADES[terrain.Colour[colour.upper()]].piece in fills(piece)
    assert len(having(root, "on-map")) == 2


def test_map_names_all_hexes_and_shows_changed_terrain_on_top():
    state = start(TWO, {"DWELLING 0": "A1"})
    root = draw(state)
    assert set(terrain.LAND_NAMES) | set(terrain.RIVER_NAMES) <= set(words(root))
    assert len(having(root, "hex")) == terrain.NUM_LAND + 1
    top = [hex_.get("class") for hex_ in having(root, "hex") if words(hex_) == ["A1"]]
    assert top == ["hex brown", "hex gray"]


def test_towns_bridges_and_skipped_river_hexes_are_marked():
    state = start(("mermaids", "giants"), {"TEMPLE 0": "D5", "DWELLING 1": "C4"})
    places = [terrain.BRIDGE_NAMES.index(name) + 1 for name in ("A3-C1", "C4-D5", "H6-I9")]
    rivers = hexes.from_cells(terrain.RIVER_CELLS[[10, 16]], terrain.ROWS, terrain.COLUMNS)
    state = change(
        state,
        "board",
        in_town=cells("D5"),
        skipped=rivers,
        bridges=[[places[0], places[1], 0], [places[2], 0, 0]],
    )
    root = draw(state)
    assert [len(having(root, name)) for name in ("town", "skipped", "spare")] == [1, 2, 3]
    assert len(having(root, "bridge")) == 3 + 2 * 3  # on the map, and places in the stocks
    drawn = {middle for bridge in having(root, "bridge") for middle in middles(bridge)}
    for name in ("A3-C1", "C4-D5", "H6-I9"):
        ends = [hexmap.land_middle(terrain.LAND_NAMES.index(end)) for end in name.split("-")]
        x, y = (sum(values) / 2 for values in zip(*ends, strict=True))
        assert any(place == pytest.approx((x, y), abs=0.2) for place in drawn)


def middles(bridge: ET.Element) -> list[tuple[float, float]]:
    """Returns the middles of the straight lines of a drawing."""
    found = [re.fullmatch(r"M(\S+) (\S+)L(\S+) (\S+)", path.get("d")) for path in bridge]
    ends = [list(map(float, match.groups())) for match in found if match]
    return [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in ends]


@pytest.mark.parametrize("name", FACTION_NAMES)
def test_every_faction_has_its_board(name):
    faction = FACTIONS[FACTION_NAMES.index(name)]
    other = "giants" if faction.colour != terrain.Colour.RED else "auren"
    state = start((name, other), {"STRONGHOLD 0": "E6"})
    root = draw(state)
    (head,) = having(root, "seat-0")
    assert words(head)[0].replace(" ", "").lower() == name
    tracks = [len(list(track)) for track in having(root, "track")]
    own = [faction.max_ship + 1] if faction.max_ship else []
    own += [faction.max_range] if faction.range else []
    own += [faction.dig_upgrades + 1] if faction.dig_upgrades else []
    assert tracks[: len(own)] == own
    (tiles, _) = having(root, "tiles")
    assert len(having(tiles, "action")) == (faction.special != Special.NONE)
    (tiles, _) = having(draw(start((name, other))), "tiles")
    assert len(having(tiles, "action")) == 0


@pytest.mark.parametrize("factions", [TWO, FIVE[:3], FIVE[:4], FIVE])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_two_to_five_players_fit(factions, theme):
    root = draw(start(factions), theme=theme)
    width, height = float(root.get("width")), float(root.get("height"))
    assert width == render.WIDTH
    panels = []
    for holder in root.iter(f"{SVG}g"):
        if any("player" in (child.get("class") or "").split() for child in holder):
            panels.append(spot(holder))
    assert len(panels) == len(factions)
    for x, y in panels:
        assert x + boards.WIDTH <= width and y + boards.HEIGHT <= height
    for (x, y), (other_x, other_y) in itertools.combinations(panels, 2):
        assert abs(x - other_x) >= boards.WIDTH or abs(y - other_y) >= boards.HEIGHT


def test_parts_of_the_table_do_not_overlap():
    boxes = [
        (render.MARGIN, render.MAP_Y, hexmap.WIDTH, hexmap.HEIGHT),
        (render.CULTS_X, render.MAP_Y, cults.WIDTH, cults.HEIGHT),
        (render.MARGIN, render.SUPPLY_Y, supply.WIDTH, supply.HEIGHT),
        (render.MARGIN, render.BOARDS_Y, render.COLUMNS * boards.WIDTH, boards.HEIGHT),
    ]
    for one, other in itertools.combinations(boxes, 2):
        apart = [
            one[axis] + one[axis + 2] <= other[axis] or other[axis] + other[axis + 2] <= one[axis]
            for axis in (0, 1)
        ]
        assert any(apart)
    assert all(x + width <= render.WIDTH for x, _, width, _ in boxes)


def test_cards_and_tiles_of_the_supply_do_not_overlap():
    full = change(start(FIVE), "supply", cards=0b11111111)
    root = draw(full, mini_towns=True)
    assert len(having(root, "card")) == 8
    frames = []
    for name in ("card", "favor", "town-tile"):
        for tile in having(root, name):
            box = tile.find(f"{SVG}rect")
            frames.append([float(box.get(key)) for key in ("x", "y", "width", "height")])
    for (x, y, width, height), (x2, y2, width2, height2) in itertools.combinations(frames, 2):
        assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
    assert max(x + width for x, _, width, _ in frames) <= supply.WIDTH


def test_many_tiles_of_a_player_shrink_to_fit():
    state = start(("witches", "giants"), {"STRONGHOLD 0": "A3"})
    for favors, towns, is_whole in ((0b111, [1, 1], True), (0xFFF, [2] * 5, False)):
        held = [towns + [0] * (8 - len(towns)), [0] * 8]
        root = draw(change(state, "players", favors=[favors, 0], towns=held))
        (tiles, _) = having(root, "tiles")
        scale = float(re.search(r"scale\(([\d.]+)\)", tiles.get("transform"))[1])
        right = max(spot(tile)[0] for tile in tiles) + 58
        assert spot(tiles)[0] + scale * right <= boards.WIDTH
        assert (scale == 1) == is_whole


def test_markers_stand_on_their_levels_side_by_side():
    state = change(start(FIVE), "players", cults=np.full((5, 4), 7))
    root = draw(state)
    markers = [marker.find(f"{SVG}circle") for marker in having(root, "marker")]
    places = {(float(m.get("cx")), float(m.get("cy"))) for m in markers}
    assert len(places) == 20 and len({y for _, y in places}) == 1
    xs = sorted(x for x, _ in places)
    assert min(b - a for a, b in itertools.pairwise(xs)) >= 2 * cults.MARKER - 1
    raised = change(state, "players", cults=np.full((5, 4), 8))
    (height,) = {y for _, y in places}
    circles = having(draw(raised), "marker")
    assert all(float(m.find(f"{SVG}circle").get("cy")) < height for m in circles)


def test_priests_stand_on_the_cult_board():
    state = change(start(), "supply", spots=[[1, 2, 0, 0], [0] * 4, [2, 0, 0, 0], [0] * 4])
    root = draw(state)
    gray, brown = (palette.SHADES[terrain.Colour[name]].piece for name in ("GRAY", "BROWN"))
    drawn = [fills(priest)[-1] for priest in having(root, "on-cult-board")]
    assert drawn == [gray, brown, brown]
    assert words(root).count("of 6") == 1 and words(root).count("of 5") == 1


def test_taken_power_actions_are_crossed():
    assert len(having(draw(start()), "used")) == 0
    state = change(start(), "supply", power_actions=0b100101)
    actions = [e.get("class") for e in having(draw(state), "action")][:6]
    assert actions == [f"action{' used' if n in (0, 2, 5) else ''}" for n in range(6)]


@pytest.mark.parametrize("used", [Used.CARD, Used.FAVOR, Used.STRONGHOLD])
def test_used_special_actions_are_crossed(used):
    state = start(("witches", "giants"), {"STRONGHOLD 0": "A3", "STRONGHOLD 1": "A6"})
    held = {"card": [1, 2], "favors": [1 << 5, 1 << 5]}
    root = draw(change(state, "players", used=[used, 0], **held))
    assert len(having(root, "used")) == 1
    (card, other), (tiles, _) = having(root, "held"), having(root, "tiles")
    favor = having(tiles, "favor")[0]
    found = [len(having(group, "used")) for group in (card, favor, tiles, other)]
    assert (
        found
        == {
            Used.CARD: [1, 0, 0, 0],
            Used.FAVOR: [0, 1, 1, 0],
            Used.STRONGHOLD: [0, 0, 1, 0],
        }[used]
    )


def test_scoring_tile_of_the_round_stands_out():
    for round_ in range(7):
        root = draw(start(phase=Phase.OVER if round_ == 6 else Phase.ACTIONS, round=round_))
        found = [group.get("class") for group in having(root, "round")]
        assert found == [
            f"round {'now' if r == round_ else 'past' if r < round_ else 'next'}" for r in range(6)
        ]


@pytest.mark.parametrize("tiles", [range(6), range(NUM_SCORING - 6, NUM_SCORING)])
def test_every_scoring_tile_can_be_drawn(tiles):
    root = draw(change(start(), "supply", scoring=list(tiles)))
    assert [len(having(root, f"SCORE{tile + 1}")) for tile in tiles] == [1] * 6


def test_bonus_cards_show_their_holders_or_coins():
    state = change(start(FIVE), "players", card=[10, 0, 2, 0, 0])
    state = change(state, "supply", cards=0b1011111110, card_coins=[0] * 10)
    root = draw(state)
    names = [f"BON{number}" for number in range(1, len(BONUS_CARDS) + 1)]
    assert [len(having(root, "card", name)) for name in names] == [0, *[1] * 7, 0, 1]
    assert [len(having(root, "held", name)) for name in names] == [0, 1, *[0] * 7, 1]
    (piled,) = having(root, "card", "BON4")
    assert words(piled) == ["BON4", "+", "3", "+"]
    state = change(state, "supply", card_coins=[0, 0, 0, 5, *[0] * 6])
    (piled,) = having(draw(state), "card", "BON4")
    assert words(piled) == ["BON4", "+", "3", "+", "5"]
    # Once as the name of the board, once below the card.
    assert words(root).count("Witches") == 2 and words(root).count("Darklings") == 2


def test_tiles_left_are_counted_and_held_ones_lie_with_their_owner():
    state = change(
        start(),
        "players",
        favors=[0b100000000001, 0b100000000000],
        towns=[[1] * 5 + [0] * 3, [0] * 8],
    )
    root = draw(state)
    favors = [len(having(root, "favor", f"FAV{n + 1}")) for n in range(len(FAVOR_TILES))]
    assert favors == [2, *[1] * 10, 3]
    left = [words(pile)[-1] for pile in having(root, "left")]
    assert left == ["0", "1", "1", "1", *"33333331", *"11111"]
    assert [len(having(root, f"TW{n + 1}")) for n in range(len(TOWN_TILES))] == [2] * 5 + [0] * 3
    mini = draw(state, mini_towns=True)
    assert len(having(mini, "left")) == 12 + len(TOWN_COPIES)


def test_board_shows_resources_power_and_stock():
    state = start(TWO, {"DWELLING 0": "A1 A2", "TEMPLE 0": "A3"})
    state = change(
        state,
        "players",
        coins=[13, 0],
        workers=[11, 0],
        priests=[4, 0],
        keys=[9, 0],
        vp=[123, 20],
        bowls=[[1, 2, 9], [12, 0, 0]],
        passed=[True, False],
    )
    root = draw(state)
    resources = [words(group) for group in having(root, "resources-0")]
    assert resources == [["13"], ["11"], ["of 7", "4"], ["9"]]
    assert len(having(root, "resources-1")) == 3
    for drawn, bowls in zip(having(root, "bowls"), state.players.bowls.tolist(), strict=True):
        tokens = [(path.get("d") or "").count("Z") for path in having(drawn, "tokens")]
        assert tokens == bowls
        assert [text for text in words(drawn) if text.isdigit()] == [str(n) for n in bowls]
    head, other = having(root, "player")
    assert "123 VP" in words(head)
    assert any("passed" in text for text in words(head))
    assert not any("passed" in text for text in words(other))
    stock = having(root, "stock-0")
    for kind, group, built in zip(Structure, stock, (2, 0, 1, 0, 0), strict=False):
        name = kind.name.lower().replace("_", "-")
        assert len(having(group, "place", name)) == built
        assert len(having(group, "structure", name)) == STOCK[kind] - built


def test_who_decides_and_who_begins_the_next_round_stands_on_the_boards():
    state = start(FIVE, seat=2, order=[3, 4, 0, 1, 2], next_start=1)
    notes = [words(head)[1] for head in having(draw(state), "player")]
    assert notes == [
        "3rd in turn",
        "4th in turn · begins next round",
        "to decide · 5th in turn",
        "1st in turn",
        "2nd in turn",
    ]


def test_title_describes_the_position():
    root = draw(start())
    expected = "Round 1 of 6; Engineers 20 VP, Halflings 20 VP; Engineers: take an action"
    assert root.find(f"{SVG}title").text == f"Terra Mystica: {expected}"
    assert root.get("role") == "img"


def test_changed_hexes_are_marked():
    before, after = start(), start(TWO, {"DWELLING 0": "A1 B6"})
    assert len(having(draw(after), "changed")) == 0
    assert len(having(draw(after, before), "changed")) == 2


def test_each_frame_of_an_animation_is_its_position():
    built = start(TWO, {"DWELLING 0": "A2", "TEMPLE 1": "A1"})
    games = [
        start(),
        built,
        change(built, "players", coins=[4, 7], cults=[[0, 3, 0, 0], [1, 0, 0, 0]]),
        change(built, "players", bowls=[[4, 7, 1], [0, 0, 12]], card=[1, 2], ship=[1, 2]),
        change(built, "players", favors=[33, 4], towns=np.eye(8)[:2], dig=[0, 2]),
        change(built, "players", favors=[33, 4], towns=np.eye(8)[:2], used=[Used.FAVOR, 0]),
        change(start(seat=1), "supply", power_actions=5),
    ]
    check_film(render, TerraMystica(), games)


def test_markers_glide_from_their_old_level():
    higher = change(start(), "players", cults=[[0, 4, 0, 0], [0] * 4])
    film = tree(render.animate(TerraMystica(), [start(), higher]))
    heights = sorted(y for _, y in starts(film))
    # The other player's marker moves to the middle of the level that it now has to itself.
    assert heights == pytest.approx([0, 4 * cults.CELL], abs=0.2)
