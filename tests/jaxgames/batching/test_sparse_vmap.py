"""A costly part of a rule is computed for the games that need it, with the same results."""

import functools

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from jaxgames.batching.sparse_vmap import (
    over_flat_batch,
    where_items_needed,
    where_needed,
)
from jaxgames.batching.waiting_items import WaitingItems
from jaxgames.internal import device_kind


def _square_and_negate(x, pair):
    return {"square": x * x, "pair": (pair[0] - 1, -pair[1])}


def _apply(needed, x, pair, share=1 / 4):
    otherwise = {"square": x, "pair": pair}
    return where_needed(needed, _square_and_negate, otherwise, x, pair, share=share)


def _expected(needed, x, pair):
    square = np.where(needed, x * x, x)
    rows = needed.reshape(needed.shape + (1,) * (pair[1].ndim - needed.ndim))
    return square, np.where(needed, pair[0] - 1, pair[0]), np.where(rows, -pair[1], pair[1])


def _check(result, expected):
    for got, wanted in zip((result["square"], *result["pair"]), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("needed", [True, False])
def test_single_game_computes_it_or_not(needed: bool):
    x, pair = np.int32(3), (np.int32(5), np.arange(2, dtype=np.int32))
    result = jax.jit(_apply)(needed, x, pair)
    _check(result, _expected(np.asarray(needed), x, pair))


@pytest.mark.parametrize("share", [1 / 64, 1 / 8, 1.0])
@pytest.mark.parametrize("chance", [0.0, 0.1, 0.7, 1.0])
@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_batch_has_the_results_of_its_games(platform: str, chance: float, share: float):
    draw = np.random.default_rng(0)
    lanes = 37
    needed = draw.random(lanes) < chance
    x = np.arange(lanes, dtype=np.int32)
    pair = (x + 100, draw.integers(0, 9, (lanes, 2), np.int32))
    with device_kind.assumed(platform):
        result = jax.jit(jax.vmap(lambda *lane: _apply(*lane, share=share)))(needed, x, pair)
    _check(result, _expected(needed, x, pair))


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.7, 1.0])
@pytest.mark.parametrize("num_items", [1, 40])
def test_items_that_wait_are_listed_in_order(num_items: int, chance: float):
    """XLA is told that the indices are in order, and some devices rely on it."""
    needed = np.random.default_rng(1).random((9, num_items)) < chance
    waiting = WaitingItems.of(jnp.asarray(needed))
    count = int(needed.sum())
    lane, known, item = map(np.asarray, waiting.group(jnp.int32(0), count + 5, num_items))
    np.testing.assert_array_equal(np.stack([lane, item])[:, :count], np.nonzero(needed))
    assert (lane[count:] == len(needed)).all()
    for first in (lane, known):
        assert (np.diff(first * num_items + item) >= 0).all()


@pytest.mark.parametrize("lanes", [1, 5, 200])
def test_program_exported_for_any_batch_has_the_results_of_its_games(lanes: int):
    (size,) = export.symbolic_shape("b")
    types = [jax.ShapeDtypeStruct((size,), dtype) for dtype in (bool, np.int32, np.int32)]
    pairs = jax.ShapeDtypeStruct((size, 2), np.int32)
    exported = export.export(jax.jit(jax.vmap(_apply)))(*types[:2], (types[2], pairs))
    draw = np.random.default_rng(2)
    needed, x = draw.random(lanes) < 0.5, np.arange(lanes, dtype=np.int32)
    pair = (x + 100, draw.integers(0, 9, (lanes, 2), np.int32))
    _check(exported.call(needed, x, pair), _expected(needed, x, pair))


def test_batch_of_no_games_has_no_results():
    none = np.zeros((0,), np.int32)
    result = jax.jit(jax.vmap(_apply))(none.astype(bool), none, (none, np.zeros((0, 2), np.int32)))
    assert result["square"].shape == (0,) and result["pair"][1].shape == (0, 2)


def test_batches_of_batches_have_the_results_of_their_games():
    draw = np.random.default_rng(1)
    needed = draw.random((3, 5)) < 0.4
    x = draw.integers(0, 9, (3, 5), np.int32)
    pair = (x + 1, draw.integers(0, 9, (3, 5, 2), np.int32))
    result = jax.jit(jax.vmap(jax.vmap(_apply)))(needed, x, pair)
    _check(result, _expected(needed, x, pair))


def test_values_that_all_games_share_are_allowed():
    needed = np.array([True, False, True])
    result = jax.jit(jax.vmap(_apply, in_axes=(0, None, None)))(
        needed, np.int32(4), (np.int32(1), np.arange(2, dtype=np.int32))
    )
    np.testing.assert_array_equal(result["square"], [16, 4, 16])


def test_tables_are_allowed_in_a_condition_that_differs_between_games():
    table = np.arange(100, dtype=np.int32) ** 2

    def square(x):
        return where_needed(x > 1, lambda x: jnp.asarray(table)[x], x, x)

    def run(x):
        return jax.lax.cond(x > 2, square, lambda x: -x, x)

    np.testing.assert_array_equal(jax.vmap(run)(jnp.arange(5)), [0, -1, -2, 9, 16])


def test_only_the_games_that_need_it_are_computed():
    """The costly part runs on groups of the batch: no array of the whole batch is in its loop."""
    lanes = 256

    def costly(x):
        return jnp.sin(x).sum()

    def run(needed, x):
        return where_needed(needed, costly, jnp.float32(0), x, share=1 / 16)

    shapes, _ = _sines(jax.vmap(run), np.zeros(lanes, bool), np.zeros((lanes, 7), np.float32))
    assert shapes == [(16, 7)]


def _sines(run, *arguments):
    """Returns the shapes of the arrays whose sines a program computes, and all its primitives."""
    equations = list(_equations(jax.make_jaxpr(run)(*arguments).jaxpr))
    shapes = [eqn.invars[0].aval.shape for eqn in equations if eqn.primitive.name == "sin"]
    return shapes, {eqn.primitive.name for eqn in equations}


def _sines_on_an_accelerator(costly):
    def run(needed, x):
        return where_needed(needed, costly, jnp.float32(0), x, share=1 / 16)

    with device_kind.assumed("cuda"):
        return _sines(jax.vmap(run), np.zeros(256, bool), np.zeros((256, 7), np.float32))


def test_an_accelerator_computes_code_without_loops_for_all_games():
    shapes, primitives = _sines_on_an_accelerator(lambda x: jnp.sin(x).sum())
    assert shapes == [(256, 7)]
    assert not primitives & {"while", "scan", "scatter"}


def test_an_accelerator_computes_loops_in_groups():
    def costly(x):
        return jax.lax.while_loop(lambda y: y.sum() > 1, jnp.sin, x).sum()

    assert _sines_on_an_accelerator(costly)[0] == [(16, 7)]


@pytest.mark.parametrize(("lanes", "group"), [(7, 7), (256, 16), (272, 32), (512, 32), (528, 64)])
def test_groups_are_small_or_whole_vectors(lanes: int, group: int):
    def run(needed, x):
        return where_needed(needed, jnp.sin, jnp.float32(0), x, share=1 / 16)

    shapes, _ = _sines(jax.vmap(run), np.zeros(lanes, bool), np.zeros(lanes, np.float32))
    assert shapes == [(group,)]


def _cube_of_item(item, table, offset):
    return table[item] ** 3 + offset


def _cubes(needed, table, offset, share=1 / 8):
    return where_items_needed(needed, _cube_of_item, -table, table, offset, share=share)


@pytest.mark.parametrize("share", [1 / 512, 1 / 8, 1.0])
@pytest.mark.parametrize("chance", [0.0, 0.05, 0.6, 1.0])
@pytest.mark.parametrize("batch", [(), (7,), (2, 3)])
def test_items_have_their_results(batch: tuple[int, ...], chance: float, share: float):
    draw = np.random.default_rng(2)
    needed = draw.random((*batch, 45)) < chance
    table = draw.integers(0, 99, (*batch, 45), np.int32)
    offset = draw.integers(0, 9, batch, np.int32)
    run = functools.partial(_cubes, share=share)
    for _ in batch:
        run = jax.vmap(run)
    expected = np.where(needed, table**3 + offset[..., None], -table)
    np.testing.assert_array_equal(jax.jit(run)(needed, table, offset), expected)


def test_items_of_the_whole_batch_share_the_groups():
    """Two axes of games and one of items become one list, of which a part is computed at a time."""

    def costly(item, x):
        return jnp.sin(x[item])

    def run(needed, x):
        return where_items_needed(needed, costly, jnp.zeros(16), x, share=1 / 32)

    size = (8, 16, 16)
    shapes, _ = _sines(jax.vmap(jax.vmap(run)), np.zeros(size, bool), np.zeros(size, np.float32))
    assert shapes == [(64,)]


def test_captured_values_are_arguments_even_in_loops_within_loops():
    """Parameters of a game may be traced, and are then captured by its rules."""

    def run(factor, x):
        def inner(y):
            return where_needed(y > 2, lambda y: y * factor + 1, y, y)

        def middle(y):
            def once(carry):
                return inner(carry[0]) + 1, carry[1] + 1

            return jax.lax.while_loop(lambda carry: carry[1] < 3, once, (y, jnp.int32(0)))[0]

        return where_needed(x > 1, middle, x, x)

    def expected(factor, x):
        for _ in range(3 if x > 1 else 0):
            x = (x * factor + 1 if x > 2 else x) + 1
        return x

    xs = np.arange(6, dtype=np.int32)
    wanted = [expected(3, int(x)) for x in xs]
    np.testing.assert_array_equal([jax.jit(run)(np.int32(3), x) for x in xs], wanted)
    over_games = jax.jit(jax.vmap(run, in_axes=(None, 0)))
    np.testing.assert_array_equal(over_games(np.int32(3), xs), wanted)
    factors = np.arange(6, dtype=np.int32)
    each = jax.jit(jax.vmap(run))(factors, xs)
    np.testing.assert_array_equal(each, [expected(n, n) for n in range(6)])


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_flat_batches_have_one_leading_axis(batch: tuple[int, ...]):
    seen = []

    def of_batch(x, y):
        seen.append((x.shape, y.shape))
        return x * y.sum(axis=1)

    run = over_flat_batch(of_batch)
    for _ in batch:
        run = jax.vmap(run, in_axes=(0, None))
    x, y = np.arange(np.prod(batch, dtype=int), dtype=np.int32).reshape(batch), np.arange(3)
    np.testing.assert_array_equal(run(x, y), x * 3)
    size = int(np.prod(batch))
    assert seen[-1] == ((size,), (size, 3))


def _equations(jaxpr):
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in jax.extend.core.jaxprs_in_params(eqn.params):
            yield from _equations(inner)


def test_what_the_computation_hands_through_is_not_carried_along():
    """Only what changes is gathered, computed and put back; the rest stays where it is."""
    lanes = 64
    rng = np.random.default_rng(4)
    needed = rng.random(lanes) < 0.3
    large, small = rng.random((lanes, 99)), np.arange(lanes, dtype=np.int32)

    def change(large, small):
        return {"large": large, "small": small + large.shape[0]}

    def run(needed, large, small):
        return where_needed(needed, change, {"large": large, "small": small}, large, small)

    result = jax.jit(jax.vmap(run))(needed, large, small)
    np.testing.assert_array_equal(result["large"], large.astype(np.float32))
    np.testing.assert_array_equal(result["small"], np.where(needed, small + 99, small))
    program = str(jax.make_jaxpr(jax.vmap(run))(needed, large, small))
    assert "[64,99]" in program.split("while", 1)[0]
    assert "[64,99]" not in program.split("while", 1)[1].rsplit("in (", 1)[0]


def test_another_value_of_the_same_kind_is_not_taken_for_the_one_before():
    """Two values that change places are both new, though each is handed through."""

    def swap(one, other):
        return other, one

    needed = np.array([True, False, True])
    one, other = np.arange(3), np.arange(3) + 10
    run = jax.jit(jax.vmap(lambda n, a, b: where_needed(n, swap, (a, b), a, b)))
    results = run(needed, one, other)
    np.testing.assert_array_equal(results[0], [10, 1, 12])
    np.testing.assert_array_equal(results[1], [0, 11, 2])


def test_a_computation_that_changes_nothing_costs_nothing():
    def run(needed, x):
        return where_needed(needed, lambda x: x, x, x)

    program = jax.make_jaxpr(jax.vmap(run))(np.zeros(8, bool), np.zeros(8))
    assert not program.jaxpr.eqns


def _with_captured(x):
    doubled = x * 2
    return where_needed(x > 0, lambda a: a + doubled, x, x)


def _items_with_captured(x):
    doubled = x * 2
    items = jnp.arange(3.0)
    return where_items_needed(items > x, lambda item, a: a + doubled + item, items, x)


@pytest.mark.parametrize("function", [_with_captured, _items_with_captured])
@pytest.mark.parametrize(
    "nest",
    [
        jax.vmap,
        lambda f: jax.jit(jax.vmap(f)),
        lambda f: jax.vmap(jax.jit(f)),
        lambda f: lambda x: jax.vmap(jax.vmap(f))(x.reshape(2, 2)),
    ],
    ids=["batch", "compiled batch", "batch of compiled", "nested batch"],
)
def test_no_captured_value_is_kept(function, nest):
    with jax.checking_leaks():
        nest(function)(jnp.arange(4.0) - 1)


def _of_games(result, otherwise):
    needed, x = np.ones(4, bool), np.arange(4, dtype=np.int32)
    return jax.vmap(lambda needed, x: where_needed(needed, result, otherwise, x))(needed, x)


def _of_items(result, otherwise):
    return where_items_needed(np.ones(4, bool), result, otherwise)


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
@pytest.mark.parametrize(
    ("compute", "result", "otherwise", "message"),
    [
        (
            _of_games,
            lambda x: {"sum": x + 1},
            {"sum": np.int8(0)},
            r"int32\[\], expected int8\[\] as in `otherwise\['sum'\]`",
        ),
        (_of_games, lambda x: x, np.zeros(3, np.int32), r"int32\[\], expected int32\[3\]"),
        (_of_games, lambda x: (x, x), np.int32(0), ""),
        (_of_items, lambda x: x, np.zeros(4, np.int8), r"int32\[\], expected int8\[\]"),
        (_of_items, lambda x: x, np.zeros((4, 2), np.int32), r"int32\[\], expected int32\[2\]"),
        (_of_items, lambda x: (x, x), np.zeros(4, np.int32), ""),
    ],
)
def test_results_of_two_types_are_refused_on_all_devices(
    platform, compute, result, otherwise, message
):
    """The state of a game would have one type on a CPU and another one on an accelerator."""
    with (
        device_kind.assumed(platform),
        pytest.raises(ValueError, match=f"the computation returns {message}"),
    ):
        compute(result, otherwise)


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_results_have_the_type_that_both_sides_have(platform: str):
    def run(needed, x):
        return where_needed(needed, lambda x: x + jnp.int8(1), jnp.int8(0), x)

    with device_kind.assumed(platform):
        result = jax.jit(jax.vmap(run))(np.array([True, False]), np.arange(2, dtype=np.int8))
    assert result.dtype == jnp.int8
    np.testing.assert_array_equal(result, [1, 0])
