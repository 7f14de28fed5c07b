"""The scores of levels are those of the project's records, of the players that play now."""

import json

import pytest

from benchmarks import environment
from jaxgames.players import plugs

GAMES = [g for g in plugs.games_with("levels") if plugs._PLUGS[g].startswith("jaxgames.")]
LEAST, MOST = 0.70, 0.85  # of the score against the level below: a step is felt, and no wall


@pytest.mark.parametrize("game", GAMES)
def test_every_level_has_the_score_of_its_record(game):
    record = environment.RESULTS / "strength" / f"levels_{game}.json"
    plug = plugs.game_agents(game)
    if not record.exists():
        assert {level.score for level in plug.levels[2]} == {None}
        return
    rows = json.loads(record.read_text())["levels"]
    first, *others = plug.levels[2]
    assert first.score is None and rows[0]["score"] is None
    players = [*(level.specs[0] for level in plug.levels[2][:-1]), plug.best[2][0]]
    assert [row["player"] for row in rows] == players
    for level, row in zip(others, rows[1:], strict=True):
        assert level.score == pytest.approx(row["score"]["mean"], abs=0.0051)
        assert LEAST <= level.score <= MOST
        assert row["median"] <= 1 and row["most"] <= 2
