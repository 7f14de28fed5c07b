"""Examples of the rules in fog, with three tribes: what is revealed, met, learnt, and hidden."""

import numpy as np
import pytest

from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import Monument, MonumentState
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Result
from jaxgames.tribes.tables.units import Status, UnitKind
from tests.jaxgames.tribes.examples import (
    THREE_IN_FOG,
    Game,
    fresh,
    in_city,
    in_tribe,
    knowing,
    on_network,
    place,
)
from tests.jaxgames.tribes.positions import at, begun, change, city, mask, tiles, unit

K = UnitKind
SIDE = 14


def fog(known: str = "", tribe_ids=(0, 1, 3)) -> TribesState:
    """Returns capitals on c3, l3 and g12 of a plain, each with what it sees at the start."""
    state = change(begun("c3 l3 g12", tribe_ids, fog=True, side=SIDE), "tribes", stars=[50] * 3)
    return knowing(fresh(state.replace(tick=np.int16(3)), "c3"), 0, known)


def game(state: TribesState) -> Game:
    return Game(state, THREE_IN_FOG)


def sight(found: Game, seat: int = 0) -> np.ndarray:
    return mask(found.state.tribes.visible[seat])


def square(state: TribesState, seat: int, names: str) -> TribesState:
    """Returns a state in which a seat has seen some more tiles."""
    side = len(state.tiles.network)
    seen = mask(state.tribes.visible[seat])
    seen[tiles(names, side)] = True
    rows = (seen.reshape(side, side) << np.arange(side)).sum(axis=1)
    return in_tribe(state, seat, visible=rows)


def test_the_start_in_fog():
    state = begun("c3 l3 g12", (0, 1, 3), fog=True, side=SIDE)
    assert state.tribes.score.tolist() == [515, 515, 520]
    assert [mask(rows).sum() for rows in state.tribes.visible] == [25, 25, 25]
    assert state.tribes.met.tolist() == [1, 2, 4]  # itself


def test_units_reveal_tiles_and_earn_points():
    before = game(fog())
    after = before.play("c3 move d4")
    assert sight(after).sum() == 25 and after.score == before.score
    further = game(fresh(after.state, "d4")).play("d4 move e5")
    assert sight(further).sum() == 25 + 5 and further.score[0] - before.score[0] == 25
    peak = at(fog(), "tiles", "d4", terrain=Terrain.MOUNTAIN)
    assert sight(game(peak).play("c3 move d4")).sum() == 25 + 9


def test_tiles_in_fog_are_neither_entered_nor_paved_nor_shot_at():
    state = unit(fog("roads riding"), "e5", K.KNIGHT, 0, home=0)
    state = unit(unit(state, "f5", K.ARCHER, 1), "d5", K.WARRIOR, 1)
    found = game(state)
    assert found.can("e5 attack") == {"d5"}
    assert not {name for name in found.can("e5 move") if name[0] > "e" or name[1:] > "5"}
    paved = {text.split()[0] for text in found.legal if text.endswith("build_road")}
    assert {"e1", "a5"} <= paved and not paved & {"f1", "a6", "e5 "}


def test_unseen_enemies_stop_units_that_come_near():
    state = at(unit(fog(), "a5", K.RIDER, 0), "tiles", "a4 b4", terrain=Terrain.MOUNTAIN)
    assert game(state).can("a5 move") == {"a4", "b4", "b5", "c4", "c5"}
    hidden = unit(state, "b6", K.WARRIOR, 1)
    assert game(hidden).can("a5 move") == {"a4", "b4", "b5"}


def test_a_tribe_that_is_met_may_teach_a_technology():
    state = knowing(fog(), 1, "farming")  # with organization, which it knows from the start
    state = fresh(unit(state, "f5", K.WARRIOR, 1), "c3", Status.FINISHED)
    state = unit(state, "d4", K.WARRIOR, 0)
    found = game(state)
    learnt = found.play("d4 move e5", (2, 0))
    assert learnt.knows(0, "organization") and not learnt.knows(0, "farming")
    assert int(learnt.state.tribes.met[0]) == 1 + 2
    assert learnt.score[0] - found.score[0] == 5 * 5  # none for the technology
    missed = found.play("d4 move e5", (2, 1))  # farming, whose parent is not known
    assert not missed.knows(0, "organization") and not missed.knows(0, "farming")
    assert int(missed.state.tribes.met[0]) == 1 + 2
    again = unit(missed.state, "d3", K.WARRIOR, 0)
    again = game(again).play("d3 move e4", (2, 0))
    assert not again.knows(0, "organization")  # a tribe is met once


def test_both_tribes_are_met_in_the_order_of_the_tiles():
    state = unit(unit(fog(), "f5", K.WARRIOR, 1), "f4", K.WARRIOR, 2)
    state = unit(knowing(state, 2, "roads"), "d4", K.WARRIOR, 0)
    # First f4: riding, roads; riding is learnt. Then f5: organization.
    after = game(state).play("d4 move e5", (2, 0), (1, 0))
    assert after.knows(0, "riding") and after.knows(0, "organization")
    assert int(after.state.tribes.met[0]) == 7


def test_all_tiles_revealed_make_the_eye_available():
    state = in_tribe(fog("navigation"), 0, visible=np.full(SIDE, (1 << SIDE) - 1))
    state = in_tribe(
        state,
        0,
        visible=[*[(1 << SIDE) - 1] * 4, (1 << SIDE) - 1 - (1 << 5)] + [(1 << SIDE) - 1] * 9,
    )
    state = unit(state, "d4", K.WARRIOR, 0)
    assert game(state).play("c3 move b3").state.tribes.monuments[0, Monument.EYE] == 0
    after = game(state).play("d4 move e4")
    assert after.state.tribes.monuments[0, Monument.EYE] == MonumentState.AVAILABLE
    assert "b2 build eye_of_god" in after.legal


def test_an_explorer_walks_and_reveals():
    state = in_city(fog(), "c3", population=2)
    found = game(state)
    # Fourteen steps to the east, one to the south-west, of eight neighbours in reading order.
    steps = [(8, 4)] * 11 + [(5, 3)] * 4  # at the edge: north, west, ... of five
    after = found.play("level_up explorer", *steps)
    seen = sight(after).reshape(SIDE, SIDE)
    assert seen[1:4].all() and seen.sum() > 25 + 9 * 3
    points = 5 * (sight(after) & ~sight(found)).sum() + 40
    assert after.score[0] - found.score[0] == points


def test_an_explorer_that_cannot_go_stays():
    state = at(in_city(fog(), "c3", population=2), "tiles", "b2 c2 d2 b3 d3 b4 c4 d4", terrain=2)
    found = game(state)
    after = found.play("level_up explorer")
    assert sight(after).sum() == 25 and after.score[0] - found.score[0] == 40


def test_a_finder_pushed_over_water_looks_around():
    state = at(unit(fog("sailing"), "e5", K.SHIP, 0, cargo=K.WARRIOR), "tiles", "e5 f5", terrain=1)
    state = at(square(state, 0, "d6 e6 f4 f5 f6"), "tiles", "e5", resource=Resource.RUINS)
    found = game(state)
    after = found.play("e5 examine", (5, 0))
    assert (after.unit("e5").kind, after.unit("f5").kind) == (K.BATTLESHIP, K.SHIP)
    assert sight(after)[tiles("g4 g5 g6", SIDE)].all()
    assert after.score[0] - found.score[0] == 15


def test_a_revealed_road_may_connect_a_city():
    state = city(fog(), "f6", 0, "f6", joined=2)
    state = on_network(unit(state, "d4", K.WARRIOR, 0), "d4 e5 f6")
    state = in_tribe(state, 0, connected=0)
    after = game(state).play("d4 move e5")
    assert after.state.tribes.connected[0] == 0  # all its tiles were known but one without a road
    shown = on_network(state, "f5")
    after = game(shown).play("d4 move e5")
    assert after.state.tribes.connected[0] == 1 << place(state, "f6")
    assert (after.city("c3").population, after.city("f6").population) == (1, 1)


def test_one_of_three_tribes_is_eliminated():
    state = in_city(fog(), "l3", tribe=2)
    state = in_city(city(state, "f6", 1, "f6", worth=40, joined=2), "c3", level=2)
    state = unit(unit(state, "f6", K.WARRIOR, 0), "b9", K.RIDER, 1)
    found = game(state)
    after = found.play("f6 capture")
    assert after.state.tribes.result.tolist() == [Result.PLAYING, Result.LOSS, Result.PLAYING]
    assert (after.state.units.tribe == 1).sum() == 0 and not after.state.over
    assert found.score[1] - after.score[1] == 40
    assert after.play("end_turn").state.active == 2


@pytest.mark.parametrize(("others", "wins"), [((0, 2), True), ((1, 2), False)])
def test_the_third_capital_wins(others, wins):
    state = in_city(fog(), "l3", tribe=others[0])
    state = at(state, "units", "g12", kind=-1, tribe=-1)
    state = unit(state, "g12", K.WARRIOR, 0, status=0)
    state = change(state, "tribes", score=[1, 900, 500])
    after = game(city(state, "k8", 2, "k8", joined=2)).play("g12 capture")
    assert bool(after.state.over) == wins
    if wins:
        assert after.state.ranking.tolist() == [0, 1, 2]
        assert np.asarray(THREE_IN_FOG.returns(after.state)).tolist() == [1, 0, -1]
