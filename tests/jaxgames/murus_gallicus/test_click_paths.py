"""Clicks on pictures of Murus Gallicus."""

import pytest

import jaxgames
from jaxgames.murus_gallicus import render
from tests.jaxgames.click_areas import areas


@pytest.mark.parametrize(
    ("options", "position", "expected"),
    [
        ({}, "tttttttt/8/8/8/8/8/TTTTTTTT r", {"a1-a3": ("cell:a1", "cell:a3")}),
        ({}, "tttttttt/8/8/8/8/8/TTTTTTTT g 1", {"a7-a5": ("cell:a7", "cell:a5")}),
        (
            {},
            "tttttt2/8/3c4/3T4/8/8/TTTTTT2 r 20",
            {"d4-d5-1": ("cell:d4", "cell:d5"), "d4-d5-2": ("cell:d4", "cell:d5")},
        ),
        ({"pie_rule": True}, "tttttttt/8/8/8/8/8/TTTTTTTT g 1", {"swap": ()}),
        ({"redistribute_start": True}, "tttttttt/8/8/8/8/8/TTTTTTTT r", {"-c1": ("cell:c1",)}),
        ({"redistribute_start": True}, "tttttttt/8/8/8/8/8/TT1TTTTT r 1", {"+c2": ("cell:c2",)}),
    ],
)
def test_a_move_is_the_cells_that_its_text_names(options, position, expected):
    env = jaxgames.make("murus_gallicus", **options)
    state = env.text_to_state(position)
    moves = env.legal_moves(state)
    paths = env.click_paths(state)
    assert [path.action for path in paths] == list(moves)
    by_text = {moves[path.action]: path.parts for path in paths}
    assert by_text.items() >= expected.items()
    assert {part for parts in by_text.values() for part in parts} <= areas(env.render(state)).keys()


def test_cells_say_what_stands_on_them_and_seats_follow_the_swap():
    env = jaxgames.make("murus_gallicus", pie_rule=True)
    state = env.text_to_state("tttttt2/8/3w4/3C4/8/8/TTTTTT2 r 9 swapped")
    parts = areas(env.render(state))
    assert len(parts) == 56
    assert parts["cell:d4"] == "d4, catapult of the Romans"
    assert parts["cell:d5"] == "d5, wall of the Gauls" and parts["cell:a3"] == "a3"
    looks = render.seat_looks(env.rules, state.game)
    assert [look.name for look in looks] == ["Gauls", "Romans"]
