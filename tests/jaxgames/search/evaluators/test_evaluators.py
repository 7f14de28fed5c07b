import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.knowledge import score_of
from jaxgames.players.onitama.score import material
from jaxgames.rules import Rules
from jaxgames.search.evaluators.afterstates import AfterstateEvaluator
from jaxgames.search.evaluators.heuristic import Heuristic
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.uniform import Shuffled, Uniform
from papers.onitama_report.game import score as report_score

CARDS = "boar,ox|elephant,horse|crab"
# Blue has lost two students, Red one.
THREE_TO_TWO = f"b1Bb1/5/5/5/rrRr1 {{seat}} {CARDS} 0"


def batch_of(env, *texts):
    games = [env.text_to_state(text).game for text in texts]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *games)


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("onitama")


@pytest.fixture(scope="module")
def start(env):
    return jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 64))


def test_material_is_the_lead_in_students_for_each_seat(env):
    games = batch_of(env, THREE_TO_TWO.format(seat="r"), THREE_TO_TWO.format(seat="b"))
    np.testing.assert_array_equal(jax.vmap(material)(games), [[0.25, -0.25], [0.25, -0.25]])


def test_material_of_the_report_variant_equals_that_of_the_plain_game():
    rules = jaxgames.make("onitama_report").rules

    def playout(key):
        def ply(game, key):
            moved = rules.step(game, rules.sample_action(game, jax.random.bits(key)), None)
            stays = rules.is_over(moved)
            game = jax.tree.map(lambda x, y: jnp.where(stays, x, y), game, moved)
            own, other = (game.own_squares[:4] >= 0).sum(), (game.other_squares[:4] >= 0).sum()
            lead = jnp.where(game.seat == 0, own - other, other - own)
            return game, (report_score.material(game), lead)

        return jax.lax.scan(ply, rules.init(key), jax.random.split(key, 25))[1]

    scores, leads = jax.jit(jax.vmap(playout))(jax.random.split(jax.random.key(1), 20))
    np.testing.assert_array_equal(scores[..., 0], leads / 4)
    np.testing.assert_array_equal(scores[..., 1], -leads / 4)
    assert (leads > 0).any()
    assert (leads < 0).any()


def test_every_game_with_a_heuristic_names_a_function():
    for name in jaxgames.available():
        env = jaxgames.make(name)
        state = jax.eval_shape(env.rules.init, jax.random.key(0))
        assert jax.eval_shape(score_of(env), state).shape == (2,)


def test_heuristic_evaluator_has_scores_as_values_and_no_prior(env):
    evaluator = Heuristic(env.rules, score_of(env))
    games = batch_of(env, THREE_TO_TWO.format(seat="b"))
    evaluation = evaluator((), games, jax.random.key(0))
    np.testing.assert_array_equal(evaluation.values, [[0.25, -0.25]])
    np.testing.assert_array_equal(evaluation.logits, np.zeros((1, env.num_actions)))


@pytest.mark.parametrize("width", [1, 3, 8])
def test_heuristic_gives_a_prior_of_the_scores_of_successors(env, width):
    games = batch_of(env, *(THREE_TO_TWO.format(seat=seat) for seat in "rbr"))
    evaluator = Heuristic(env.rules, score_of(env), temperature=0.5, width=width)
    logits = np.asarray(jax.jit(evaluator)((), games, jax.random.key(0)).logits)
    for row in range(3):
        game = jax.tree.map(lambda x, row=row: x[row], games)
        seat, mask = int(env.rules.to_move(game)), np.asarray(env.rules.legal_actions(game))
        for action in np.flatnonzero(mask):
            after = env.rules.step(game, jnp.int32(action), None)
            is_over = env.rules.is_over(after)
            value = (env.rules.returns(after) if is_over else score_of(env)(after))[seat]
            assert logits[row, action] == pytest.approx(float(value) / 0.5)
        assert (logits[row, ~mask] == 0).all()
    assert logits.max() > logits.min()


@pytest.mark.parametrize("spread", [0.1, 64.0])
def test_shuffled_adds_noise_to_the_logits_and_nothing_to_values(env, start, spread):
    judge = Heuristic(env.rules, score_of(env), temperature=0.5)
    plain = judge((), start, jax.random.split(jax.random.key(5))[1])
    found = Shuffled(env.rules, judge, spread)((), start, jax.random.key(5))
    np.testing.assert_array_equal(found.values, plain.values)
    noise = np.asarray(found.logits - plain.logits) / spread
    assert noise.min() >= -1e-5 and noise.max() < 1 + 1e-5
    assert abs(noise.mean() - 0.5) < 0.02


def test_uniform_knows_nothing(env, start):
    evaluation = Uniform(env.rules)((), start, jax.random.key(0))
    np.testing.assert_array_equal(evaluation.values, np.zeros((64, 2)))
    np.testing.assert_array_equal(evaluation.logits, np.zeros((64, env.num_actions)))


def test_evaluators_are_hashable_and_equal_by_value(env):
    rules = env.rules
    for make in (Uniform, Rollout, functools.partial(Heuristic, score=material)):
        assert hash(make(rules)) == hash(make(rules))
        assert make(rules) == make(rules)


def test_rollouts_average_outcomes_of_both_seats(env, start):
    evaluation = jax.jit(Rollout(env.rules, rollouts=8))((), start, jax.random.key(2))
    values = np.asarray(evaluation.values)
    np.testing.assert_array_equal(values.sum(axis=1), 0)
    # Nearly every random game has a winner, so eight of them add up to an even number of eighths.
    np.testing.assert_array_equal(values * 8 % 2, 0)
    assert len(np.unique(values)) > 3
    assert abs(values[:, 0].mean()) < 5 / np.sqrt(64 * 8)


def test_rollout_is_cut_off_at_max_steps(env, start):
    evaluation = jax.jit(Rollout(env.rules, max_steps=2))((), start, jax.random.key(2))
    np.testing.assert_array_equal(evaluation.values, np.zeros((64, 2)))  # no game ends that soon


def test_rollout_of_a_finished_game_is_its_outcome(env):
    over = batch_of(env, f"bb1bb/5/5/5/rrRrr b {CARDS} 7")
    evaluation = jax.jit(Rollout(env.rules, rollouts=3))((), over, jax.random.key(0))
    np.testing.assert_array_equal(evaluation.values, [[1, -1]])


class LinearReturns:
    """Stands in for a network: the score, stretched by the parameter, of the seat that acted."""

    def returns(self, params, state, seat):
        del seat
        return jnp.tanh(params * jax.vmap(material)(state))


NETWORK = LinearReturns()


def test_values_of_afterstates_give_the_prior_and_their_mean_under_it(env):
    texts = [THREE_TO_TWO.format(seat=seat) for seat in "rb"]
    games = batch_of(env, *texts)
    evaluator = AfterstateEvaluator(env.rules, NETWORK, temperature=0.1, width=3)
    found = jax.jit(evaluator)(jnp.float32(2.0), games, jax.random.key(0))
    for row in range(2):
        game = jax.tree.map(lambda x, row=row: x[row], games)
        seat, mask = int(env.rules.to_move(game)), np.asarray(env.rules.legal_actions(game))
        values = []
        for action in np.flatnonzero(mask):
            after = env.rules.step(game, jnp.int32(action), None)
            is_over = bool(env.rules.is_over(after))
            value = env.rules.returns(after) if is_over else jnp.tanh(2.0 * material(after))
            values.append(np.asarray(value))
            assert found.logits[row, action] == pytest.approx(float(value[seat]) / 0.1, rel=1e-5)
        own = np.array(values)[:, seat] / 0.1
        share = np.exp(own - own.max()) / np.exp(own - own.max()).sum()
        np.testing.assert_allclose(found.values[row], share @ np.array(values), atol=1e-6)


@dataclasses.dataclass(frozen=True)
class OnlyLast:
    """Chooses among the last two legal actions."""

    rules: Rules

    def choices(self, state, legal):
        return legal & (jnp.cumsum(legal[::-1])[::-1] <= 2)


def test_actions_that_are_not_chosen_have_no_share_in_prior_and_value(env):
    games = batch_of(env, THREE_TO_TWO.format(seat="r"))
    legal = np.asarray(env.rules.legal_actions(jax.tree.map(lambda x: x[0], games)))
    chosen = np.flatnonzero(legal)[-2:]
    full = AfterstateEvaluator(env.rules, NETWORK, 0.1)
    part = dataclasses.replace(full, choosing=OnlyLast(env.rules))
    whole, found = (jax.jit(f)(jnp.float32(2.0), games, jax.random.key(0)) for f in (full, part))
    np.testing.assert_array_equal(found.logits[0, chosen], whole.logits[0, chosen])
    others = np.setdiff1d(np.flatnonzero(legal), chosen)
    assert len(others) and (found.logits[0, others] < whole.logits[0, legal].min() - 1e5).all()
    share = np.asarray(jax.nn.softmax(whole.logits[0, chosen]))
    after = [
        env.rules.step(jax.tree.map(lambda x: x[0], games), jnp.int32(a), None) for a in chosen
    ]
    values = np.array([np.asarray(jnp.tanh(2.0 * material(game))) for game in after])
    np.testing.assert_allclose(found.values[0], share @ values, atol=1e-6)


def test_a_game_that_is_over_has_no_value_of_afterstates(env):
    state = env.text_to_state(THREE_TO_TWO.format(seat="r"))
    step = jax.jit(env.step)
    while not state.terminated:
        state = step(state, state.legal_action_mask.argmax())
    game = jax.tree.map(lambda x: x[None], state.game)
    evaluate = jax.jit(AfterstateEvaluator(env.rules, NETWORK))
    found = evaluate(jnp.float32(2.0), game, jax.random.key(0))
    np.testing.assert_array_equal(found.values, [[0.0, 0.0]])
