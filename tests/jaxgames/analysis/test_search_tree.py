"""Reading a search tree: order of moves, expected replies, explanations."""

import numpy as np

from jaxgames.analysis.explanation import explain
from jaxgames.analysis.search_tree import RootMove, TreeFindings, root_moves
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.uct import Uct

LEGAL = np.array([True, False, True, True])


def findings():
    """Root 0 with children 1 (action 3) and 2 (action 0); 3 and 4 are children of node 1.

    Node 5 is not in use: its row is zeros, like the rows of a new tree.
    """
    value = np.array([0.1, 0.2, -0.5, 0.3, -0.4, 0.0], np.float32)
    return TreeFindings(
        action=np.int32(3),
        policy=np.array([0.2, 0, 0.1, 0.7], np.float32),
        prior=np.array([0.5, 0, 0.25, 0.25], np.float32),
        used=np.int32(5),
        parent=np.array([0, 0, 0, 1, 1, 0], np.int32),
        edge_action=np.array([0, 3, 0, 2, 1, 0], np.int32),
        visits=np.array([5, 3, 1, 1, 1, 0], np.int32),
        values=np.stack([value, -value], axis=-1),
        seat=np.array([0, 1, 1, 0, 0, 0], np.int8),
    )


def test_moves_are_ordered_by_visits_and_show_the_value_of_the_seat_to_move():
    moves = root_moves(findings(), 0, LEGAL)
    assert [(move.action, move.visits) for move in moves] == [(3, 3), (0, 1), (2, 0)]
    assert [move.value for move in moves] == [np.float32(0.2), np.float32(-0.5), None]


def test_of_equally_visited_replies_the_one_better_for_its_mover_is_expected():
    # Seat 1 moves at node 1 and prefers node 4, which is worth 0.4 to it.
    assert root_moves(findings(), 0, LEGAL)[0].replies == (1,)


def move(action, visits, policy):
    return RootMove(action, visits, 0.0, 0.5, policy, ())


def text_of(action):
    return f"move {action}"


def test_gumbel_is_explained_only_where_it_plays_another_move_than_the_most_probable():
    moves = [move(1, 8, 0.4), move(2, 8, 0.1), move(0, 4, 0.5)]
    words = explain(Gumbel(gumbel_scale=0), 1, moves, text_of)
    assert words.startswith("Gumbel plays move 1 although move 0 is more probable")
    assert "among the 2 with the most visits (8)" in words and "move 0 has 4" in words
    assert "noise" not in words
    assert "Gumbel noise" in explain(Gumbel(gumbel_scale=1), 1, moves, text_of)
    assert explain(Gumbel(), 0, moves, text_of) is None


def test_gumbel_noise_between_equally_visited_moves_is_named():
    moves = [move(1, 8, 0.4), move(2, 8, 0.6)]
    words = explain(Gumbel(gumbel_scale=1), 1, moves, text_of)
    assert "both have 8 visits, and exploration noise of scale 1" in words
    assert "chance decides" in explain(Gumbel(gumbel_scale=0), 1, moves, text_of)


def test_puct_is_explained_where_it_draws_a_move_with_fewer_visits():
    moves = [move(1, 8, 0.8), move(2, 2, 0.2)]
    words = explain(Puct(temperature=1.0), 2, moves, text_of)
    assert words.startswith("PUCT drew move 2 at random") and "move 1" in words
    assert explain(Puct(temperature=1.0), 1, moves, text_of) is None
    assert explain(Uct(), 2, moves, text_of) is None
