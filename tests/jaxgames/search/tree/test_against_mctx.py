"""Our search against mctx: with the same network, key and noise it must be the same search.

Where rounding decides between two actions, each search may take another one. Such a position is
accepted only if both outcomes are among those of a search in 64-bit numbers that breaks its ties in
all possible ways.
"""

import dataclasses
import functools
import logging
from typing import NamedTuple
from unittest import mock

import jax
import mctx
import numpy as np
import pytest

import jaxgames
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.testing import playouts
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.turn_nim import TurnNim

log = logging.getLogger(__name__)

ONITAMA = jaxgames.make("onitama", deck="all", planes="board").rules
TURN_NIM = TurnNim()  # two plies a turn
LANES = {ONITAMA: 32, TURN_NIM: 302}  # of one compiled call
GUMBEL = Gumbel(max_considered=8, gumbel_scale=1.0)
UNSCALED = Gumbel(max_considered=8, gumbel_scale=1.0, rescale_values=False)
# Actions drawn by the visits are only equal if the policies are, down to the last bit.
PUCT = Puct(dirichlet_fraction=0.25, temperature=1.0)
POLICIES = trees.each_policy(gumbel=GUMBEL, puct=PUCT)


@dataclasses.dataclass(frozen=True)
class MctxPuct(MctxGumbel):
    """AlphaZero's search; the root's noise is drawn by our policy."""

    policy: Puct = dataclasses.field(default_factory=Puct)

    def search(self, params, state, key):
        eval_key, search_key = jax.random.split(key)
        root = self._look_at(params, state, eval_key)
        drawn = self.policy.draw(jax.typeof(root.logits), search_key)
        logits, _ = self.policy.prepare(root.logits, root.filled, drawn)
        output = mctx.muzero_policy(
            params=params,
            rng_key=search_key,
            root=mctx.RootFnOutput(
                prior_logits=logits, value=root.value, embedding=(state, root.action)
            ),
            recurrent_fn=self._recurrent,
            num_simulations=self.simulations,
            invalid_actions=~root.filled,
            dirichlet_fraction=0.0,
            temperature=self.policy.temperature,
        )
        return output, root


def reference(rules, evaluator, policy, simulations):
    """Returns the search of mctx that should equal ours."""
    make = MctxPuct if isinstance(policy, Puct) else MctxGumbel
    return make(rules, evaluator, policy, simulations, max_children=rules.num_actions)


def decide(search, state, key):
    """Returns the decision of a search, and the visits of the root's actions."""
    found = search.search((), state, key)
    with mock.patch.object(type(search), "search", return_value=found):
        decision, _ = search.act((), (), state, key)
    return decision, found[0].search_tree.summary().visit_counts


class Outcome(NamedTuple):
    """What searches of some positions found."""

    action: np.ndarray
    policy: np.ndarray
    values: np.ndarray
    visits: np.ndarray  # of all actions


class Chunk(NamedTuple):
    """Positions of one compiled call, with its key."""

    state: object
    key: jax.Array


@functools.cache
def positions(rules):
    """Returns positions that are not over, in a random order."""
    if rules is TURN_NIM:
        found = turn_nim.all_positions()
        return turn_nim.batch(found * 2, np.repeat([0, 1], len(found)))
    games = playouts.play(rules, seed=4)
    states = jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), games.states)
    going_on = np.flatnonzero(~np.asarray(games.over).reshape(-1))
    return playouts.at(states, np.random.default_rng(0).permutation(going_on))


def chunks(rules, number):
    """Returns `number` positions. If there are not as many, they come again with another key."""
    lanes, states = LANES[rules], positions(rules)
    known = len(jax.tree.leaves(states)[0])
    for first in range(0, number, lanes):
        state = playouts.at(states, np.arange(first, first + lanes) % known)
        yield Chunk(state, jax.random.fold_in(jax.random.key(7), first))


@functools.cache
def by_ours(rules, policy, simulations, number, quick=True, **settings):
    search = TreeSearch(rules, RandomFunction(rules), policy, simulations, **settings)

    def decide(state, key):
        decision, found = trees.decide(search, state, key)
        return decision, found.tree

    found = []
    for decision, tree in in_chunks(decide, rules, number, quick):
        found.append(Outcome(*decision, trees.root_visits(tree, rules.num_actions)))
    return joined(found)


@functools.cache
def by_mctx(rules, policy, simulations, number, quick=True):
    search = reference(rules, RandomFunction(rules), policy, simulations)
    found = in_chunks(functools.partial(decide, search), rules, number, quick)
    return joined([Outcome(*decision, visits) for decision, visits in found])


def in_chunks(decide, rules, number, quick):
    has_many_actions = rules.num_actions > trees.FEW_ACTIONS
    compiled = jax.jit(decide, compiler_options=trees.ALIKE if quick and has_many_actions else None)
    return [compiled(*chunk) for chunk in chunks(rules, number)]


def joined(found):
    return jax.tree.map(lambda *parts: np.concatenate(parts), *found)


def require_equal_up_to_ties(rules, policy, simulations, number, ours, theirs):
    """Checks two outcomes of the same positions; returns how many differ."""
    is_equal = (ours.visits == theirs.visits).all(axis=1) & (ours.action == theirs.action)
    same = [playouts.at(outcome, is_equal) for outcome in (ours, theirs)]
    np.testing.assert_allclose(same[0].policy, same[1].policy, atol=2e-5)
    np.testing.assert_allclose(same[0].values, same[1].values, atol=2e-6)
    differing = np.flatnonzero(~is_equal)
    assert len(differing) <= 0.02 * number
    parts = list(chunks(rules, number)) if len(differing) else []
    for position in differing:
        part, lane = divmod(int(position), LANES[rules])
        search = TreeSearch(rules, RandomFunction(rules), policy, simulations)
        known = trees.plain_results(search, *parts[part], lane)
        assert len(known) > 1, f"position {position}: the searches differ, and nothing ties"
        for outcome in (ours, theirs):
            one = playouts.at(outcome, position)
            assert any(is_same(one, result, policy) for result in known), f"position {position}"
    return len(differing)


def is_same(one, result, policy):
    visits = {action: count for action, count in enumerate(one.visits) if count > 0}
    return visits == result.visits and (isinstance(policy, Puct) or one.action in result.actions)


def total_variation(ours, theirs):
    return float(np.abs(ours.policy - theirs.policy).sum(axis=1).mean() / 2)


def preferred(outcome, policy):
    """Returns the actions that would be played in a match."""
    return outcome.policy.argmax(axis=1) if isinstance(policy, Puct) else outcome.action


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        pytest.param(ONITAMA, GUMBEL, id="onitama-gumbel", marks=pytest.mark.slow),
        pytest.param(ONITAMA, PUCT, id="onitama-puct", marks=pytest.mark.slow),
        pytest.param(TURN_NIM, GUMBEL, id="turn_nim-gumbel"),
        pytest.param(TURN_NIM, PUCT, id="turn_nim-puct"),
        pytest.param(TURN_NIM, UNSCALED, id="turn_nim-gumbel of unscaled values"),
        pytest.param(
            ONITAMA, UNSCALED, id="onitama-gumbel of unscaled values", marks=pytest.mark.slow
        ),
    ],
)
def test_search_is_that_of_mctx(rules, policy):
    number = 2 * LANES[rules]
    theirs = by_mctx(rules, policy, 32, number)
    ours = by_ours(rules, policy, 32, number, wide_edges=True)
    require_equal_up_to_ties(rules, policy, 32, number, ours, theirs)
    assert len(np.unique(theirs.action)) >= min(30, rules.num_actions)


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        pytest.param(TURN_NIM, GUMBEL, id="turn_nim-gumbel"),
        pytest.param(ONITAMA, GUMBEL, id="onitama-gumbel", marks=pytest.mark.slow),
        pytest.param(ONITAMA, PUCT, id="onitama-puct", marks=pytest.mark.slow),
    ],
)
def test_narrow_edges_hardly_ever_change_the_action(rules, policy):
    number = 2 * LANES[rules]
    theirs = by_mctx(rules, policy, 32, number)
    narrow = by_ours(rules, policy, 32, number)
    assert (preferred(narrow, policy) == preferred(theirs, policy)).mean() >= 0.98
    assert 0 < total_variation(narrow, theirs) < 0.002


@pytest.mark.parametrize(
    ("rules", "slots"),
    [
        pytest.param(TURN_NIM, 5, id="more than legal"),
        pytest.param(ONITAMA, 77, id="onitama, more than legal", marks=pytest.mark.slow),
        pytest.param(ONITAMA, 202, id="onitama, all actions", marks=pytest.mark.slow),
    ],
)
def test_number_of_slots_changes_nothing_if_all_legal_actions_fit(rules, slots):
    number = 2 * LANES[rules]
    ours = by_ours(rules, GUMBEL, 32, number, wide_edges=True)
    other = by_ours(rules, GUMBEL, 32, number, wide_edges=True, max_children=slots)
    require_equal_up_to_ties(rules, GUMBEL, 32, number, ours, other)


@pytest.mark.slow
@POLICIES
@pytest.mark.parametrize(
    ("rules", "simulations", "number"),
    [
        (ONITAMA, 8, 1024),
        (ONITAMA, 32, 1024),
        (ONITAMA, 100, 1024),
        (ONITAMA, 400, 128),
        (TURN_NIM, 8, 1208),
        (TURN_NIM, 100, 1208),
        (TURN_NIM, 400, 1208),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else type(value).__name__,
)
def test_search_is_that_of_mctx_in_many_positions(rules, simulations, number, policy):
    theirs = by_mctx(rules, policy, simulations, number, quick=False)
    ours = by_ours(rules, policy, simulations, number, quick=False, wide_edges=True)
    ties = require_equal_up_to_ties(rules, policy, simulations, number, ours, theirs)
    log.info(
        "%s, %s, %d simulations, %d positions: %d differ by a tie; distance of the policies %.1e",
        *(type(rules).__name__, type(policy).__name__, simulations, number, ties),
        total_variation(ours, theirs),
    )


@pytest.mark.slow
@POLICIES
@pytest.mark.parametrize("simulations", [8, 32, 100, 400])
def test_narrow_edges_hardly_ever_change_the_action_in_many_positions(simulations, policy):
    wide, narrow = (
        by_ours(ONITAMA, policy, simulations, 2048, quick=False, wide_edges=is_wide)
        for is_wide in (True, False)
    )
    same_action = (preferred(narrow, policy) == preferred(wide, policy)).mean()
    distance = total_variation(narrow, wide)
    log.info(
        "%s, %d simulations, narrow edges: same action %.4f, same visits %.4f, distance %.5f",
        *(type(policy).__name__, simulations, same_action),
        *((narrow.visits == wide.visits).all(axis=1).mean(), distance),
    )
    assert same_action >= 0.98 and distance < 0.02
