"""Trees that are read as a whole, as on accelerators: they find what trees with links find."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import device_kind
from jaxgames.search.tree import access, packing, whole
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction

RULES = jaxgames.make("onitama", deck="all", planes="board").rules
EVALUATOR = RandomFunction(RULES)
BATCH, SIMULATIONS = 8, 24
SAME = ("parent", "slot", "visits", "used", "seat", "prior", "raw_value", "log_prior", "state")


@functools.cache
def searched(search, platform):
    """Returns a search, and with reuse one after it, and its decision."""
    state = jax.vmap(RULES.init)(jax.random.split(jax.random.key(0), BATCH))

    def run(state, key):
        with device_kind.assumed(platform):
            memory = search.reset(BATCH)
            if search.reuse:
                memory = search.search((), memory, state, jax.random.clone(key)).tree
            found = search.search((), memory, state, key)
            return search.conclude(found, key), found.tree

    return jax.jit(run, compiler_options=trees.ALIKE)(state, jax.random.key(3))


REUSES = TreeSearch(RULES, EVALUATOR, Gumbel(), SIMULATIONS, reuse=True)
STOPS = TreeSearch(RULES, EVALUATOR, Puct(), SIMULATIONS, stop_decided=True)
CUTS = TreeSearch(RULES, EVALUATOR, Uct(), SIMULATIONS, max_children=12)


@pytest.mark.parametrize(
    ("search", "platform"),
    [
        pytest.param(REUSES, "tpu", id="gumbel, tpu"),
        pytest.param(STOPS, "tpu", id="puct, tpu", marks=pytest.mark.slow),
        pytest.param(REUSES, "cuda", id="gumbel, cuda", marks=pytest.mark.slow),
        pytest.param(CUTS, "tpu", id="uct, tpu", marks=pytest.mark.slow),
    ],
)
def test_finds_what_a_tree_with_links_finds(search, platform):
    decision, tree = searched(search, platform)
    expected, linked = searched(search, "cpu")
    assert tree.is_whole and not linked.is_whole
    np.testing.assert_array_equal(decision.action, expected.action)
    np.testing.assert_allclose(decision.policy, expected.policy, atol=1e-6)
    for name in SAME:
        np.testing.assert_array_equal(getattr(tree, name), getattr(linked, name), err_msg=name)
    np.testing.assert_allclose(tree.value, linked.value, atol=1e-6)
    slot = np.asarray(tree.unexpanded_slot)[..., None]
    best = np.take_along_axis(np.asarray(tree.log_prior, np.float32), slot, axis=2)[..., 0]
    is_used = np.arange(best.shape[1]) < np.asarray(tree.used)[:, None]
    stored = np.asarray(tree.best_prior)[is_used]
    np.testing.assert_allclose(stored, np.exp(best)[is_used], rtol=1e-3)  # 16-bit numbers


def equations(jaxpr):
    """Yields the equations of a program, those of its parts included."""
    for equation in jaxpr.eqns:
        yield equation
        for parameter in equation.params.values():
            for part in parameter if isinstance(parameter, tuple | list) else (parameter,):
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    yield from equations(inner)


def test_a_tpu_looks_up_nothing_in_a_tree_while_it_searches():
    search = TreeSearch(RULES, EVALUATOR, Gumbel(), SIMULATIONS)
    state = jax.vmap(RULES.init)(jax.random.split(jax.random.key(0), BATCH))
    with device_kind.assumed("tpu"):
        run = jax.eval_shape(search.begin, (), state, jax.random.key(0))
        program = jax.make_jaxpr(lambda run: search.advance((), run))(run)
    names = [equation.primitive.name for equation in equations(program.jaxpr)]
    assert names.count("while") == 2  # the simulations, and the levels of a descent
    assert not {"gather", "scatter", "scatter-add", "dynamic_update_slice"} & set(names)


def test_a_deep_tree_has_links_on_every_device():
    nodes = TreeSearch(RULES, EVALUATOR, Gumbel(), whole.MOST_NODES)
    with device_kind.assumed("tpu"):
        assert not jax.eval_shape(nodes.begin, (), *_one_game()).progress.tree.is_whole


def _one_game():
    key = jax.random.key(0)
    return jax.tree.map(lambda x: x[None], RULES.init(key)), key


@pytest.mark.parametrize("platform", ["cpu", "tpu"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32"])
def test_access_reads_and_writes_one_row_of_each_lane(platform, dtype):
    array = jax.random.uniform(jax.random.key(0), (4, 5, 3), minval=-9, maxval=9).astype(dtype)
    node, lanes = jnp.array([4, 0, 2, 2]), jnp.array([0, 4, 2, 4])
    with device_kind.assumed(platform):
        rows = access.of_each(array, node)
        numbers = access.along_last(rows, jnp.array([2, 0, 1, 1]))
        changed = access.put_in_each(array, lanes, node, rows[::-1])
    np.testing.assert_array_equal(rows, np.asarray(array)[np.arange(4), node])
    np.testing.assert_array_equal(numbers, np.asarray(rows)[np.arange(4), [2, 0, 1, 1]])
    expected = np.array(array)
    expected[0, 4], expected[2, 2] = rows[3], rows[1]
    np.testing.assert_array_equal(changed, expected)


def test_packed_states_are_the_same_words_on_every_device():
    state, _ = _one_game()
    words = packing.pack(state)
    with device_kind.assumed("tpu"):
        np.testing.assert_array_equal(packing.pack(state), words)
        again = packing.unpack(words, packing.one_of(state))
    jax.tree.map(np.testing.assert_array_equal, again, state)
