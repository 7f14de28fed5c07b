"""`Reviewer`: losses of moves against the best one, in chances or in points, and their marks."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.analysis import afterstate_values
from jaxgames.analysis.analysis import Analysis, analyse_batch
from jaxgames.analysis.host_states import step
from jaxgames.analysis.review import LEAST_LOSSES, ReviewedMove, Reviewer, average_losses
from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.networks.config import AfterstateConfig
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.search.planning.afterstate_domain import AfterstateDomain
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.one_step import OneStep

ENV = jaxgames.make("onitama")
GUMBEL = registry.make("gumbel:evaluator=uniform,simulations=64", ENV)
CARDS = "tiger,crab|ox,horse|crane"
# The red master stands two squares in front of the temple: the tiger takes it there at once.
WIN_IN_ONE = f"2B2/1b3/2R2/5/5 r {CARDS} 8"


def line(*moves):
    states, actions = [jax.device_get(ENV.text_to_state(WIN_IN_ONE))], []
    for move in moves:
        actions.append(ENV.text_to_action(states[-1], move))
        after = step(ENV, states[-1], np.int32(actions[-1]), jax.random.key(0))
        states.append(jax.device_get(after))
    return states, actions


@pytest.fixture(scope="module")
def reviewer():
    return Reviewer(ENV, GUMBEL)


def test_the_best_move_loses_nothing_and_the_outcome_is_reached(reviewer):
    review = reviewer.review(*line("tiger:c3c5"))
    (move,) = review.moves
    assert (move.move, move.best, move.loss, move.mark("chance")) == (
        "tiger:c3c5",
        "tiger:c3c5",
        0.0,
        "",
    )
    assert review.analyses[1] is None, "the game is over"
    assert review.unit == "chance" and move.expected == (1.0, 0.0)


def test_a_missed_win_loses_the_difference_of_the_chances(reviewer):
    states, actions = line("crab:c3a3")
    review = reviewer.review(states, actions)
    (move,) = review.moves
    assert move.best == "tiger:c3c5" and move.expected == (1.0, 0.0)
    assert move.loss == pytest.approx(1.0 - move.reached[0]) and move.loss > 0.3
    assert move.mark("chance") == "blunder"
    assert review.average_losses(2) == (pytest.approx(move.loss), None)
    assert review.analyses[1].seat == 1, "the position after the last move is analysed too"


def test_positions_are_searched_in_batches_of_one_size(reviewer, monkeypatch):
    sizes, judged = [], Analysis(0, 0, "a", (), values=(0.0, 0.0))
    monkeypatch.setattr(
        "jaxgames.analysis.review.analyse_batch",
        lambda env, states, *rest: sizes.append(len(states)) or [judged] * len(states),
    )
    states = line("crab:c3a3")[0] * 5
    assert [at for at, _ in reviewer.analyses(states, batch=4)] == list(range(10))
    assert sizes == [4, 4, 4]


def test_a_player_without_values_is_refused_at_its_first_position(monkeypatch):
    searches = []

    def watched(*arguments):
        searches.append(arguments)
        return analyse_batch(*arguments)

    monkeypatch.setattr("jaxgames.analysis.review.analyse_batch", watched)
    states, _ = line("crab:c3a3")
    reviewer = Reviewer(ENV, registry.make("random", ENV))
    with pytest.raises(ValueError, match="random gives no values"):
        list(reviewer.analyses(states * 5, batch=1))
    assert len(searches) == 1


def test_a_network_judges_both_positions_and_the_end_counts_as_it_is():
    network = AfterstateNetwork(AfterstateDomain(ENV.rules), AfterstateConfig(hidden=(4,)))
    params = network.init(jax.random.key(0))
    params["layers"][1]["bias"] = params["layers"][1]["bias"] + 0.5
    domain = PlannerDomain(ENV.rules, lambda state: np.zeros(2, np.float32))
    learned = Player("learned", OneStep(domain, 64, 8, network), params)
    won = Reviewer(ENV, learned).review(*line("tiger:c3c5")).moves[0]
    assert won.reached == (1.0, 0.0)
    moved = Reviewer(ENV, learned).review(*line("crab:c3a3")).moves[0]
    assert moved.reached[0] == pytest.approx((1 + np.tanh(0.5)) / 2)


def test_points_lost_are_those_of_the_lead_over_the_mean_of_the_others():
    assert afterstate_values.own((90.0, 80.0, 60.0), 0, "points") == 20.0
    assert afterstate_values.own((0.7, 0.3), 1, "chance") == 0.3


def test_losses_are_marked_by_the_table_and_forced_moves_do_not_count():
    def judged(loss, seat=0, is_forced=False):
        return ReviewedMove(seat, "a", "b", is_forced, (0.5, 0.5), (0.5, 0.5), loss)

    for unit, least in LEAST_LOSSES.items():
        marks = [judged(loss).mark(unit) for loss in (0.0, *least)]
        assert marks == ["", "inaccuracy", "mistake", "blunder"]
    moves = [judged(0.2), judged(0.4), judged(0.0, is_forced=True), judged(0.0, 1, True)]
    assert average_losses(moves, 2) == (pytest.approx(0.3), None)
