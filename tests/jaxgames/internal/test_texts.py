"""Texts from other systems are read everywhere, and shown on every console."""

import ast
import pathlib
import subprocess
import sys

import pytest

import jaxgames
from agents.analyse import queries
from agents.play.session import store
from agents.play.session.positions import read as read_on_the_page
from jaxgames import records
from jaxgames.internal import files, texts

ROOT = pathlib.Path(jaxgames.__file__).parents[1]
ONITAMA = jaxgames.make("onitama")
START = "bbBbb/5/5/5/rrRrr r tiger,crab|ox,horse|crane 0"
GAME = records.from_moves(ONITAMA, ONITAMA.text_to_state(START), ["tiger:c1c3"], ["a", "b"])
SYSTEMS = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "carriage returns": lambda text: text.replace("\n", "\r\n").encode(),
    "old carriage returns": lambda text: text.replace("\n", "\r").encode(),
    "both": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
}


def _import(path):
    return records.import_game(ONITAMA, path.rename(path.with_suffix(".oni")), seats=["a", "b"])


def _store(path):
    number = "0123456789abcdef"
    path.rename(path.parent / f"{number}{store.SUFFIX}")
    return store.environment_of(path.parent, f"onitama-{number}")


READERS = {  # what reads a file, and a text for it
    "records": (records.read, records.to_text(GAME)),
    "games of the page": (_store, records.to_text(GAME)),
    "Onitama by another program": (
        _import,
        "11.11\n..3..\n.....\n..2..\n00.00\nbxlut\nBRS lhl\nTvL\n",
    ),
    "text": (texts.read, "first\nsecond\n"),
    "record as a text": (
        lambda path: records.from_text(_pasted(path.read_bytes())),
        records.to_text(GAME, GAME),
    ),
    "query": (
        lambda path: queries.read(ONITAMA, _pasted(path.read_bytes()), None)["error"],
        '{"id": x}\n',
    ),
    "JSON": (lambda path: files.parse_json(_pasted(path.read_bytes())), '{"a":\n1}\n'),
}


def _pasted(content):
    """The text of a file as a program gets it that knows the encoding and nothing else."""
    return content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("reader", READERS)
def test_texts_of_every_system_are_read_as_our_own(tmp_path, reader, system):
    read, text = READERS[reader]
    (tmp_path / "own").write_bytes(text.encode())
    own = read(tmp_path / "own")
    (tmp_path / "other").write_bytes(SYSTEMS[system](text))
    assert read(tmp_path / "other") == own


@pytest.mark.parametrize(
    "read",
    [
        lambda text: ONITAMA.state_to_text(ONITAMA.text_to_state(text)),
        lambda text: read_on_the_page(ONITAMA, text).game.ply.item(),
    ],
    ids=["env", "page"],
)
def test_positions_of_every_system_are_read(read):
    for system in SYSTEMS.values():
        assert read(_pasted(system(f"{START}\n"))) == read(START)


def test_games_are_added_to_a_file_of_another_system(tmp_path):
    for number, system in enumerate(SYSTEMS.values()):
        path = tmp_path / str(number)
        path.write_bytes(system(records.to_text(GAME)))
        records.append(path, GAME)
        assert records.read(path) == [GAME, GAME]


def test_texts_are_read_in_one_place():
    """Another reader would know nothing of byte order marks and carriage returns."""
    strangers = []
    for package in ("jaxgames", "agents", "train", "configs"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                called = getattr(getattr(node, "func", None), "attr", "")
                inner = getattr(getattr(node, "func", None), "value", None)
                decodes = called == "decode" and "read_bytes" in ast.dump(inner)
                if called == "read_text" or decodes:
                    strangers.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert strangers == []


SHOWS = """
import sys
from agents import command_line
def main():
    print("50 ± 3, Zoë: “→”")
    print("the end")
    print(repr(sys.stdin.readline()))
command_line.run(main)
"""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_nothing_computed_is_lost_because_a_console_lacks_a_sign(encoding):
    done = subprocess.run(
        [sys.executable, "-c", SHOWS],
        capture_output=True,
        cwd=ROOT,
        env={"PYTHONIOENCODING": encoding, "PATH": ""},
        input=b"caf\xc3\xa9 \x81\n",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.decode(encoding).splitlines()
    shown = {
        "ascii": "50 +- 3, Zo\\xeb: \\u201c->\\u201d",
        "cp1252": "50 ± 3, Zoë: “->”",
        "utf-8": "50 ± 3, Zoë: “→”",
    }
    assert (first, second) == (shown[encoding], "the end")
    assert third.startswith("'caf")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_wide_characters_without_a_byte_order_mark_are_told_apart_from_text(tmp_path, encoding):
    (tmp_path / "game.oni").write_bytes("onitama".encode(encoding))
    with pytest.raises(ValueError, match="without a byte order mark; save it as UTF-8"):
        texts.read(tmp_path / "game.oni")
