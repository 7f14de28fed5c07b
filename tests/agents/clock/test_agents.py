"""Agents of the registry at the clock: their limits, and what happens when they fail."""

import json
import pathlib
import shlex
import sys

import jax
import pytest

import jaxgames
from agents.clock import __main__ as program
from agents.clock import match, players
from agents.clock.agent import SHARE
from jaxgames import records
from jaxgames.players.real_time import RealTime
from tests.fake_clock import FakeClock

ENV = jaxgames.make("onitama", max_plies=6, deal="boar,ox|elephant,horse|crab")
SEARCH = "gumbel:evaluator=uniform,simulations=32"
PROGRAM = pathlib.Path(__file__).parents[1] / "external" / "players.py"
SCALE = 0.5


def external(way, fields=""):
    return f"external:command={shlex.join([sys.executable, str(PROGRAM)])} {way}{fields}"


def play(*specs, seconds=1000.0):
    clock = players.scaled_clock(SCALE, FakeClock())
    pair = [players.make(spec, ENV, clock, scale=SCALE) for spec in specs]
    return match.play(ENV, pair, seconds, clock)


@pytest.fixture
def limits(monkeypatch):
    """The limits of all searches for a move, in real seconds."""
    noted, last_moment = [], RealTime.last_moment

    def noting(self, *arguments):
        noted.append(self.limit)
        return last_moment(self, *arguments)

    monkeypatch.setattr(RealTime, "last_moment", noting)
    return noted


@pytest.mark.parametrize(
    ("fields", "own"),
    [("", float("inf")), (",seconds=47", 47.0), (",nodes=8", float("inf"))],
)
def test_a_search_gets_a_share_of_the_time_left_but_no_more_than_its_own(limits, fields, own):
    game = play(SEARCH + fields, "first_legal")
    moves, left = [move for move in game.moves if move.seat == 0], 1000.0
    warm_up, *rest = limits
    assert len(rest) == len(moves) == 3
    for move, limit in zip(moves, rest, strict=True):
        assert limit.seconds == pytest.approx(SCALE * min(own, SHARE * left))
        assert limit.nodes == (8 if "nodes" in fields else None)
        assert move.nodes > 0
        left -= move.seconds
    assert game.remaining[0] == left
    assert game.ended_by == match.BY_RULES and warm_up.seconds < 1


def test_a_depth_first_search_with_seconds_tells_its_depth(limits):
    game = play("negascout:depth=2,table=10,seconds=9", "random")
    assert [move.depth for move in game.moves if move.seat == 0] == [2, 2, 2]
    assert limits[1].seconds == 9 * SCALE


def test_a_search_ponders_with_its_tree(monkeypatch):
    pondered, ponder = [], RealTime.ponder

    def noting(self, *arguments):
        pondered.append(arguments[2])
        return ponder(self, *arguments)

    monkeypatch.setattr(RealTime, "ponder", noting)
    game = play(f"{SEARCH},ponder=true", "first_legal")
    assert len(pondered) == sum(move.seat == 1 for move in game.moves) == 3


def test_a_new_game_forgets_the_tree_but_not_the_speed():
    player = players.make(SEARCH, ENV, FakeClock())
    player.warm_up(jax.device_get(ENV.rules.init(jax.random.key(0))))
    assert player._memory.speed > 0
    empty = player.player.agent.reset(1).of_agent
    assert jax.tree.all(jax.tree.map(lambda x, y: (x == y).all(), player._memory.of_agent, empty))


def test_a_program_is_told_its_real_seconds_and_loses_if_it_makes_no_move():
    game = play("first_legal", external("echo", ",ponder=true"))
    clock = {"seconds": 1000.0 * SHARE * SCALE, "nodes": None, "ponder": True}
    assert f"move {str(clock)!r} is not of the form" in game.failure
    assert (game.ended_by, game.returns) == (match.BY_FAILURE, (1.0, -1.0))
    assert game.moves[-1].action == ENV.num_actions


def test_a_failing_program_is_started_anew_and_its_games_are_kept(monkeypatch, tmp_path, capfd):
    path, output = tmp_path / "games.jsonl", tmp_path / "results.json"
    options = ["--game=onitama", "--opening-plies=0", f"--save-games={path}", f"--output={output}"]
    specs = [external(f"stray {tmp_path / 'strayed'}"), "random"]
    monkeypatch.setattr("sys.argv", ["agents.clock", "--players", *specs, *options])
    assert program.main() == 0
    out, err = capfd.readouterr()
    assert err.count("started") == 2
    assert "by failure: expected" in out
    games = list(records.read(path))
    for game in games:
        records.check(game)
    assert [game.ending for game in games] == ["failure", ""]
    assert len(games[0].moves) <= 1 and games[0].returns == (-1.0, 1.0)
    saved = json.loads(output.read_text())["games"]
    assert "got 'hm'" in saved[0]["failure"] and saved[1]["failure"] == ""


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bets", "unknown player with a clock 'bets'; .* did you mean 'best'"),
        ("mcts:simulation=9", "unknown field 'simulation'; .* did you mean 'simulations'"),
        ("rhea:ponder=true", "agent 'rhea:ponder=true' in onitama: ponder=true: Evolution keeps"),
        ("best:seconds=0", "seconds must be more than 0, got 0"),
        ("random:seconds=1", "takes no seconds or nodes"),
    ],
)
def test_bad_specs_of_agents_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        players.make(spec, ENV, FakeClock())


def test_games_with_chance_or_hidden_information_are_refused():
    tribes = jaxgames.make("tribes")
    with pytest.raises(ValueError, match="full information without chance, which tribes has not"):
        match.match(tribes, [], 1.0, FakeClock())
