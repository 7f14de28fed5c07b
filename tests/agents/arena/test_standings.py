import io

import numpy as np
import pytest
from rich.console import Console

from agents.arena.plots import plot_matrices
from agents.arena.standings import (
    games_in_order,
    net_wins_matrix,
    pairing_score,
    plies_matrix,
    score_matrix,
    standings,
)
from agents.arena.tables import bracket_table, matrix_tables, pairing_line, standings_table
from agents.arena.tournament import Pairing, Tournament
from jaxgames.matches.statistics import wilson_interval

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


def test_matrices_hold_net_wins_of_the_row_and_mean_plies():
    expected = [[np.nan, -8, -4], [8, np.nan, 4], [4, -4, np.nan]]
    np.testing.assert_array_equal(net_wins_matrix(SMALL), expected)
    expected = [[np.nan, 10, 20], [10, np.nan, 30], [20, 30, np.nan]]
    np.testing.assert_array_equal(plies_matrix(SMALL), expected)


def printed(table):
    console = Console(width=80, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


def test_table_shows_standard_error_interval_and_both_ratings():
    strong = standings(SMALL)[0]
    assert strong.interval == wilson_interval(0.8, 20)
    text = printed(standings_table(SMALL, None))
    assert f" 80.0 ± {100 * strong.score.standard_error:.1f} " in text
    assert "58.4" in text
    assert "91.9" in text
    assert f" {strong.last_elo:.0f} " in text


def test_sequential_elo_moves_by_the_k_factor():
    one_game = Tournament(("a", "b"), (Pairing("a", "b", (1.0, 1.0), (5, 5)),))
    assert standings(one_game, k_factor=1e-6)[0].last_elo == pytest.approx(1000, abs=1e-3)
    assert standings(one_game, k_factor=64)[0].last_elo > standings(one_game)[0].last_elo + 20


def test_a_single_pair_of_games_prints_no_infinite_error():
    text = printed(standings_table(Tournament(("a", "b"), (PAIR_WON,)), None))
    assert "inf" not in text
    assert "± >1000" in text


PAIR_WON = Pairing("a", "b", (1.0, 1.0), (5, 5))
KNOCKOUT = Tournament(
    ("a", "b", "c"),
    (Pairing("b", "c", (-1.0, -1.0), (6, 8)), Pairing("a", "c", (1.0, -1.0), (5, 5))),
    format="knockout",
)


def test_a_knockout_prints_its_bracket_and_leaves_unplayed_pairs_empty():
    rows = [line.split("│")[1:-1] for line in printed(bracket_table(KNOCKOUT)).splitlines()]
    assert [[cell.strip() for cell in row] for row in rows if row] == [
        ["1", "a", "bye", "a"],
        ["1", "b v c", "+0 =0 -2", "c"],
        ["2", "a v c", "+1 =0 -1", "a"],
    ]
    assert np.isnan(score_matrix(KNOCKOUT)[0, 1])
    assert "nan" not in "".join(map(printed, matrix_tables(KNOCKOUT)))


def test_sequential_elo_counts_a_knockout_match_by_match():
    order = [(game.first, game.second, game.score) for game in games_in_order(KNOCKOUT)]
    assert order == [(1, 2, 0.0), (1, 2, 0.0), (0, 2, 1.0), (0, 2, 0.0)]


def test_pairing_line_is_seen_from_the_first_agent():
    line = pairing_line(SMALL.pairings[1])
    assert line == "weak v middle: 30.0 (95 %: 10.8 to 60.3), +2 =2 -6, 20.0 plies"


def test_repeated_games_are_told_of():
    first, second, third = SMALL.pairings
    repeated = second._replace(different=2)
    line = pairing_line(repeated)
    assert line.startswith(f"{pairing_line(second)}; only 2 of the 10 games are different")
    assert line.endswith("take more --opening-plies")
    assert pairing_line(second._replace(different=9)) == pairing_line(second)
    table = standings_table(SMALL._replace(pairings=(first, repeated, third)), None)
    assert table.caption == "errors are too small: repeated games in 1 of 3 pairings"
    assert standings_table(SMALL, None).caption is None


def test_plot_names_every_agent(tmp_path):
    path = tmp_path / "scores.svg"
    plot_matrices(SMALL, path)
    drawing = path.read_text()
    for text in ("weak", "strong", "middle", "90.0", "10.0", "+8", "-4", "30.0", "Mean plies"):
        assert f"<!-- {text} -->" in drawing
