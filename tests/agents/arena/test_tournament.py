import dataclasses
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from agents.arena import tournament
from agents.arena.plots import plot_scores
from agents.arena.standings import pairing_score, score_matrix, standings
from agents.arena.tables import pairing_line
from agents.arena.tournament import Pairing, Tournament
from configs.tournament import TournamentConfig

CONFIG = TournamentConfig(
    agents=("random", "first_legal", "minimax:depth=1"), games=20, env_options="max_plies=60"
)
PAIRS = [
    ("random", "first_legal"),
    ("random", "minimax:depth=1"),
    ("first_legal", "minimax:depth=1"),
]

KILLED_AFTER_ONE_PAIRING = """
import os, pathlib, signal, sys
from agents.arena import tournament
from configs.tournament import TournamentConfig
config = TournamentConfig(
    agents=("random", "first_legal", "minimax:depth=1"), games=20, env_options="max_plies=60",
    output=pathlib.Path(sys.argv[1]),
)
tournament.run(config, lambda pairing: os.kill(os.getpid(), signal.SIGKILL))
"""


def writing_to(path, **changes):
    return dataclasses.replace(CONFIG, output=path, **changes)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("tournament") / "results.json"
    return tournament.run(writing_to(path)), path


def test_everyone_meets_everyone(finished):
    result, _ = finished
    assert [(p.first, p.second) for p in result.pairings] == PAIRS
    assert all(len(p.returns) == len(p.plies) == 20 for p in result.pairings)


def test_same_seed_gives_the_same_table_and_another_seed_another(finished):
    result, _ = finished
    assert tournament.run(CONFIG) == result
    assert tournament.run(dataclasses.replace(CONFIG, seed=1)) != result


def test_a_run_killed_with_sigkill_goes_on_to_the_same_file(finished, tmp_path, monkeypatch):
    result, path = finished
    killed_path = tmp_path / "killed.json"
    command = [sys.executable, "-c", KILLED_AFTER_ONE_PAIRING, str(killed_path)]
    killed = subprocess.run(command, timeout=300)
    assert killed.returncode == -signal.SIGKILL
    assert len(json.loads(killed_path.read_text())["pairings"]) == 1

    played = []
    real_match = tournament.match

    def counted_match(env, players, *args):
        played.append(tuple(player.name for player in players))
        return real_match(env, players, *args)

    monkeypatch.setattr(tournament, "match", counted_match)
    assert tournament.run(writing_to(killed_path)) == result
    assert played == PAIRS[1:]
    assert killed_path.read_bytes() == path.read_bytes()


def test_a_finished_tournament_is_read_and_not_played_again(finished, monkeypatch):
    result, path = finished
    monkeypatch.delattr(tournament, "match")
    assert tournament.run(writing_to(path)) == result


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 40}, "its games is 20, not 40"),
        ({"seed": 1}, "its seed is 0, not 1"),
        ({"env_options": "max_plies=61"}, "its env_options is max_plies=60, not max_plies=61"),
        ({"opening_plies": 2}, "its opening_plies is 0, not 2"),
        ({"game": "onitama_report"}, "its game is onitama-v1, not onitama_report-v1"),
        ({"agents": ("random", "first_legal")}, "its agents is .*'minimax:depth=1'.*, not "),
    ],
)
def test_a_file_of_another_tournament_is_refused_and_kept(finished, changes, message):
    _, path = finished
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        tournament.run(writing_to(path, **changes))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", '{"tournament": {"fo', "[]", '{"tournament": 3, "pairings": []}']
)
def test_a_file_that_is_no_tournament_is_refused_and_kept(tmp_path, text):
    path = tmp_path / "notes.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"notes\.json (exists, but is not|belongs to another)"):
        tournament.run(writing_to(path))
    assert path.read_text() == text


def test_a_failed_write_leaves_the_old_file_whole(finished, tmp_path, monkeypatch):
    _, complete = finished
    record = json.loads(complete.read_text())
    record["pairings"] = record["pairings"][:2]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(record))

    def no_space(*args):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", no_space)
    with pytest.raises(OSError, match="no space left"):
        tournament.run(writing_to(path))
    assert json.loads(path.read_text()) == record
    assert list(tmp_path.iterdir()) == [path]


def test_bad_agents_and_folders_are_refused_before_any_game(tmp_path, monkeypatch):
    monkeypatch.delattr(tournament, "match")
    bad_agent = dataclasses.replace(CONFIG, agents=("random", "minimax:depth=0"))
    with pytest.raises(ValueError, match="got 0"):
        tournament.run(bad_agent)
    with pytest.raises(ValueError, match="there is no directory"):
        tournament.run(writing_to(tmp_path / "missing" / "results.json"))


SMALL = Tournament(
    agents=("weak", "strong", "middle"),
    pairings=(
        Pairing("weak", "strong", (-1.0,) * 9 + (1.0,), (10,) * 10),
        Pairing("weak", "middle", (-1.0,) * 6 + (0.0, 0.0, 1.0, 1.0), (20,) * 10),
        Pairing("strong", "middle", (1.0,) * 7 + (-1.0,) * 3, (30,) * 10),
    ),
)


def test_table_is_sorted_by_rating_and_counts_all_games():
    table = standings(SMALL, anchor="middle")
    assert [line.name for line in table] == ["strong", "middle", "weak"]
    assert table[1].rating == (1000, 1000, 1000)
    strong = table[0]
    assert strong.score.mean == pytest.approx(0.8)
    assert (strong.score.wins, strong.score.draws, strong.score.losses) == (16, 0, 4)
    assert strong.plies == 20
    errors = [pairing_score(SMALL.pairings[i], "strong").standard_error for i in (0, 2)]
    assert strong.score.standard_error == pytest.approx(np.hypot(*errors) / 2)


def test_sequential_elo_counts_games_round_by_round():
    one_round = Tournament(
        ("a", "b", "c"),
        (
            Pairing("a", "b", (1.0, -1.0), (5, 5)),
            Pairing("a", "c", (1.0, -1.0), (5, 5)),
            Pairing("b", "c", (1.0, -1.0), (5, 5)),
        ),
    )
    last = {line.name: line.last_elo for line in standings(one_round)}
    ratings = dict.fromkeys("abc", 1000.0)
    for score in (1.0, 0.0):
        for first, second in ("ab", "ac", "bc"):
            expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400))
            ratings[first] += 32 * (score - expected)
            ratings[second] -= 32 * (score - expected)
    assert last == pytest.approx(ratings)


def test_matrix_holds_the_score_of_the_row_against_the_column():
    expected = [[np.nan, 0.1, 0.3], [0.9, np.nan, 0.7], [0.7, 0.3, np.nan]]
    np.testing.assert_allclose(score_matrix(SMALL), expected)


def test_pairing_line_is_seen_from_the_first_agent():
    line = pairing_line(SMALL.pairings[1])
    assert line == "weak v middle: 30.0 (95 %: 10.8 to 60.3), +2 =2 -6, 20.0 plies"


def test_plot_names_every_agent(tmp_path):
    path = tmp_path / "scores.svg"
    plot_scores(SMALL, path)
    drawing = path.read_text()
    for text in ("weak", "strong", "middle", "90.0", "10.0"):
        assert f"<!-- {text} -->" in drawing
