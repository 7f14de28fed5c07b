"""Analyses and reviews as tables: what an agent does not compute is left out."""

from jaxgames.analysis import tables
from jaxgames.analysis.analysis import Analysis, MoveAnalysis

MOVES = (
    MoveAnalysis(3, "a<b", visits=7, value=0.25, variation=tuple("abcdefghij")),
    MoveAnalysis(4, "c", visits=0),
)
ANALYSIS = Analysis(0, 3, "a<b", MOVES, values=(0.25, -0.25), explanation="a reason")


def test_columns_without_numbers_are_left_out_and_variations_are_cut():
    table = tables.best_moves(ANALYSIS)
    assert table.names == ("move", "visits", "value", "variation")
    assert table.rows[0] == ("* a<b", "7", "+0.250", "a, b, c, d, e, f, g, h, ...")
    assert table.rows[1] == ("  c", "0", "-", "-")


def test_a_notebook_shows_an_analysis_as_a_table_below_its_summary():
    shown = ANALYSIS._repr_html_()
    assert "<div>seat 0 to move, plays a&lt;b, values by seat +0.250 -0.250</div>" in shown
    assert "<div>a reason</div><table>" in shown
    assert shown.count("<tr>") == 3
