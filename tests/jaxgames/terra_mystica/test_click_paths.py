"""Clicks on pictures of Terra Mystica."""

import numpy as np

from jaxgames.terra_mystica import render
from jaxgames.terra_mystica.engine.actions import NUM_ACTIONS, Kind, decode
from jaxgames.terra_mystica.render import clicks
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.tables.terrain import LAND_NAMES
from jaxgames.terra_mystica.text.commands import ACTIONS
from papers.alphatm.game import outputs
from papers.alphatm.game import render as alphatm_render
from tests.jaxgames.click_areas import areas
from tests.jaxgames.terra_mystica.drawn import change, start

FACTIONS = ("witches", "nomads")
IN_WORDS = {
    Kind.BUY_BRIDGE,
    Kind.TAKE_POWER,
    Kind.DECLINE_POWER,
    Kind.CONVERT,
    Kind.END,
    Kind.FACTION,
    Kind.DIG,
}


def paths(command: str) -> list[tuple[str, ...]]:
    return [path.parts for path in clicks.paths_of(ACTIONS[command])]


def test_actions_are_clicked_on_what_they_are_about():
    assert paths("transform C1 to B") == paths("build C1") == [("hex:C1",)]
    assert paths("upgrade D3 to TP") == [("hex:D3",)]
    assert paths("bridge A3:C1") == [("hex:A3", "hex:C1"), ("hex:C1", "hex:A3")]
    assert paths("connect r10") == [("river:r10",)]
    assert paths("send FIRE 3") == paths("+1 FIRE") == [("cult:FIRE",)]
    assert paths("action ACT5") == [("action:ACT5",)]
    assert paths("action BON1") == [("own:BON1",)] and paths("+1 TW3") == [("town:TW3",)]
    assert paths("pass BON3") == [("card:BON3",)] and paths("pass") == [()]
    assert paths("leech") == paths("convert 3pw to 1w") == paths("end") == [()]


def test_a_click_offers_a_pass_and_does_not_play_it():
    asking = {decode(action)[0] for action in range(NUM_ACTIONS) if asks(action)}
    assert asking == {Kind.PASS}


def asks(action: int) -> bool:
    return any(path.asks for path in clicks.paths_of(action))


def test_every_part_of_every_action_is_in_the_picture_once_its_player_has_it():
    game = start(FACTIONS, {"DWELLING 0": "A3", "STRONGHOLD 1": "E2"})
    game = change(game, "players", card=[1, 2], favors=[1 << 5, 1 << 5])
    game = change(game, "supply", cards=(1 << 10) - 1)
    rules = TerraMystica(factions=",".join(FACTIONS), mini_towns=True, bon10=True)
    found: set[str] = set()
    for seat in (0, 1):
        parts = areas(render.render(rules, game.replace(seat=np.asarray(seat, game.seat.dtype))))
        assert parts["hex:A3"] == "A3, green, dwelling"
        assert parts["cult:WATER"].startswith("Water cult: Witches 0, Nomads 0")
        found |= parts.keys()
    for action in range(NUM_ACTIONS):
        kind, _ = decode(action)
        for path in clicks.paths_of(action):
            assert set(path.parts) <= found, path
            assert bool(path.parts) or kind in IN_WORDS or kind == Kind.PASS


def test_outputs_of_alphatm_have_the_clicks_of_the_actions_that_they_begin_with():
    game = change(start(FACTIONS), "players", card=[1, 2])
    by_hex = outputs.hex_output(LAND_NAMES.index("E7"), outputs.BUILD_PLANE)
    for output, parts in (
        (by_hex, ("hex:E7",)),
        (outputs.SEND, ("cult:FIRE",)),
        (outputs.POWER + 4, ("action:ACT5",)),
        (outputs.CARD_SPECIAL, ("own:BON1",)),
        (outputs.TOWN + 2, ("town:TW3",)),
        (outputs.PASS, ("card:BON1",)),
    ):
        (path,) = alphatm_render._paths_of(game, output)
        assert (path.action, path.parts) == (output, parts)
