"""The tutorial, from nothing to a trained opponent on the page: every step of it is done here."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from tests.locations import CHECKOUT

PAGE = CHECKOUT / "docs" / "adding_a_game.md"
PACKAGE = "connect_four"
PLAY = """
import pathlib, sys
from tests.agents.play.page.test_app import Client

client = Client(pathlib.Path("games"), game="connect_four", seats=tuple(sys.argv[1:]))
game = client.new(position="7/7/7/7/7/7")
view = client.view(game)
assert [seat["name"] for seat in view["seats"]] == ["Red", "Blue"]
assert {move["text"] for move in view["moves"]} == set(sys.stdin.read().split())
(move,) = [move for move in view["moves"] if move["text"] == "d1"]
assert "square:d1" in str(move["paths"])
client.post(f"{game}/play", number=0, action=move["action"])
view = client.wait(game, lambda view: view["ply"] == 2)
assert [node["move"] for node in view["line"][1:2]] == ["d1"]
"""
SHORT = {
    "arena": ("--games=2",),
    "train": (
        "--iterations=1",
        "--cpu-devices=1",
        "--selfplay.lanes=16",
        "--selfplay.plies=4",
        "--learner.updates=1",
        "--learner.batch-size=16",
        "--evaluation.games=2",
        "--evaluation.simulations=2",
    ),
    "train afterstates": (
        "--iterations=1",
        "--cpu-devices=1",
        "--play.lanes=16",
        "--play.plies=8",
        "--learner.updates=1",
        "--learner.batch-size=16",
        "--evaluation.games=2",
    ),
}
"""Options that make a command quick, by its name."""


def test_every_command_of_the_page_is_one_that_the_test_below_does():
    for line in lines(PAGE.read_text("utf-8")):
        program, word, *_ = shlex.split(line)
        does = {"jaxgames": ("new", "play", *SHORT), "pip": ("install",), "pytest": (PACKAGE,)}
        assert word in does[program], line


def lines(page: str) -> list[str]:
    """Returns the command lines of a page."""
    return "".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)).splitlines()


class Reader:
    """Does what the page says, in a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.package = folder / PACKAGE
        self.opening = [f"{file}{rank}" for file in "abcdefg" for rank in range(1, 7)]

    def run(self, *command: str, status: int = 0, given: str = "") -> str:
        """Returns what a program of Python prints; the package is found as an installed one."""
        path = map(str, (self.package, self.folder / "site", CHECKOUT))
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
            capture_output=True,
            text=True,
            input=given,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def command(self, line: str) -> None:
        """Does what a command line says."""
        match shlex.split(line):
            case ["pip", "install", needed]:
                project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
                extras = project["project"]["optional-dependencies"]
                assert set(re.findall(r"[\w]+", needed)) <= {"jaxgames", *extras}
            case ["pip", "install", "-e", _]:
                options = ("--quiet", "--no-deps", "--target", "site")
                self.run("-m", "pip", "install", *options, str(self.package))
            case ["pytest", folder]:
                self.tests(folder)
            case ["jaxgames", "new", name]:
                assert "connect_four holds a small game" in self.run("-m", "jaxgames", "new", name)
            case ["jaxgames", "play", _, *seats]:
                self.run("-c", PLAY, *seats[1:], given=" ".join(self.opening))
            case ["jaxgames", *words]:
                name = " ".join(words[:2]) if " ".join(words[:2]) in SHORT else words[0]
                self.run("-m", "jaxgames", *words, *SHORT[name])

    def tests(self, folder: str = PACKAGE, status: int = 0) -> str:
        """Returns what the tests of the package print."""
        return self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", folder, status=status)

    def edit(self, code: str) -> None:
        """Puts code where the page says that it belongs."""
        rules, tests = (
            self.package / PACKAGE / "rules.py",
            self.package / "tests" / "test_connect_four.py",
        )
        text = rules.read_text("utf-8")
        if code.startswith("def test_"):
            tests.write_text(tests.read_text("utf-8") + "\n\n" + code, "utf-8")
        elif code.startswith("    def legal_actions"):
            before, rest = re.split(r"(?=    def legal_actions)", text)
            _, after = re.split(r"(?=    def step)", rest)
            rules.write_text(f"{before}{code}\n{after}", "utf-8")
            self.opening = [f"{file}1" for file in "abcdefg"]
        elif code.startswith("        return ("):
            changed, count = re.subn(r"        return tuple\(_reflection.*\n", code, text)
            assert count == 1
            rules.write_text(changed, "utf-8")
        else:
            self.run("-c", code)


@pytest.mark.slow
def test_the_page_leads_to_a_trained_opponent(tmp_path):
    reader = Reader(tmp_path)
    page = PAGE.read_text("utf-8")
    for kind, block in re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL):
        if kind == "sh":
            for line in block.splitlines():
                reader.command(line)
        elif kind == "python":
            reader.edit(block)
        else:
            assert block.strip() in reader.tests(status=1)
    assert (tmp_path / "connect_four.svg").read_text("utf-8").startswith("<")
