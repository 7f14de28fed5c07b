"""Endgames of Onitama whose best moves are known: found by search alone, and with exact values."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import solved_positions
from jaxgames.onitama import cards, endgames, notation
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests import locations
from tests.jaxgames.search.tree import trees

RULES = solved_positions.RULES
GOLDEN = locations.GOLDEN / "onitama"
CARDS = ("dragon", "elephant", "goose", "monkey", "rooster")
CARD_IDS = tuple(sorted(cards.CARD_IDS[name] for name in CARDS))
NUM_ENDGAMES = 400
KEY = jax.random.key(0)
POLICIES = trees.each_policy(
    slow=("puct",), gumbel=Gumbel(gumbel_scale=0.0), puct=Puct(dirichlet_fraction=0.0)
)


@POLICIES
def test_wins_and_losses_within_five_plies_are_played_best_without_knowledge(policy):
    solved = solved_positions.read_positions(GOLDEN, 100, seed=0)
    search = TreeSearch(RULES, Uniform(RULES), policy, simulations=2048)
    decision, _ = jax.device_get(trees.decide_compiled(search, solved.games, KEY))
    near = (solved.distances > 0) & (solved.distances <= 5)
    assert near.sum() == 28
    is_best = solved.best[np.arange(len(near)), decision.action]
    assert is_best[near].all()
    # Not every move would have been a best one.
    mask = np.asarray(jax.vmap(RULES.legal_actions)(solved.games))
    assert solved.best[near].sum() < mask[near].sum() / 2


@dataclasses.dataclass(frozen=True)
class Solved:
    """Exact values by the table given as parameters; a win is worth more the sooner it comes."""

    def __call__(self, params, state, key):
        distance = params[endgames.indices(state, jnp.asarray(CARD_IDS))].astype(jnp.float32)
        value = jnp.sign(distance) * 0.95 ** jnp.abs(distance)
        own = jnp.arange(2) == state.seat[:, None]
        values = jnp.where(own, value[:, None], -value[:, None])
        return Evaluation(jnp.zeros((len(value), RULES.num_actions)), values)


@functools.cache
def random_endgames():
    """Returns random positions with masters only, and the table of their values."""
    random = np.random.default_rng(0)
    pieces = endgames.placements(max_students=0)
    texts = []
    for place in random.integers(len(pieces.own_master), size=NUM_ENDGAMES):
        board = ["1"] * cards.NUM_SQUARES
        board[int(pieces.own_master[place])] = "R"
        board[cards.NUM_SQUARES - 1 - int(pieces.other_master[place])] = "B"
        rows = ["".join(board[first : first + cards.SIDE]) for first in (20, 15, 10, 5, 0)]
        dealt = random.permutation(CARDS)
        deal = f"{dealt[0]},{dealt[1]}|{dealt[2]},{dealt[3]}|{dealt[4]}"
        texts.append(f"{'/'.join(rows)} r {deal} 0")
    positions = [notation.text_to_state(RULES, text) for text in texts]
    games = jax.tree.map(lambda *leaves: jnp.stack(leaves), *positions)
    return games, jnp.asarray(endgames.solve(CARD_IDS, max_students=0))


def moves_of_most(worth, moves):
    """Returns the mask of the legal moves that are worth most."""
    worth = np.where(moves.legal, worth, -9999)
    lane, column = np.nonzero(moves.legal & (worth == worth.max(axis=1, keepdims=True)))
    chosen = np.zeros((len(worth), RULES.num_actions), bool)
    chosen[lane, moves.actions[lane, column]] = True
    return chosen


@pytest.mark.slow  # test_exhaustive.py has exact values of small games
@POLICIES
def test_with_exact_values_no_move_gives_anything_away(policy):
    games, table = random_endgames()
    search = TreeSearch(RULES, Solved(), policy, simulations=256)
    decision, _ = jax.device_get(trees.decide_compiled(search, games, KEY, table))

    moves = jax.device_get(endgames.moves_of(games, jnp.asarray(CARD_IDS)))
    reply = np.asarray(table, int)[moves.successors]
    outcome = np.where(moves.wins, 1, -np.sign(reply))
    keeps_value = moves_of_most(outcome, moves)
    # Wins are to be quick and losses slow.
    distance = np.where(moves.wins, 0, np.abs(reply))
    best = moves_of_most(1000 * outcome - np.sign(outcome) * distance, moves)
    legal = moves.legal.sum(axis=1)
    assert (keeps_value.sum(axis=1) < legal).sum() == 240 and (best.sum(axis=1) < legal).sum() > 300

    lanes = np.arange(NUM_ENDGAMES)
    assert keeps_value[lanes, decision.action].all()
    assert best[lanes, decision.action].mean() > 0.9
