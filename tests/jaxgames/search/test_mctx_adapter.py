"""The search by mctx against exhaustive search; its promises about illegal moves and ends."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.search import action_slots
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.testing import playouts
from tests import turn_nim
from tests.turn_nim import CHOOSING, Exact, TurnNim, both_seats, mistakes

RULES = TurnNim()
POSITIONS = turn_nim.all_positions()
KEY = jax.random.key(0)


@dataclasses.dataclass(frozen=True)
class FixedDiscount(MctxGumbel):
    """A wrong sign rule: the seats are believed to alternate always (-1) or never (+1)."""

    discount: float = -1.0

    def _recurrent(self, params, key, slot, state):
        output, after = super()._recurrent(params, key, slot, state)
        return output.replace(discount=jnp.abs(output.discount) * self.discount), after


NO_NOISE = Gumbel(gumbel_scale=0.0)
EXACT = MctxGumbel(RULES, Exact(), NO_NOISE, simulations=8)
UNIFORM = MctxGumbel(RULES, Uniform(RULES), NO_NOISE, simulations=256)


@functools.partial(jax.jit, static_argnums=0)
def act(search, state, key=KEY):
    return search.act((), (), state, key)[0]


@functools.cache
def decided(search):
    """Returns the decisions of a search in all positions."""
    return jax.device_get(act(search, both_seats(POSITIONS)))


def test_with_exact_values_every_move_is_optimal():
    assert len(POSITIONS) == 151
    decision = decided(EXACT)
    assert mistakes(POSITIONS * 2, decision.action) == []


def test_with_rewards_alone_every_move_is_optimal_in_all_but_the_opening_positions():
    decision = decided(UNIFORM)
    wrong = mistakes(POSITIONS * 2, decision.action)
    # A full set of eight stones is up to sixteen plies from its end.
    assert [position for position, _ in wrong if sum(position[0]) < 8] == []


@pytest.mark.parametrize("discount", [-1.0, pytest.param(1.0, marks=pytest.mark.slow)])
def test_sign_rule_that_ignores_the_seats_plays_badly(discount):
    wrong = FixedDiscount(RULES, Exact(), NO_NOISE, simulations=8, discount=discount)
    decision = act(wrong, both_seats(POSITIONS))
    assert len(mistakes(POSITIONS * 2, decision.action)) >= 10


def test_values_belong_to_the_seat_that_moves():
    values = decided(EXACT).values
    first, second = np.split(values, 2)
    np.testing.assert_array_equal(values[:, 0], -values[:, 1])
    np.testing.assert_array_equal(first, -second)
    # The search tries bad moves too, so only the sign of its mean is certain, and only where all
    # moves are worth the same.
    worth = [set(turn_nim.outcomes(position).values()) for position in POSITIONS]
    lost, won = np.array([w == {-1} for w in worth]), np.array([w == {1} for w in worth])
    assert lost.sum() > 50 and won.sum() > 20
    assert (first[lost, 0] < 0).all() and (first[won, 0] > 0).all()


@pytest.mark.parametrize("search", [EXACT, UNIFORM], ids=["exact", "uniform"])
def test_policy_is_a_distribution_over_the_legal_actions(search):
    state = both_seats(POSITIONS)
    decision = decided(search)
    mask = np.asarray(jax.vmap(RULES.legal_actions)(state))
    policy = np.asarray(decision.policy)
    assert mask[np.arange(len(mask)), decision.action].all()
    assert (policy[~mask] == 0).all() and (policy[mask] > 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    # The better of two actions has the greater share.
    for position, row in zip(POSITIONS * 2, policy, strict=True):
        outcomes = turn_nim.outcomes(position)
        good = [row[a] for a, worth in outcomes.items() if worth == 1]
        bad = [row[a] for a, worth in outcomes.items() if worth == -1]
        if search is EXACT and good and bad:
            assert min(good) > max(bad)


def test_games_of_a_batch_do_not_influence_each_other():
    state = both_seats(POSITIONS)
    size = 2 * len(POSITIONS)
    decision = act(EXACT, state)
    order = np.random.default_rng(1).permutation(size)
    shuffled = act(EXACT, playouts.at(state, order))
    jax.tree.map(np.testing.assert_array_equal, shuffled, playouts.at(decision, order))


def test_finished_games_in_a_batch_do_no_harm():
    state = both_seats(POSITIONS)
    finished = np.arange(2 * len(POSITIONS)) % 3 == 0
    mixed = state.replace(
        heaps=jnp.where(finished[:, None], 0, state.heaps),
        chosen=jnp.where(finished, CHOOSING, state.chosen).astype(jnp.int8),
    )
    clean, found = act(EXACT, state), act(EXACT, mixed)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(found))
    jax.tree.map(
        np.testing.assert_array_equal,
        playouts.at(found, ~finished),
        playouts.at(clean, ~finished),
    )
    assert (found.values[finished] == 0).all()
    assert (found.policy[finished] == 0).all()


def test_tree_holds_legal_moves_only_and_nothing_happens_below_a_finished_node():
    tree = jax.jit(EXACT.search)((), both_seats(POSITIONS), KEY)[0].search_tree
    states, _ = tree.embeddings
    nodes = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
    mask = np.asarray(jax.vmap(RULES.legal_actions)(nodes))
    over = np.asarray(jax.vmap(RULES.is_over)(nodes))
    expanded = np.asarray(tree.node_visits).reshape(-1) > 0
    slots = RULES.max_legal_actions
    visits = np.asarray(tree.children_visits).reshape(-1, slots)
    rewards = np.asarray(tree.children_rewards).reshape(-1, slots)
    filled = np.arange(slots) < mask.sum(axis=1, keepdims=True)

    inner = expanded & ~over
    assert (visits[inner].sum(axis=1) > 0).sum() > 1000
    assert (visits[inner][~filled[inner]] == 0).all()
    finished = expanded & over
    assert (visits[finished].sum(axis=1) > 0).any()
    assert (rewards[finished] == 0).all()
    assert (np.asarray(tree.node_values).reshape(-1)[finished] == 0).all()
    child = np.asarray(tree.children_index)
    below = [
        (game, node, child[game, node, slot])
        for game, node, slot in np.argwhere(child >= 0)
        if over.reshape(child.shape[:2])[game, node]
    ]
    assert below
    for game, node, under in below:
        same = [playouts.at(states, (game, which)) for which in (node, under)]
        jax.tree.map(np.testing.assert_array_equal, *same)


def test_gumbel_noise_varies_the_choice_among_equals_and_only_then():
    start = turn_nim.batch([((2, 2, 2), CHOOSING)] * 2 * len(POSITIONS), 0)
    noisy = dataclasses.replace(EXACT, policy=Gumbel())
    assert set(np.asarray(act(noisy, start).action)) == {0, 1, 2}
    assert set(np.asarray(act(EXACT, start).action)) == {0}
    other_key = act(EXACT, start, jax.random.key(1))
    np.testing.assert_array_equal(other_key.policy, act(EXACT, start).policy)


@pytest.mark.slow
def test_onitama_wins_in_one_are_found_without_knowledge():
    rules = jaxgames.make("onitama").rules
    games = playouts.play(rules, seed=3)
    states = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), games.states)

    @jax.jit
    @jax.vmap
    def winning(state):
        actions, filled = action_slots.legal_list(
            action_slots.pack(rules.legal_actions(state)[None]), rules.max_legal_actions
        )
        after = jax.vmap(rules.step, in_axes=(None, 0, None))(state, actions[0], None)
        wins = jax.vmap(rules.returns)(after)[:, rules.to_move(state)] > 0
        wins = jnp.zeros(rules.num_actions, bool).at[actions[0]].max(wins & filled[0])
        return wins & ~rules.is_over(state), filled[0].sum()

    wins, choices = (np.asarray(x) for x in winning(states))
    simulations = 32
    # A prior that knows nothing gives no reason to look at more moves than there are simulations.
    chosen = np.flatnonzero(wins.any(axis=1) & (choices <= simulations) & (choices >= 8))[:128]
    assert len(chosen) == 128
    search = MctxGumbel(rules, Uniform(rules), Gumbel(simulations, 0.0), simulations)
    decision = act(search, playouts.at(states, chosen))
    assert wins[chosen, decision.action].all()
    assert (np.asarray(decision.policy) * wins[chosen]).sum(axis=1).min() > 0.5
