"""`analyse`: what it reports is what the player finds and does."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from agents.play.session import positions
from jaxgames.analysis import host_states
from jaxgames.analysis.analysis import analyse, analyse_batch
from jaxgames.analysis.notation import Notation
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.search.agent import Decision
from jaxgames.search.evaluators.integer_score import Learned

KEY = jax.random.key(3)
ENV = jaxgames.make("onitama")
SIMULATIONS = 16
GUMBEL = registry.make(f"gumbel:evaluator=uniform,simulations={SIMULATIONS}", ENV)
CARDS = "tiger,crab|ox,horse|crane"
# The red master stands two squares in front of the temple: the tiger takes it there at once.
WIN_IN_ONE = f"2B2/1b3/2R2/5/5 r {CARDS} 8"
QUIET = f"bbBbb/5/5/5/rrRrr r {CARDS} 0"


def position(text):
    return jax.device_get(ENV.text_to_state(text))


@pytest.fixture(scope="module")
def analyses():
    states = [position(QUIET), position(WIN_IN_ONE)]
    return states, analyse_batch(ENV, states, GUMBEL, 30, KEY)


def test_a_tree_search_shows_the_move_that_the_player_plays(analyses):
    states, found = analyses
    batch = jax.tree.map(lambda *x: np.stack(x), *(state.game for state in states))
    agent = GUMBEL.agent
    decision = jax.jit(agent.act)(GUMBEL.params, agent.reset(2), batch, KEY)[0]
    assert [analysis.action for analysis in found] == decision.action.tolist()
    for analysis, values in zip(found, np.asarray(decision.values), strict=True):
        np.testing.assert_allclose(analysis.values, values)


def test_visits_priors_and_policy_add_up(analyses):
    states, found = analyses
    for state, analysis in zip(states, found, strict=True):
        assert analysis.visits == 1 + SIMULATIONS
        assert sum(move.visits for move in analysis.moves) == SIMULATIONS
        assert len(analysis.moves) == state.legal_action_mask.sum()
        for name in ("prior", "policy"):
            assert sum(getattr(m, name) for m in analysis.moves) == pytest.approx(1, abs=1e-5)


def test_the_value_of_a_position_is_the_mean_over_its_root_and_moves(analyses):
    for analysis in analyses[1]:
        total = sum(move.visits * move.value for move in analysis.moves if move.visits)
        # The uniform evaluator gives the root 0.
        assert analysis.values[analysis.seat] == pytest.approx(total / analysis.visits, abs=1e-5)


def test_variations_can_be_played_and_moves_without_visits_have_one_move(analyses):
    for start, analysis in zip(*analyses, strict=True):
        for move in analysis.moves:
            state = start
            for text in move.variation:
                state = ENV.step(state, ENV.text_to_action(state, text))
            assert move.variation[0] == move.move
            assert (move.value is None) == (move.visits == 0)
            assert len(move.variation) <= max(move.visits, 1)


def test_a_win_in_one_is_found_with_its_value(analyses):
    best = analyses[1][1].moves[0]
    assert best.move == "tiger:c3c5"
    assert best.value == 1 and best.variation == ("tiger:c3c5",)


def test_an_alpha_beta_player_shows_score_and_variation():
    player = registry.make("alpha_beta:depth=2", ENV)
    quiet, win = analyse_batch(ENV, [position(QUIET), position(WIN_IN_ONE)], player)
    assert quiet.values is None and quiet.depth == 2 and len(quiet.moves[0].variation) == 2
    assert win.values == (1, -1) and win.move == "tiger:c3c5"
    assert win.score > quiet.score


@dataclasses.dataclass(frozen=True)
class Undecided:
    """Values that are zero for both seats."""

    def returns(self, params, state, seat):
        return jnp.zeros((len(seat), 2))


def test_an_alpha_beta_player_with_learned_values_shows_them_even_if_they_are_zero():
    player = registry.make("alpha_beta:depth=2", ENV)
    search = dataclasses.replace(
        player.agent.search, score=Learned(ENV.rules, Undecided()), shares_params=True
    )
    player = player._replace(agent=dataclasses.replace(player.agent, search=search), params=())
    analysis = analyse(ENV, position(QUIET), player)
    assert analysis.values == (0, 0) and analysis.moves[0].value == 0


def test_a_player_that_does_not_evaluate_shows_its_policy_alone():
    analysis = analyse(ENV, position(QUIET), registry.make("random", ENV), top=3)
    assert analysis.values is None and analysis.visits is None
    assert len(analysis.moves) == 3 and analysis.moves[0].action == analysis.action


class Uniform:
    """An agent of a user: all legal moves are equal to it, and so is every position."""

    def reset(self, batch_size):
        return ()

    def act(self, params, memory, state, key):
        legal = jax.vmap(ENV.rules.legal_actions)(state)
        policy = legal / legal.sum(axis=1, keepdims=True)
        return Decision(legal.argmax(axis=1), policy, jnp.zeros((len(legal), 2))), memory


class UniformPrior(Uniform):
    evaluates = shows_prior = True


@pytest.mark.parametrize(("agent", "values"), [(Uniform(), None), (UniformPrior(), (0, 0))])
def test_an_agent_of_a_user_shows_its_policy_and_values_that_count(agent, values):
    state = position(QUIET)
    analysis = analyse(ENV, state, Player("uniform", agent, ()))
    best = analysis.moves[0]
    assert analysis.values == values and best.action == analysis.action
    assert best.policy == pytest.approx(1 / state.legal_action_mask.sum())
    assert best.prior == (None if values is None else best.policy)


def test_games_that_are_over_and_empty_batches_are_refused():
    over = ENV.step(position(WIN_IN_ONE), ENV.text_to_action(position(WIN_IN_ONE), "tiger:c3c5"))
    with pytest.raises(ValueError, match="the game is over"):
        analyse(ENV, over, GUMBEL)
    with pytest.raises(ValueError, match="top must be at least 1, got 0"):
        analyse(ENV, position(QUIET), GUMBEL, top=0)
    with pytest.raises(ValueError, match="at least one position"):
        analyse_batch(ENV, [], GUMBEL)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["murus_gallicus", "terra_mystica", "tribes"])
def test_other_games_are_analysed_with_chance_and_hidden_information(game):
    env = jaxgames.make(game)
    state = jax.device_get(env.init(KEY))
    player = registry.make("gumbel:evaluator=uniform,simulations=16,max_children=3", env)
    analysis = analyse(env, state, player)
    assert len(analysis.values) == env.num_players
    assert env.text_to_action(state, analysis.move) == analysis.action
    assert any(len(move.variation) > 1 for move in analysis.moves)


def test_variations_are_played_by_the_program_that_plays_moves_on_the_page():
    state = positions.read(ENV, positions.start(ENV, 0))
    first = int(np.flatnonzero(state.legal_action_mask)[0])
    after = positions.step(ENV, state, first, positions.new_key(ENV, 0, 1))
    programs = host_states._step._cache_size()
    second = int(np.flatnonzero(after.legal_action_mask)[0])
    texts = Notation(ENV, state, jax.random.key(0)).variation([first, second])
    assert texts == (ENV.action_to_text(state, first), ENV.action_to_text(after, second))
    assert host_states._step._cache_size() == programs
