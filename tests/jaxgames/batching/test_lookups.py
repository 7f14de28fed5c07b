"""Lookups traced for a TPU: the results of plain ones, without gathers from small arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.batching import lookups
from jaxgames.batching.lookups import MOST_COMPARISONS, selected
from jaxgames.internal import device_kind

ROWS, PLACES = 7, 5
_RANDOM = np.random.default_rng(0)
TABLE = _RANDOM.integers(0, 200, (ROWS, 3, 4))
INDICES = _RANDOM.integers(-2 * ROWS, 2 * ROWS, (PLACES, 2))  # many do not exist
TYPES = [np.bool_, np.uint8, np.int8, np.uint16, np.int32, np.uint32, np.float32]

LOOKUPS = {
    "one entry": lambda x, i: x[i[0, 0], 1, i[1, 1]],
    "one row": lambda x, i: x[i[0, 0]],
    "rows": lambda x, i: x[i],
    "middle axis": lambda x, i: x[:, i[:, 0]],
    "last axis": lambda x, i: x[..., i[:, 0]],
    "two axes": lambda x, i: x[i[:, 0], :, i[:, 1]],
    "three axes": lambda x, i: x[i[:, 0], i[:, 1], i[:, 0]],
    "constant rows": lambda x, i: x[np.array([3, 0, 3])] + i[0, 0].astype(x.dtype),
    "constant table": lambda x, i: jnp.asarray(TABLE)[i] + x[0, 0, 0],
    "filled": lambda x, i: x.at[i].get(mode="fill", fill_value=1),
    "filled by JAX": lambda x, i: x.at[i].get(mode="fill"),
    "clipped": lambda x, i: x.at[i].get(mode="clip"),
    "of each row": lambda x, i: jax.vmap(lambda row, k: row[k])(x[:PLACES], i[:, 0]),
    "of one array": lambda x, i: jax.vmap(lambda k: x[k])(i),
    "along an axis": lambda x, i: jnp.take_along_axis(x[:PLACES, :2], i[:, :, None], axis=2),
    "part of one row": lambda x, i: jax.lax.dynamic_slice(x, (i[0, 0], 0, i[0, 1]), (1, 3, 1)),
    "set row": lambda x, i: jax.lax.dynamic_update_index_in_dim(x, x[0], i[0, 0], 0),
    "in a loop": lambda x, i: jax.lax.fori_loop(0, i[0, 0], lambda k, y: y ^ (x[k] == y), x > 1),
    "in a scan": lambda x, i: jax.lax.scan(lambda c, k: (c + k, x[k]), i[0], i)[1],
    "in a branch": lambda x, i: jax.lax.cond(i[0, 0] > 0, lambda k: x[k], lambda k: x[-k], i[1, 0]),
    "in a loop that ends lane by lane": lambda x, i: jax.vmap(
        lambda k: jax.lax.while_loop(lambda c: c < k, lambda c: c + 1, -3)
    )(i[:, 0]).astype(x.dtype)[i[0]],
    "in a function": lambda x, i: jax.jit(lambda x, k: x[k])(x, i),
    "large unsigned index": lambda x, i: jax.lax.dynamic_index_in_dim(
        x, i[0, 0].astype(jnp.uint32) | jnp.uint32(1 << 31)
    ),
    "bytes as indices": lambda x, i: x.at[i.astype(jnp.uint8)].get(mode="fill", fill_value=1),
}


def _primitives(jaxpr):
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for inner in jax.extend.core.jaxprs_in_params(equation.params):
            yield from _primitives(inner)


@pytest.mark.parametrize("lookup", LOOKUPS.values(), ids=LOOKUPS)
@pytest.mark.parametrize("batched", [False, True], ids=["one game", "games"])
def test_results_are_those_of_plain_lookups_without_gathers(lookup, batched):
    function = selected(lookup)
    if batched:
        lookup, function = map(jax.vmap, (lookup, function))
    tables = [np.where(dtype is np.bool_, TABLE % 2, TABLE).astype(dtype) for dtype in TYPES]
    arguments = (tables, INDICES.astype(np.int32))
    if batched:
        arguments = jax.tree.map(lambda x: np.stack([x, x[::-1]]), arguments)

    def of_each_type(tables, indices):  # all in one program, which compiles faster than seven
        return [function(table, indices) for table in tables]

    expected = jax.jit(lambda tables, i: [lookup(table, i) for table in tables])(*arguments)
    with device_kind.assumed("tpu"):
        traced = jax.jit(of_each_type).trace(*arguments)
    found = traced.lower().compile()(*arguments)
    assert [one.dtype for one in found] == [one.dtype for one in expected]
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert not {"gather", "dynamic_slice"} & set(_primitives(traced.jaxpr.jaxpr))


def test_only_the_chosen_entry_counts():
    table = jnp.array([1.0, jnp.nan, jnp.inf, -jnp.inf])
    with device_kind.assumed("tpu"):
        found = jax.jit(selected(lambda i: table[i]))(jnp.arange(4))
    np.testing.assert_array_equal(found, table)


def test_keys_are_chosen_by_plain_lookups():
    keys = jax.random.split(jax.random.key(0), 5)
    for lookup in (lambda i: keys[i[0]], lambda i: keys[i]):
        with device_kind.assumed("tpu"):
            found = jax.jit(selected(lookup))(jnp.array([3, 1]))
        expected = lookup(jnp.array([3, 1]))
        np.testing.assert_array_equal(*map(jax.random.key_data, (found, expected)))


def test_results_are_arrays_of_jax():
    @selected
    def function(x):
        return x, 3, np.arange(4)

    with device_kind.assumed("tpu"):
        results = jax.make_jaxpr(lambda x: [part.astype(jnp.int32) for part in function(x)])
        results(jnp.int32(1))

        def looked_up(i):
            return jaxgames.make("terra_mystica").rules.init(jax.random.key(i)).board.terrain[i]

        assert jax.jit(looked_up)(jnp.int32(0)).shape == (9,)


def test_the_host_sees_values_that_are_not_traced():
    seen = []

    @selected
    def function(x, seat):
        seen.append(seat)
        return x[seat]

    with device_kind.assumed("tpu"):
        function(jnp.arange(3), 1)
        assert jax.jit(lambda x: function(x, 2))(jnp.arange(3)) == 2
        rules = jaxgames.make("terra_mystica").rules
        state = rules.init(jax.random.key(0))
        with pytest.raises(ValueError, match="takes a seat from 0 to 1"):
            rules.determinize(state, 7, jax.random.key(0))
    assert seen == [1, 2]


def test_the_choice_of_a_platform_is_left_to_jax():
    @selected
    def function(x):
        return jax.lax.platform_dependent(x, cpu=lambda x: x + 1, default=lambda x: x + 2)

    with device_kind.assumed("tpu"):
        assert jax.jit(function)(jnp.int32(1)) == 2


def test_other_devices_keep_the_gather():
    table, indices = jnp.asarray(TABLE), jnp.asarray(INDICES)
    for platform in ("cpu", "cuda"):
        with device_kind.assumed(platform):
            traced = jax.make_jaxpr(selected(lambda x, i: x[i]))(table, indices)
        assert "gather" in set(_primitives(traced.jaxpr))


@pytest.mark.parametrize(
    ("rows", "is_kept"), [(MOST_COMPARISONS, False), (MOST_COMPARISONS + 1, True)]
)
def test_large_arrays_keep_the_gather(rows, is_kept):
    table = jnp.arange(rows)
    with device_kind.assumed("tpu"):
        function = selected(lambda i: table[i])
        traced = jax.make_jaxpr(function)(jnp.array([3, rows - 1]))
        np.testing.assert_array_equal(function(jnp.array([3, rows - 1])), [3, rows - 1])
    assert ("gather" in set(_primitives(traced.jaxpr))) == is_kept


def test_only_methods_of_a_state_or_a_key_are_replaced():
    @lookups.selected_methods
    class Game:
        def init(self, key):
            return key[jnp.argmax(key)]

        def named(self, name):
            return name

        def _hidden(self, state):
            return state[jnp.argmax(state)]

    game, values = Game(), jnp.arange(4)
    with device_kind.assumed("tpu"):
        assert game.named("as it is") == "as it is"
        found = {
            name: "dynamic_slice" in str(jax.make_jaxpr(getattr(game, name))(values))
            for name in ("init", "_hidden")
        }
    assert found == {"init": False, "_hidden": True}


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus", "terra_mystica"])
def test_rules_have_no_gather_from_small_arrays(game):
    rules = jaxgames.make(game).rules
    with device_kind.assumed("tpu"):
        traced = jax.make_jaxpr(_a_step(rules))(jax.random.key(0))
    found = {name for name in _primitives(traced.jaxpr) if name in ("gather", "dynamic_slice")}
    assert not found


def _a_step(rules):
    def play(key):
        state = rules.init(key)
        action = rules.sample_action(state, jnp.uint32(5))
        state = rules.step(state, action, key)
        return rules.legal_actions(state), rules.observe(state, rules.to_move(state))

    return play
