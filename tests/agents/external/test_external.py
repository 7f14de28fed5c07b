"""Players in other processes: their moves, their limits, and what happens when they fail."""

import pathlib
import shlex
import sys

import jax
import pytest

import jaxgames
from agents.arena import games, hosted
from agents.external.process import Failure, words_of
from jaxgames import records
from jaxgames.analysis.analysis import analyse
from jaxgames.players import registry, search_limits
from tests.agents.terminal.consoles import Scripted

ENV = jaxgames.make("onitama", max_plies=4, deal="boar,ox|elephant,horse|crab")
PROGRAM = pathlib.Path(__file__).with_name("players.py")


def spec(way: str, fields: str = "") -> str:
    return f"external:command={shlex.join([sys.executable, str(PROGRAM)])} {way}{fields}"


@pytest.fixture(scope="module")
def start():
    return ENV.init(jax.random.key(0))


@pytest.fixture
def console(monkeypatch):
    console = Scripted()
    monkeypatch.setattr(hosted, "Console", lambda: console)
    return console


def test_a_program_plays_the_moves_that_it_is_told(console):
    pair = [registry.make(spec("first"), ENV), registry.make("first_legal", ENV)]
    result = hosted.match(ENV, pair, jax.random.key(0), 2, record=True)
    same = hosted.match(ENV, [pair[1]] * 2, jax.random.key(0), 2, record=True)
    assert (result.record.actions == same.record.actions).all()
    assert result.returns.tolist() == same.returns.tolist()


def test_an_analysis_shows_the_move_and_the_values(start):
    found = analyse(ENV, start, spec("first"))
    assert found.move == next(iter(ENV.legal_moves(start).values()))
    assert found.values == (0.5, -0.5)


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("slow", "no answer in 0.35 s"),
        ("crash", "the process has ended with status 3"),
        ("cheat", "move 'a1-a9' is not of the form"),
        ("talk", """expected {"type": "move", ...}, got 'what?'"""),
        ("boast", "expected 2 numbers from -1 to 1 under 'values', got"),
    ],
)
def test_a_program_that_fails_loses_its_game_and_is_started_anew(way, message, console, capfd):
    # The slow one gets its time from the command, as `--seconds` gives it.
    failing = registry.limited(spec(way), ENV, 0.1 if way == "slow" else 10)
    pair = [failing, registry.make("first_legal", ENV)]
    result = hosted.match(ENV, pair, jax.random.key(0), 2, record=True)
    assert result.returns.tolist() == [[-1, 1]] * 2
    assert console.text.count(f"loses: {message}") == 2
    assert capfd.readouterr().err.count("started") == 2
    for game in games.describe(ENV, 0, ("failing", "first_legal"), result, {}):
        assert game.moves[-1].text.startswith("illegal:")
        records.check(game)


def test_a_stray_line_loses_one_game_and_the_next_one_is_played_properly(console, tmp_path):
    first = registry.make("first_legal", ENV)
    pair = [registry.make(spec(f"stray {tmp_path / 'strayed'}"), ENV), first]
    result = hosted.match(ENV, pair, jax.random.key(0), 2, record=True)
    same = hosted.match(ENV, [first, first], jax.random.key(0), 2, record=True)
    assert result.returns.tolist() == [[-1, 1], [0, 0]]
    assert (result.record.actions[1] == same.record.actions[1]).all()


def test_the_clock_tells_the_limits(start):
    state = jax.tree.map(lambda x: x[None], start.game)
    for fields, clock in (
        ("", "'seconds': 60.0, 'nodes': None"),
        (",seconds=5", "'seconds': 5.0, 'nodes': None"),
        (",nodes=9", "'seconds': 60.0, 'nodes': 9, 'ponder': False"),
        (",ponder=true", "'seconds': 60.0, 'nodes': None, 'ponder': True"),
        (",seconds=5,ponder=true", "'seconds': 5.0, 'nodes': None, 'ponder': True"),
    ):
        player = registry.make(spec("echo", fields), ENV)
        with pytest.raises(Failure, match=clock):
            player.act((), state, jax.random.key(0))
    assert search_limits.takes_limits(player.agent)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("external", "needs a value for 'command'"),
        ("external:command=no_such_program --fast", "there is no program 'no_such_program'"),
        ("external:command='open", "No closing quotation"),
        (spec("first", ",start=0"), "start must be more than 0 seconds"),
    ],
)
def test_mistakes_in_the_spec(text, message):
    with pytest.raises(ValueError, match=message):
        registry.make(text, ENV)


def test_a_program_that_does_not_start_is_a_mistake_of_the_user(console):
    pair = [registry.make(spec("rude"), ENV), registry.make("first_legal", ENV)]
    with pytest.raises(ValueError, match=r"rude does not start: expected .*ready.*hello") as error:
        hosted.match(ENV, pair, jax.random.key(0), 2)
    assert not isinstance(error.value, Failure)


def test_quotes_around_a_whole_command_are_left_out():
    assert words_of(f'"{sys.executable} -c pass"') == (sys.executable, "-c", "pass")
