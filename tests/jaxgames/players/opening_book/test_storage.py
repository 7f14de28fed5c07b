"""Books as files, on the command line and in spec strings: what is refused, and how it is said."""

import dataclasses
import json
import pathlib
import re
import sys

import jax
import numpy as np
import pytest

import jaxgames
from agents.opening_book import __main__ as program
from jaxgames import Env
from jaxgames.internal import array_files
from jaxgames.players import registry
from jaxgames.players.mcts import make_mcts
from jaxgames.players.opening_book import storage
from jaxgames.players.opening_book.book import NO_MOVE
from jaxgames.players.opening_book.player import BookThen
from tests.jaxgames.players.opening_book.books import ENV, small
from tests.turn_nim import TurnNim

ONITAMA = "onitama"
DEAL = "boar,ox|elephant,horse|crab"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("books") / "small.npz"
    storage.save(file, small(), storage.describe(ENV, {"seed": 0}))
    return file


def test_a_book_is_read_as_it_was_written(path):
    book, meta = storage.load(path, ENV)
    jax.tree.map(np.testing.assert_array_equal, book, small())
    assert meta["game"] == "turn_nim" and meta["options"] == {"limit": 16}
    assert meta["settings"] == {"seed": 0}
    assert [file.name for file in path.parent.iterdir()] == ["small.npz"]


def test_a_book_is_never_overwritten(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"small.npz exists already; name another file"):
        storage.check_target(path)
    with pytest.raises(OSError, match=r"small.npz exists already; the results are kept in") as e:
        storage.save(path, small(), storage.describe(ENV, {}))
    assert path.read_bytes() == before
    kept = pathlib.Path(str(e.value).rpartition("kept in ")[2]) / "small.npz"
    jax.tree.map(np.testing.assert_array_equal, storage.load(kept, ENV)[0], small())
    with pytest.raises(ValueError, match="output: there is no directory"):
        storage.check_target(path.parent / "missing" / "book.npz")


@dataclasses.dataclass(frozen=True)
class NewTurnNim(TurnNim):
    version = "2"


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (Env("other", TurnNim()), "is an opening book of game 'turn_nim', not 'other'"),
        (Env("turn_nim", NewTurnNim()), "is an opening book of game_version '1', not '2'"),
        (Env("turn_nim", TurnNim(limit=9)), "book of turn_nim with limit=16, not 9; build one for"),
    ],
)
def test_a_book_of_something_else_is_refused(path, env, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        storage.load(path, env)


def test_a_book_of_another_variant_is_refused(tmp_path):
    file = tmp_path / "book.npz"
    env = jaxgames.make("murus_gallicus", variant="basic")
    storage.save(file, small(), storage.describe(env, {}))
    with pytest.raises(ValueError, match="murus_gallicus with variant='basic', not 'default'"):
        storage.load(file, jaxgames.make("murus_gallicus"))
    # Its arrays are not of this game either.
    with pytest.raises(ValueError, match=r"book.npz is damaged: words is uint32\[\d+, 2\], expec"):
        storage.load(file, env)


def test_files_that_are_no_books_are_refused(tmp_path, path):
    file = tmp_path / "book.npz"
    with pytest.raises(ValueError, match="there is no opening book at"):
        storage.load(file, ENV)
    whole = path.read_bytes()
    for content in (b"", b"no zip file", whole[: len(whole) // 2]):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="is not an opening book, or it is damaged"):
            storage.load(file, ENV)
    parts, meta = array_files.read(path)
    array_files.write(file, {name: x for name, x in parts.items() if name != "words"}, meta)
    with pytest.raises(
        ValueError, match=r"holds actions, .*; expected words, actions, shares, val"
    ):
        storage.load(file, ENV)
    np.savez(file, **parts | {"meta": np.array(json.dumps([1]))})
    with pytest.raises(ValueError, match=r"its description is \[1\]"):
        storage.load(file, ENV)


@pytest.mark.parametrize(
    ("name", "column", "value", "message"),
    [
        ("actions", 0, ENV.num_actions, "actions must be from 0 to 5, or -1 for none"),
        ("actions", 0, -2, "actions must be from 0 to 5, or -1 for none"),
        ("actions", 0, NO_MOVE, "the first move of a position is missing"),
        ("actions", 1, NO_MOVE, "shares must be from 0 to 1, and 0 without a move"),
        ("shares", 0, np.nan, "shares must be from 0 to 1, and 0 without a move"),
        ("shares", 0, -0.5, "shares must be from 0 to 1, and 0 without a move"),
        ("shares", 0, 0.0, "the shares of a position must add up to 1"),
        ("values", 1, np.inf, "values must be finite"),
    ],
)
def test_a_book_with_damaged_numbers_is_refused(path, tmp_path, name, column, value, message):
    file = tmp_path / "book.npz"
    parts, meta = array_files.read(path)
    row = np.flatnonzero(parts["shares"][:, 1] > 0)[0]  # a position with two moves
    parts[name][row, column] = value
    array_files.write(file, parts, meta)
    with pytest.raises(ValueError, match=re.escape(f"is damaged: {message}; see row {row}")):
        storage.load(file, ENV)


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["agents.opening_book", *arguments])
    return program.main()


def test_command_builds_a_book_that_a_spec_names(monkeypatch, capsys, tmp_path):
    file = tmp_path / "onitama.npz"
    options = (f"--game={ONITAMA}", f"--env-options=deal={DEAL},max_plies=20", f"--output={file}")
    sizes = ("--moves=1", "--simulations=16", "--lanes=4", "--positions=4", "--choices=2")
    assert run(monkeypatch, *options, *sizes) == 0
    assert "book of 5 positions" in capsys.readouterr().out
    assert run(monkeypatch, *options, *sizes) == 2
    assert "exists already" in capsys.readouterr().err

    env = jaxgames.make(ONITAMA, deal=DEAL, max_plies=20)
    spec = f"book:file={file},moves=2,agent=mcts:simulations=9;c=0.5"
    player = registry.make(spec, env)
    assert player.agent == BookThen(env.rules, make_mcts(env, simulations=9, c=0.5)[0], 2)
    assert len(player.params.book) == 5
    with pytest.raises(ValueError, match=r"onitama with deal='boar.*', not None"):
        registry.make(spec, jaxgames.make(ONITAMA, max_plies=20))
    with pytest.raises(ValueError, match="unknown agent 'mtcs'"):
        registry.make(f"book:file={file},agent=mtcs", env)
