"""The game of another package, heuristic included, plays without a change to the project."""

import os
import re
import subprocess
import sys

import pytest

from tests.locations import CHECKOUT


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of the package that the documentation describes: Nim, its score, its plug."""
    folder = tmp_path_factory.mktemp("outside")
    page = (CHECKOUT / "docs" / "adding_a_game.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (plug,) = [block for block in blocks if "GameAgents(" in block]
    (score,) = [block for block in blocks if "def make_score" in block]
    (folder / "my_package").mkdir()
    (folder / "my_package" / "nim.py").write_text(blocks[0])
    (folder / "my_package" / "score.py").write_text(score)
    (folder / "my_package" / "__init__.py").write_text(plug)
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
