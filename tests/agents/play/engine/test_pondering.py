"""An agent that thinks while a person does."""

import functools
import threading
import time

import pytest

from agents.play.engine.thinker import Thinker
from agents.play.engine.workers import Workers
from tests.agents.play import directing
from tests.agents.play.directing import POSITION, director_against

AGENT = "gumbel:evaluator=uniform,simulations=32,nodes=8,ponder=true"


@pytest.fixture(scope="module")
def director(tmp_path_factory):
    return director_against(AGENT, tmp_path_factory.mktemp("games"))


class Pondering:
    """Takes the place of `Thinker.ponder`, and notes in which plies it begins and ends."""

    def __init__(self, monkeypatch):
        self.begun, self.ended = [], []
        monkeypatch.setattr(Thinker, "ponder", self.ponder)

    def ponder(self, state, memory, key, is_stopped):
        self.begun.append(int(state.step_count))
        while not is_stopped():
            time.sleep(0.01)
        self.ended.append(int(state.step_count))
        return memory


@pytest.fixture
def session(director):
    session = director.new_game(position=POSITION)
    yield session
    if not session.is_deleted:
        director.delete(session)


wait = functools.partial(directing.wait, seconds=120)


def root(session):
    """Returns the position to which the memory of the agent belongs, and the visits of its root."""
    kept = session.memories[1]
    return kept.number, int(kept.memory.of_agent.visits[0, 0])


def test_an_agent_ponders_the_position_of_a_person_and_goes_on_from_there(director, session):
    director.play(session, 0, None, "ox:b1b2")
    wait(lambda: 1 in session.memories and root(session)[1] >= 32)  # until the tree is full
    assert session.error is None and root(session)[0] == session.tree.current == 2
    director.play(session, 2, next(iter(session.tree.env.legal_moves(session.tree.state(2)))), None)
    wait(lambda: session.tree.current == 4)
    assert session.error is None and session.memories[1].number == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda director, session: director.play(session, 2, None, first(session)),
        lambda director, session: director.back(session),
        lambda director, session: director.resign(session),
        lambda director, session: director.run(session, False),
        lambda director, session: director.set_seats(session, ["human", "human"]),
        lambda director, session: director.delete(session),
    ],
    ids=["move", "undo", "resign", "stop", "seats", "delete"],
)
def test_whatever_ends_the_turn_of_a_person_ends_pondering(director, session, change, monkeypatch):
    pondering = Pondering(monkeypatch)
    director.play(session, 0, None, "ox:b1b2")
    wait(lambda: 2 in pondering.begun)
    time.sleep(0.1)
    assert 2 not in pondering.ended
    change(director, session)
    wait(lambda: 2 in pondering.ended)
    assert session.error is None


def first(session):
    return next(iter(session.tree.env.legal_moves(session.tree.state(2)).values()))


def test_undo_while_an_agent_ponders_begins_with_the_position_before(
    director, session, monkeypatch
):
    director.play(session, 0, None, "ox:b1b2")
    wait(lambda: session.tree.current == 2)
    pondering = Pondering(monkeypatch)
    director.back(session)
    # It may have begun in ply 2 as well, where its job had waited for a thread.
    wait(lambda: pondering.begun[-1:] == [0])
    assert session.tree.current == session.pondering.number == 0
    director.play(session, 0, None, "ox:d1d2")
    wait(lambda: session.tree.current == 4)
    assert session.tree.nodes[4].parent == 3 and session.error is None


def test_workers_are_full_when_a_job_waits_for_a_thread():
    workers, held = Workers(threads=1), threading.Event()
    workers.submit(lambda: held.wait(60))
    wait(lambda: not workers.is_full)
    workers.submit(lambda: None)
    assert workers.is_full
    held.set()


def test_an_agent_ponders_for_a_minute_at_most(director, session, monkeypatch):
    monkeypatch.setattr("agents.play.engine.searches.LONGEST_PONDERING", 0.0)
    pondering = Pondering(monkeypatch)
    director.play(session, 0, None, "ox:b1b2")
    wait(lambda: 2 in pondering.ended)
    assert session.pondering is not None, "it does not begin again"
