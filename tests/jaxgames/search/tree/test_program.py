"""The compiled program: no loop may copy or rewrite an array of the tree, however large it is."""

import functools

import jax
import jax.numpy as jnp
import pytest

import jaxgames
import jaxgames.search.mctx as mctx
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.evaluators.uniform import Shuffled
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree import packing
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from tests.gamble import Gamble
from tests.jaxgames.search.mctx import random_models
from tests.jaxgames.search.tree import hlo, trees
from tests.random_function import RandomFunction

RULES = jaxgames.make("onitama", deck="all", planes="board").rules
EVALUATOR = RandomFunction(RULES)
BATCH, SIMULATIONS = 8, 256  # so many nodes that nothing else is as large as their states
ALL_ACTIONS = {"simulations": SIMULATIONS, "max_children": RULES.num_actions}


def program(search, batch=BATCH):
    """Returns the optimised program of one decision."""

    def act(state, key):
        return search.act((), search.reset(batch), state, key)

    state = jax.vmap(search.rules.init)(jax.random.split(jax.random.key(0), batch))
    lowered = jax.jit(act).lower(state, jax.random.key(0))
    return lowered.compile(trees.ALIKE).as_text()


@pytest.mark.parametrize(
    "search",
    [
        pytest.param(TreeSearch(RULES, EVALUATOR, Gumbel(), **ALL_ACTIONS), marks=pytest.mark.slow),
        TreeSearch(
            *(RULES, EVALUATOR, Puct(), SIMULATIONS),
            max_children=100,
            wide_edges=True,
            reuse=True,
            max_active=5,
        ),
        pytest.param(
            TreeSearch(RULES, Shuffled(RULES, EVALUATOR), Uct(), **ALL_ACTIONS),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["all actions", "everything else", "uct"],
)
def test_no_loop_copies_or_rewrites_the_edges_or_states(search):
    text = program(search)
    nodes = 1 + SIMULATIONS * (2 if search.reuse else 1)
    words = packing.num_words(jax.eval_shape(RULES.init, jax.random.key(0)))
    for size in (search.max_children, words):
        assert f"[{BATCH},{nodes},{size}]" in text
    assert hlo.rewritten_in_loops(text, BATCH * nodes * words) == []


@trees.each_policy(slow=("puct",), gumbel=Gumbel(), puct=Puct())
def test_nor_does_a_search_of_one_position_with_any_array_of_the_nodes(policy):
    # With one lane, the compiler makes slices of gathers, and computes slices where they are used.
    nodes = 1 + 2048
    search = TreeSearch(RULES, EVALUATOR, policy, nodes - 1, max_children=40, stop_decided=True)
    text = program(search, batch=1)
    for array in (f"[1,{nodes}]", f"[1,{nodes},40]"):
        assert array in text
    found = hlo.rewritten_in_loops(text, nodes)
    assert [line for line in found if " constant(" not in line] == []  # sequential halving's table


def test_nor_does_a_search_that_plays_games_anew():
    rules = Gamble()
    search = TreeSearch(rules, RandomFunction(rules), Gumbel(), SIMULATIONS)
    text = program(search)
    assert hlo.rewritten_in_loops(text, BATCH * SIMULATIONS * rules.num_actions) == []


@pytest.mark.slow  # the tree is that of our searches
@pytest.mark.parametrize("policy", [mctx.gumbel_muzero_policy, mctx.muzero_policy])
def test_nor_do_the_policies_of_mctx_on_our_tree(policy):
    lanes, num_actions = 32, 40
    root, invalid = random_models.roots(mctx, 0, lanes, num_actions, "float32")
    model = random_models.model(mctx, num_actions, "float32")

    def decide(key):
        return policy((), key, root, model, SIMULATIONS, invalid).action

    text = jax.jit(decide).lower(jax.random.key(0)).compile(trees.ALIKE).as_text()
    assert f"[{lanes},{SIMULATIONS + 1},{num_actions}]" in text
    assert hlo.rewritten_in_loops(text, lanes * SIMULATIONS) == []


def test_nor_does_a_depth_first_search_with_its_stacks_tables_and_history():
    env = jaxgames.make("onitama", deck="all")
    score, _ = integer_score_of(env)
    search = DepthFirst(env.rules, score, 40, table_bits=8, quiescence=4, tactics=tactics_of(env))
    state = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 256))
    progress = jax.eval_shape(search.start, (), state, jax.random.key(0))
    compiled = jax.jit(search.advance, donate_argnums=1).lower((), progress, 1000).compile()
    text = compiled.as_text()
    stack = progress.stack
    large = [stack.words, stack.keys, stack.node, stack.variation, stack.history, stack.killers]
    for array in (*large, progress.table.entries):
        assert f"[{','.join(map(str, array.shape))}]" in text
    smallest = min(array.size for array in large)
    assert smallest == stack.killers.size
    assert hlo.rewritten_in_loops(text, smallest) == []


@pytest.mark.slow
def test_mctx_does_both():
    text = program(MctxGumbel(RULES, EVALUATOR, **ALL_ACTIONS))
    found = hlo.rewritten_in_loops(text, BATCH * SIMULATIONS * RULES.num_actions)
    assert any(" copy(" in text for text in found)
    assert any("select" in text for text in found)


SIZE = 4096


def one_element(number, array):
    return array.at[number].set(1.0)


def all_elements(number, array):
    return jnp.where(number > 2, array, 1.0)


def one_element_and_what_was_there_before(number, array):
    return array.at[number].set(1.0) + 0 * array[number + 1]


@pytest.mark.parametrize(
    ("body", "is_found"),
    [(one_element, False), (all_elements, True), (one_element_and_what_was_there_before, True)],
)
def test_the_reading_of_programs_finds_what_it_should(body, is_found):
    loop = functools.partial(jax.lax.fori_loop, 0, 9, body)
    text = jax.jit(loop).lower(jnp.zeros(SIZE)).compile().as_text()
    assert bool(hlo.rewritten_in_loops(text, SIZE)) == is_found
    assert hlo.rewritten_in_loops(text, SIZE + 1) == []
