"""Points in self-play: games are whole, roles are told apart, the record says both."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import pytest

from benchmarks import points
from jaxgames.env import Env
from jaxgames.players import registry
from tests.conformance.games import Nim


@dataclasses.dataclass(frozen=True)
class Counted(Nim):
    """Nim in which a seat has ten points, and the one that is to move at the end none."""

    def score(self, state):
        return jnp.where(jnp.arange(2) == state.seat, 0.0, 10.0)


def test_games_are_played_to_the_end():
    env = Env("nim", Counted())
    player, key = registry.make("first_legal", env), jax.random.key(0)
    starts = jax.vmap(env.rules.init)(jax.random.split(key, 6))
    found = points.final_points(env, player, starts, key)
    # Three stones, one at a time from the first heaps: eight turns in all.
    assert found.tolist() == [[0, 10]] * 6


@pytest.mark.slow
def test_points_are_averaged_by_role(tmp_path):
    output = tmp_path / "points.md"
    points.main(
        [
            "--game=terra_mystica",
            "--env-options=factions=engineers,halflings,post_conversions=false",
            "--agents",
            "random",
            "--games=6",
            f"--output={output}",
        ]
    )
    rows = json.loads(output.with_suffix(".json").read_text())["points"]
    assert [row["role"] for row in rows] == ["engineers", "halflings"]
    assert all(row["agent"] == "random" and row["seats"] == 6 for row in rows)
    assert all(30 < row["mean"] < 100 and row["error"] > 0 for row in rows)
    assert "| random | engineers |" in output.read_text()


def test_game_without_points_is_refused(capsys):
    with pytest.raises(SystemExit):
        points.main(["--game=onitama"])
    assert "onitama counts no points" in capsys.readouterr().err
