"""The figures of the study of Tribes: its table and its complexity."""

import math

import numpy as np
import pytest

from papers.tribes.study import complexity, paper, table
from papers.tribes.tests.made_games import counted, made


def test_cells_compare_with_the_paper():
    found = table.cells([made("RHEA", "RB", n, wins) for n, wins in enumerate((3, 1, 2, 4))])
    assert [(cell.first, cell.second) for cell in found] == [("RHEA", "RB")]
    cell = found[0]
    assert (cell.games, cell.wins) == (16, 62.5)
    ours, theirs = 11 / 18, 294 / 502
    error = 100 * np.sqrt(ours * (1 - ours) / 16 + theirs * (1 - theirs) / 500)
    assert cell.z == pytest.approx((62.5 - 58.6) / error)
    # A player that always wins does not have an error of zero.
    assert np.isfinite(table.cells([made("RHEA", "RND", wins=4)])[0].z)


def test_rows_average_all_games_of_a_player():
    batches = [made("RHEA", "RB", wins=4), made("RB", "RND", wins=1)]
    rows = {row.player: row for row in table.rows(batches)}
    assert set(rows) == {"RHEA", "RB", "RND"}
    assert rows["RB"].games == 8
    assert rows["RB"].means["wins"].mean == 12.5
    assert rows["RB"].means["score"].mean == (1 + 4) / 2
    assert rows["RB"].means["rank"].mean == (2 * 4 + 2 * 3 + 1) / 8
    lines, numbers = table.report(batches)
    assert len(numbers["pairs"]) == 2
    ours, stated = rows["RB"].means["rank"], paper.MEANS["RB"]["rank"]
    # Against RHEA it always lost; of the others it won a quarter.
    assert ours.error == pytest.approx(math.sqrt(1 / 4 / 4) / 2)
    z = (ours.mean - stated.mean) / (ours.error * math.sqrt(1 + 4 / 500))
    assert f"| 1.88 (0.12), {z:+.1f} |" in "\n".join(lines)
    # All games of RHEA ended alike, in what no error of the paper is known for.
    assert any("RHEA | 4 | 100.0 (0.0), no spread | 1.00 (0.00), no spread |" in x for x in lines)
    assert "nan" not in "\n".join(lines)


def test_all_whom_a_player_met_count_alike_in_its_row():
    few = [made("RHEA", "RB", wins=1), made("RB", "RND", wins=4)]
    many = [*few, *(made("RB", "RND", start, wins=4) for start in range(2, 20, 2))]
    before, after = ({row.player: row for row in table.rows(x)}["RB"] for x in (few, many))
    assert (before.games, after.games) == (8, 44)
    assert before.means["wins"].mean == after.means["wins"].mean == (75 + 100) / 2
    assert before.errors["wins"] == after.errors["wins"]
    assert table.orders(few)[0].difference == table.orders(many)[0].difference


def test_neighbours_are_compared_by_opponents_that_both_met():
    def orders(*batches):
        return [(x.first, x.second, x.difference) for x in table.orders(batches)]

    first, second = made("RHEA", "RB", wins=4), made("RB", "RND", wins=1)
    assert orders(first, second) == [("RHEA", "RB", 100), ("RB", "RND", -50)]
    whole = [first, second, made("RHEA", "RND", wins=3)]
    assert orders(*whole) == [("RHEA", "RB", 75), ("RB", "RND", -37.5)]
    assert orders(made("RHEA", "RND"), made("RB", "RND", wins=1)) == [
        ("RHEA", "RB", 25),
        ("RB", "RND", -50),
    ]
    assert orders(made("RHEA", "RND"), made("RB", "OSLA")) == [("RB", "OSLA", 0)]
    lines, _ = table.report(whole)
    assert "| RB, RND | -37.5 (" in "\n".join(lines)


def test_neighbours_are_told_apart_by_games_that_are_not_counted_twice():
    # A win of the one is a loss of the other: the difference of shares has twice the error.
    one = made("RHEA", "RB", wins=2)
    (cell,), (order,) = table.cells([one]), table.orders([one])
    assert order.error == pytest.approx(2 * cell.error)
    # Against somebody else, the errors of both are independent.
    apart = [made("RHEA", "RND", wins=3), made("RB", "RND", wins=1)]
    errors = [cell.error for cell in table.cells(apart)]
    assert table.orders(apart)[0].error == pytest.approx(math.hypot(*errors))
    # Of twice as many games, those against each other count half, and twice.
    errors = [cell.error for cell in table.cells([one, *apart])]
    assert table.orders([one, *apart])[0].error == pytest.approx(
        math.hypot(errors[0], errors[1] / 2, errors[2] / 2)
    )


def test_complexity_averages_over_turns():
    batches = [made("RHEA", "RB", wins=4, turns=[counted(50)] * 4), made("MC", "RND")]
    lines, numbers = complexity.report(batches)
    moves = numbers["decisions a turn"]
    assert moves["first half"]["mean"] == 4
    assert moves["second half"]["mean"] == pytest.approx((5 * 4 + 20 * (4 + 10) / 2) / 25)
    choices = numbers["choices a decision"]["whole game"]["mean"]
    assert choices == pytest.approx((30 * 10 + 20 * (10 + 100) / 2) / 50)
    assert moves["whole game"]["error"] == pytest.approx(0)
    assert numbers["without the last turn"]["decisions a turn"] == moves
    last = numbers["lg of choices in the last turns"]
    assert (last["winners"]["mean"], last["losers"]["mean"]) == (20, 4)
    assert "\n4 of the games ended before the last turn" in "\n".join(lines)
    assert complexity.report([made("MC", "RND")]) == ([], {})


def test_all_turns_weigh_alike_though_some_games_end_early():
    short = (2 * np.array(counted(25))).tolist()
    played = [counted(50), counted(50), counted(50), short]
    _, numbers = complexity.report([made("RHEA", "RB", wins=4, turns=played)])
    moves = numbers["decisions a turn"]
    assert moves["first half"] == pytest.approx({"mean": (3 * 4 + 8) / 4, "error": 1})
    assert moves["second half"] == pytest.approx({"mean": 6.4, "error": 0})
    assert moves["whole game"]["mean"] == pytest.approx((25 * 5 + 25 * 6.4) / 50)


def test_the_last_turn_counts_and_is_left_out_once_more():
    long = np.array(counted(51))
    long[:, -1] = [40, 4000, 50.0]
    batches = [made("RHEA", "RB", wins=4, turns=[long.tolist()] * 3 + [counted(50)])]
    lines, numbers = complexity.report(batches)
    moves = {"all": numbers["decisions a turn"]} | numbers["without the last turn"]
    without = moves["decisions a turn"]["second half"]["mean"]
    assert without == pytest.approx((5 * 4 + 20 * 7) / 25)
    assert moves["all"]["second half"]["mean"] == pytest.approx((25 * without + 40) / 26)
    assert numbers["lg of choices in the last turns"]["winners"]["mean"] == 20
    assert "\n1 of the games ended before the last turn" in "\n".join(lines)


def test_figures_of_the_paper_for_the_whole_game_are_those_of_25_and_26_turns():
    for whole, first, second in paper.COMPLEXITY[:2]:
        assert whole == pytest.approx((25 * first + 26 * second) / 51, abs=0.006)
