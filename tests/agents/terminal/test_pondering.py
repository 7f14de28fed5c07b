"""Players that think while their opponents do, one after the other or in a thread."""

import dataclasses
import threading

import jax
import pytest

import jaxgames
from agents.arena import hosted
from agents.clock import players
from agents.clock.human import ClockedHuman
from agents.clock.match import play
from agents.terminal.pondering import pondering
from jaxgames.players import registry
from jaxgames.players.real_time import RealTime
from tests.agents.terminal.consoles import Scripted
from tests.fake_clock import FakeClock

ENV = jaxgames.make("onitama", max_plies=6, deal="boar,ox|elephant,horse|crab")
SPEC = "gumbel:evaluator=uniform,simulations=32,nodes=8"


def test_after_a_program_a_player_ponders_for_as_long_as_the_program_took():
    clock, asked = FakeClock(), []

    def ponder(is_stopped):
        begin = clock.now
        while not is_stopped():
            pass
        asked.append(clock.now - begin)

    with pondering(ponder, False, clock):
        clock.now += 9.0
        assert not asked
    assert asked == [10.0]
    with pondering(None, False, clock):
        pass


def test_beside_a_person_a_player_ponders_until_the_person_has_moved_or_left():
    began, ended = threading.Event(), threading.Event()

    def ponder(is_stopped):
        began.set()
        while not is_stopped():
            pass
        ended.set()

    def leave():
        with pondering(ponder, True, FakeClock()):
            assert began.wait(60) and not ended.is_set()
            raise ValueError("left")

    with pytest.raises(ValueError, match="left"):
        leave()
    assert ended.is_set()


@pytest.fixture
def pondered(monkeypatch):
    """The positions that are pondered about."""
    positions, ponder = [], RealTime.ponder

    def noting(self, params, memory, state, key, is_stopped):
        positions.append(state)
        return ponder(self, params, memory, state, key, is_stopped)

    monkeypatch.setattr(RealTime, "ponder", noting)
    monkeypatch.setattr(hosted, "Console", Scripted)
    return positions


def test_in_a_tournament_a_player_ponders_after_each_move_of_its_opponent(pondered):
    pair = [registry.make(f"{SPEC},ponder=true", ENV), registry.make("first_legal", ENV)]
    result = hosted.match(ENV, pair, jax.random.key(0), 2)
    plies = result.plies.tolist()
    assert len(pondered) == sum(plies) // 2


def test_at_the_clock_a_player_ponders_in_nobodys_time():
    clock = FakeClock()
    pair = [
        players.make(f"negascout:depth=2,table=10{fields}", ENV, clock)
        for fields in (",ponder=true", "")
    ]
    seen, ponder = [], pair[0]._ponder

    def noting(game, is_stopped):
        begin = clock.now
        ponder(game, is_stopped)
        seen.append(clock.now - begin)

    pair[0]._ponder = noting
    game = play(ENV, pair, 1000.0, clock)
    own = [move for move in game.moves if move.seat == 1]
    assert len(seen) == len(own) and min(seen) > 0
    used = [sum(move.seconds for move in game.moves if move.seat == seat) for seat in (0, 1)]
    assert game.remaining == pytest.approx([1000.0 - seconds for seconds in used])


def test_pondering_makes_a_search_at_the_clock_shorter():
    player = players.make("negascout:depth=4,table=12,ponder=true", ENV, FakeClock())
    game = jax.device_get(ENV.rules.init(jax.random.key(0)))
    assert ClockedHuman(ENV, "Ann", Scripted()).pondering(game) is None
    assert dataclasses.replace(player, ponder=False).pondering(game) is None
    alone = player.act(game, 1e9).nodes
    player.new_game()
    player.pondering(game)(lambda: False)
    assert player.act(game, 1e9).nodes < alone


def test_a_search_without_a_table_cannot_ponder_at_the_clock():
    with pytest.raises(ValueError, match="ponder=true needs a table"):
        players.make("negascout:depth=2,ponder=true", ENV, FakeClock())
