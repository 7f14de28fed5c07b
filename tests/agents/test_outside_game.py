"""The game of another package, heuristic included, plays without a change to the project."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.locations import CHECKOUT

PLUG = """
import jaxgames
from jaxgames.players.plugs import GameAgents, register

jaxgames.register("nim", "my_package.nim:Nim")
register("nim", "my_package:AGENTS")
AGENTS = GameAgents(score="my_package.nim:make_score")
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of a package: Nim, its score, its plug."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "my_package").mkdir()
    shutil.copy(CHECKOUT / "tests" / "nim.py", folder / "my_package" / "nim.py")
    (folder / "my_package" / "__init__.py").write_text(PLUG)
    return folder


def play(package, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "agents.arena", *arguments],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )


def test_all_kinds_of_players_use_the_heuristic_of_the_other_package(package):
    done = play(
        package,
        "--plugin=my_package",
        "--game=nim",
        "--games=20",
        "--format=gauntlet",
        "--agents",
        "greedy",
        "random",
        "minimax:depth=2",
        "gumbel:evaluator=heuristic,simulations=8",
    )
    assert done.returncode == 0, done.stderr
    # The heuristic says who wins every position. From heaps of 3, 5 and 7 the first player does,
    # so two players without a mistake share their games; against mistakes they win them all.
    assert "greedy v random: 100.0 " in done.stdout
    assert "greedy v minimax:depth=2: 50.0 " in done.stdout
    assert "greedy v gumbel:evaluator=heuristic,simulations=8: " in done.stdout
