"""A game of another package, heuristic included, plays without a change to the project."""

import os
import subprocess
import sys

import pytest

from tests.locations import CHECKOUT

AGENTS = """
import jax.numpy as jnp

import jaxgames
from agents.games import registry
from agents.games.registry import GameAgents

jaxgames.register("outside_nim", "outside.nim:Nim")
registry.register("outside_nim", "outside:AGENTS")
AGENTS = GameAgents(score="outside:make_score")


def nim_sum_is_bad(state):
    heaps = state.heaps
    total = heaps[0] ^ heaps[1] ^ heaps[2]
    own = jnp.where(total == 0, -0.5, 0.5)
    return jnp.where(jnp.arange(2) == state.seat, own, -own)


def make_score(rules):
    return nim_sum_is_bad
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of a package with Nim, from the documentation, and with a plug."""
    folder = tmp_path_factory.mktemp("outside")
    page = (CHECKOUT / "docs" / "adding_a_game.md").read_text()
    (folder / "outside").mkdir()
    (folder / "outside" / "nim.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    (folder / "outside" / "__init__.py").write_text(AGENTS)
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
        "--plugin=outside",
        "--game=outside_nim",
        "--games=20",
        "--format=gauntlet",
        "--agents",
        "greedy",
        "random",
        "minimax:depth=2",
        "gumbel:evaluator=heuristic,simulations=8",
    )
    assert done.returncode == 0, done.stderr
    # The heuristic says for every position who wins. From heaps of 3, 5 and 7 the first player does,
    # so two players without a mistake share their games; against mistakes they win them all.
    assert "greedy v random: 100.0 " in done.stdout
    assert "greedy v minimax:depth=2: 50.0 " in done.stdout
    assert "greedy v gumbel:evaluator=heuristic,simulations=8: " in done.stdout


def test_without_the_plugin_the_game_is_unknown(package):
    done = play(package, "--game=outside_nim", "--agents", "greedy", "random")
    assert done.returncode == 2
    assert "unknown environment 'outside_nim'" in done.stderr


def test_a_plugin_that_does_not_exist_is_named(package):
    done = play(package, "--plugin=nowhere", "--game=onitama", "--agents", "greedy", "random")
    assert done.returncode == 2
    assert "--plugin: cannot import 'nowhere'" in done.stderr
