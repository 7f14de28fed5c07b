"""Games whose searches fail, end late or lose their position."""

import threading
import time

import pytest

from agents.play.director import STAND_IN
from agents.play.engine.limits import Allowance
from agents.play.engine.preparation import Preparation
from agents.play.session import positions, saved_games
from agents.play.session.store import UnknownGame
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import compilation_cache
from jaxgames.records import Move
from tests.agents.play.directing import POSITION, director_against, wait
from tests.gamble import Gamble

AGENT = "first_legal"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return director_against(AGENT, tmp_path_factory.mktemp("games"))


@pytest.fixture
def director(shared, monkeypatch):
    """A director whose agents can be replaced by `director.thinkers_are(get)`."""

    def thinkers_are(get):
        monkeypatch.setattr(shared.searches._thinkers, "get", get)

    monkeypatch.setattr(shared, "thinkers_are", thinkers_are, raising=False)
    return shared


def failing(error):
    def get(spec, state):
        raise error

    return get


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no network"), "first_legal: no network"),
        (OSError("no disk"), "first_legal: no disk"),
        (RuntimeError("out of memory"), "first_legal: the log of the server says what failed"),
    ],
)
def test_an_agent_that_fails_stops_and_says_so(director, error, words):
    director.thinkers_are(failing(error))
    session = director.new_game(position=POSITION)
    director.play(session, 0, None, "ox:b1b2")
    wait(lambda: session.error)
    assert session.error == words
    assert not session.runs and session.move_search is None


def test_a_hint_that_fails_does_not_stop_the_game(director):
    session = director.new_game(["human", "human"], POSITION)
    director.thinkers_are(failing(ValueError("no network")))
    director.analyse(session, 0, AGENT)
    wait(lambda: session.error)
    assert session.runs and session.analysis is None


def test_a_review_ends_when_a_move_of_its_line_is_taken_back(director, monkeypatch):
    session = director.new_game(["human", "human"], POSITION)
    director.play(session, 0, None, "ox:b1b2")
    monkeypatch.setattr(director, "analyst", AGENT)
    held = Held(director)
    director.review(session)
    search = session.analysis
    assert held.asked.wait(60)
    monkeypatch.setattr(session.tree, "is_half", lambda number: number == 1)
    director.back(session)
    assert 1 not in session.tree.nodes
    held.ready.set()
    wait(lambda: session.analysis is not search)
    assert session.error is None and session.tree.nodes[0].reviewed is None


class Held:
    """Agents that are ready when a test says so."""

    def __init__(self, director):
        self.asked, self.ready = threading.Event(), threading.Event()
        self._get = director.searches._thinkers.get
        director.thinkers_are(self.get)

    def get(self, spec, state):
        self.asked.set()
        assert self.ready.wait(60)
        return self._get(spec, state)


def test_a_search_that_ends_late_changes_nothing(director):
    session = director.new_game(["human", "human"], POSITION)
    held = Held(director)
    director.analyse(session, 0, AGENT)
    search = session.analysis
    assert held.asked.wait(60)
    director.delete(session)
    held.ready.set()
    director.searches._analyse(session, search)
    assert not (director.store.folder / f"{session.id.partition('-')[2]}.record").exists()
    with pytest.raises(UnknownGame):
        director.play(session, 0, None, "ox:b1b2")


def test_a_memory_belongs_to_the_position_after_the_decision(director):
    session = director.new_game(position=POSITION)
    director.play(session, 0, None, "ox:b1b2")
    wait(lambda: 1 in session.memories)
    assert session.memories[1].number == session.tree.current == 2
    assert session.remembered(1, 1) is None, "it decides again"


def test_an_agent_does_not_move_for_a_person_who_takes_its_seat(director):
    session = director.new_game(position=POSITION)
    held = Held(director)
    director.play(session, 0, None, "ox:b1b2")
    assert held.asked.wait(60)
    director.set_seats(session, ["human", "human"])
    assert session.move_search is None
    held.ready.set()
    time.sleep(0.2)
    assert session.tree.nodes[session.tree.current].ply == 1


def test_a_move_that_cannot_be_saved_is_told_and_saved_with_the_next_one(director, monkeypatch):
    session = director.new_game(["human", "human"], POSITION)

    def full(session):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(director.store, "save", full)
        with pytest.raises(OSError, match="No space left"):
            director.play(session, 0, None, "ox:b1b2")
    assert session.error == "the game cannot be saved: No space left on device"
    director.play(session, 1, None, "horse:e5e4")
    assert session.error is None
    assert len(director.store.load(session.id).tree.nodes) == 3


def test_undo_removes_the_half_action_of_a_person_and_not_that_of_an_agent(director, monkeypatch):
    session = director.new_game(["human", "human"], POSITION)
    director.run(session, False)
    director.play(session, 0, None, "ox:b1b2")
    director.play(session, 1, None, "horse:e5e4")
    director.set_seats(session, ["human", AGENT])
    monkeypatch.setattr(session.tree, "is_half", lambda number: number == 2)
    director.back(session)
    assert session.tree.current == 0 and 2 in session.tree.nodes, (
        "the agent would move again at once"
    )
    director.go(session, 2)
    director.set_seats(session, ["human", "human"])
    held = Held(director)
    director.analyse(session, 2, AGENT)
    search = session.analysis
    assert held.asked.wait(60)
    director.back(session)
    assert session.tree.current == 1 and 2 not in session.tree.nodes
    held.ready.set()
    director.searches._analyse(session, search)
    director.searches._review(session, search, [0, 1, 2])
    assert session.error is None and session.analysis is None


def test_stopping_an_analysis_is_told(director):
    session = director.new_game(["human", "human"], POSITION)
    held = Held(director)
    before = session.version
    director.analyse(session, 0, AGENT)
    director.searches.stop(session)
    held.ready.set()
    assert session.version == before + 2


def test_persons_have_no_names_on_the_page():
    allowance = Allowance(["human:name=Ann", AGENT])
    assert allowance.check("human:name=Ann") == allowance.check("human:name=Bo") == "human"


def test_keys_and_the_end_of_a_record_are_checked():
    env = Env("gamble", Gamble(), notation="tests.gamble")
    first = env.text_to_state("4 0 start 0")
    record = records.begin(env, first, [AGENT, AGENT])
    for key in ("", "00000000", "0" * 24):
        with pytest.raises(ValueError, match="move 1: chance takes part in gamble: expected a key"):
            saved_games.play(env, record._replace(moves=(Move("safe", key),)), 0)
    with pytest.raises(ValueError, match="expected a key of 16 hexadecimal digits"):
        positions.step(env, positions.read(env, record.start), 0, "00000000")
    moved = record._replace(moves=(Move("safe", "0" * 16),))
    with pytest.raises(ValueError, match="do not end in the position of the record"):
        saved_games.play(env, moved, 0)


def test_an_agent_stands_in_until_the_one_of_the_seat_is_ready(director, monkeypatch):
    session = director.new_game(position=POSITION)
    held = Held(director)
    director.thinkers_are(
        lambda spec, state: (held.get if spec == AGENT else held._get)(spec, state)
    )
    monkeypatch.setattr(
        director.searches._thinkers, "is_ready", lambda spec: spec != AGENT or held.ready.is_set()
    )
    director.play(session, 0, None, "ox:b1b2")
    assert held.asked.wait(60)
    director.let_stand_in(session)
    wait(lambda: session.tree.current == 2)
    assert session.memories[1].spec == STAND_IN
    held.ready.set()
    director.play(session, 2, next(iter(session.tree.env.legal_moves(session.tree.state(2)))), None)
    wait(lambda: session.tree.current == 4 or session.tree.is_over(session.tree.current))
    assert session.memories[1].spec == AGENT


def test_preparation_tells_about_how_long_it_takes(director):
    told = []
    preparation = Preparation(told.append)
    with preparation.step("onitama", "board", "the board"):
        compilation_cache.expect(1)
        assert told[-1]["steps"][-1]["about"] is None, "too short to be told"
        compilation_cache.expect(40)
        assert told[-1]["steps"][-1]["about"] == 40
    assert told[-1]["steps"][-1]["state"] == "done"
