"""Rare and costly parts of a rule, computed only for the games of a batch that need them.

Under `jax.vmap` both sides of a `lax.cond` run for all games. That is cheap for a few operations,
but very slow for the final scoring of a game in each of its two hundred steps. The functions here
keep the code of a rule unbatched, but batch it by hand. The games that need the costly part are
gathered from the whole batch into small groups, however deep `jax.vmap` is nested, and only these
are computed.

On an accelerator, `where_needed` computes code without loops for all games: the loop around the
groups would take longer (`device_kind.py`). Code that itself loops stays in groups there, and
`where_items_needed` computes in groups on all devices.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.extend.core
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Int32

from jaxgames.batching import key_words, lookups
from jaxgames.batching.joined_arrays import JoinedArrays
from jaxgames.batching.trees import choose
from jaxgames.batching.waiting_items import WaitingItems
from jaxgames.internal import device_kind, jax_modes

T = TypeVar("T")

DEFAULT_SHARE = 1 / 16
_SMALLEST_GROUP = 16  # smaller groups do not pay for an iteration of the loop
_VECTOR = 32  # larger groups are multiples of it: others took three times as long on a CPU
_GROUP_OF_ANY = 64  # where a program is exported for batches of any size


def where_needed(
    needed: Bool[Array, ""],
    compute: Callable[..., T],
    otherwise: T,
    *arguments: Any,
    share: float = DEFAULT_SHARE,
) -> T:
    """Returns `compute(*arguments)` where it is needed, and `otherwise` elsewhere.

    Args:
        needed: whether this game needs the computation.
        compute: a function of its arguments. Other traced values that it uses are treated as
            arguments.
        otherwise: the result for games that do not need it, of the same structure and types.
        *arguments: pytrees of arrays.
        share: expected share of games that need it. It sets the size of the groups (16, a multiple
            of 32, or all games) that are computed one after the other; results do not depend on it.

    Raises:
        ValueError: (while tracing) if structure, shapes or types of the two results differ.
    """
    leaves, structure = jax.tree.flatten(otherwise)
    program, captured, handed_on = _traced(compute, arguments)
    _check_types(program.results, _types(otherwise))
    inputs = [*captured, *jax.tree.leaves(arguments)]
    if not device_kind.is_cpu() and not program.has_loop:
        results = jax.tree.unflatten(structure, program(inputs))
        return choose(needed, results, otherwise)
    # Results that the computation hands through unchanged need no gather and scatter.
    changes = [before is not after for before, after in zip(leaves, handed_on, strict=True)]
    if not any(changes):
        return otherwise
    others = [x for x, is_new in zip(leaves, changes, strict=True) if is_new]

    def of_only_item(number: Int32[Array, ""], inputs: list[Array]) -> list[Array]:
        del number
        results = program(inputs)
        return [x for x, is_new in zip(results, changes, strict=True) if is_new]

    places = [_place_of(x, others) for x in inputs]
    others = [jnp.asarray(x)[None] for x in others]
    found = iter(_where_items(needed[None], of_only_item, others, inputs, places, share))
    merged = [next(found)[0] if is_new else x for x, is_new in zip(leaves, changes, strict=True)]
    return jax.tree.unflatten(structure, merged)


def where_items_needed(
    needed: Bool[Array, "items"],
    compute: Callable[..., T],
    otherwise: T,
    *arguments: Any,
    share: float = DEFAULT_SHARE,
) -> T:
    """Returns `compute(item, *arguments)` for the items of a game that need it.

    Args:
        needed: which items of this game need the computation, by number.
        compute: a function of the number of an item and the arguments, as in `where_needed`.
        otherwise: the results for the other items, with the axis of items in front.
        *arguments: pytrees of arrays, the same for all items of a game.
        share: expected share of the items of all games that need it.

    Raises:
        ValueError: (while tracing) if structure, shapes or types of the two results differ.
    """
    program, captured, _ = _traced(compute, (jnp.int32(0), *arguments))
    _check_types(program.results, jax.tree.map(_of_one_item, _types(otherwise)))
    split = len(captured)

    def of_item(number: Int32[Array, ""], inputs: list[Array]) -> list[Array]:
        return program([*inputs[:split], number, *inputs[split:]])

    inputs = [*captured, *jax.tree.leaves(arguments)]
    others, structure = jax.tree.flatten(otherwise)
    found = _where_items(needed, of_item, others, inputs, [None] * len(inputs), share)
    return jax.tree.unflatten(structure, found)


class _Program:
    """A traced function; the traced values that it captures are made arguments.

    A batching rule may run in another trace than its function, where captured values do not exist.
    JAX may keep the rule, so a program holds none of them.
    """

    def __init__(self, traced: jax.extend.core.ClosedJaxpr, results: Any) -> None:
        # From JAX 0.12 on, a jaxpr with variables for constants holds the constants, too.
        variables = [*traced.jaxpr.constvars, *traced.jaxpr.invars]
        self.jaxpr = traced.jaxpr.replace(constvars=[], invars=variables)
        self.results = results  # their shapes and types
        self._is_captured = [isinstance(value, jax.core.Tracer) for value in traced.consts]
        self._constants = self._only(traced.consts, captured=False)

    @property
    def has_loop(self) -> bool:
        """Whether the number of operations that it runs depends on the values."""
        return _has_loop(self.jaxpr)

    def _only(self, constants: Sequence[Any], captured: bool) -> list[Any]:
        pairs = zip(constants, self._is_captured, strict=True)
        return [value for value, is_captured in pairs if is_captured == captured]

    def captured(self, traced: jax.extend.core.ClosedJaxpr) -> list[Array]:
        """Returns the traced values that the function uses besides its arguments."""
        return self._only(traced.consts, captured=True)

    def __call__(self, inputs: list[Array]) -> list[Array]:
        """Returns the results as a list; the inputs are the captured values, then the arguments."""
        values = {True: iter(inputs), False: iter(self._constants)}
        constants = [next(values[is_captured]) for is_captured in self._is_captured]
        evaluate = lookups.evaluate if device_kind.is_tpu() else jax.core.eval_jaxpr
        results: list[Array] = evaluate(self.jaxpr, [], *constants, *values[True])
        return results


def _traced(
    compute: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[_Program, list[Array], list[Any]]:
    """Returns a function as a program, the values that it captures, and those that it hands on.

    The last list has one entry for each result: the value that it is, or None for a new one.
    """
    traced, shapes = jax.make_jaxpr(compute, return_shape=True)(*arguments)
    program = _Program(traced, shapes)
    jaxpr = traced.jaxpr
    known = dict(zip(jaxpr.constvars, traced.consts, strict=True))
    known |= dict(zip(jaxpr.invars, jax.tree.leaves(arguments), strict=True))
    handed_on = [
        known.get(result) if isinstance(result, jax.extend.core.Var) else None
        for result in jaxpr.outvars
    ]
    return program, program.captured(traced), handed_on


def _types(tree: Any) -> Any:
    """Returns the shapes and types of a pytree, of Python's and NumPy's numbers as JAX has them."""
    return jax.eval_shape(lambda tree: tree, tree)


def _of_one_item(items: jax.ShapeDtypeStruct) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(items.shape[1:], items.dtype)


def _check_types(results: Any, otherwise: Any) -> None:
    """Checks that a computation returns the same types of arrays as what stands in for it.

    If they differed, the types of the merged results would depend on the device.

    Raises:
        ValueError: if they differ; names both.
    """
    structure: Any = jax.tree.structure(results)
    expected: Any = jax.tree.structure(otherwise)
    if structure != expected:
        raise ValueError(f"the computation returns {structure}, expected {expected}")
    wanted = jax.tree.leaves(otherwise)
    for (path, result), other in zip(jax.tree.leaves_with_path(results), wanted, strict=True):
        if (result.shape, result.dtype) != (other.shape, other.dtype):
            raise ValueError(
                f"the computation returns {_type_name(result)}, expected {_type_name(other)} as in "
                f"`otherwise{jax.tree_util.keystr(path)}`"
            )


def _type_name(x: jax.ShapeDtypeStruct) -> str:
    return f"{x.dtype}[{','.join(map(str, x.shape))}]"


def _has_loop(jaxpr: jax.extend.core.Jaxpr) -> bool:
    def is_loop(equation: jax.extend.core.JaxprEqn) -> bool:
        name, parameters = equation.primitive.name, equation.params
        is_unrolled = name == "scan" and parameters["unroll"] >= parameters["length"]
        return name in ("while", "scan") and not is_unrolled

    return any(
        is_loop(equation) or any(map(_has_loop, jax.extend.core.jaxprs_in_params(equation.params)))
        for equation in jaxpr.eqns
    )


def _place_of(x: Any, among: list[Any]) -> int | None:
    """Returns the place of the very same array in a list, or None."""
    places = [place for place, other in enumerate(among) if x is other]
    return places[0] if places and isinstance(x, jax.Array) else None


def _where_items(
    needed: Bool[Array, "items"],
    of_item: Callable[[Int32[Array, ""], list[Array]], list[Array]],
    otherwise: list[Array],
    inputs: list[Array],
    places: list[int | None],
    share: float,
) -> list[Array]:
    """Returns the results of `of_item` for its number and the inputs where needed.

    An input with a place is the result of that place for other games. A group reads its rows from
    the results before it replaces them, so such an array is not copied to be both.
    """
    inputs, with_keys = key_words.keys_as_words(inputs, places)
    read = [x for x, place in zip(inputs, places, strict=True) if place is None]

    def of_words(number: Int32[Array, ""], inputs: list[Array]) -> list[Array]:
        return of_item(number, with_keys(inputs))

    def of_all(needed: Array, otherwise: list[Array], read: list[Array]) -> list[Array]:
        return _in_groups(of_words, share, needed, otherwise, read, places)

    return over_flat_batch(of_all)(needed, otherwise, read)


def over_flat_batch(of_batch: Callable[..., T]) -> Callable[..., T]:
    """Returns the function of one game that computes `of_batch` for a whole batch.

    However `jax.vmap` batches the result, nested or not, `of_batch` gets all its arguments with one
    leading axis of all games, and returns its results with such an axis.
    """
    # Batching can run this outside of the function that calls it.
    of_batch = jax_modes.standard(of_batch)

    def flat_rule(size: int, in_batched: Any, *operands: Any) -> tuple[T, Any]:
        operands = _all_batched(size, in_batched, operands)
        results = flat(*jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), operands))
        results = jax.tree.map(lambda x: x.reshape(size, -1, *x.shape[1:]), results)
        return results, jax.tree.map(lambda _: True, results)

    def one_rule(size: int, in_batched: Any, *operands: Any) -> tuple[T, Any]:
        results = flat(*_all_batched(size, in_batched, operands))
        return results, jax.tree.map(lambda _: True, results)

    def of_only_lane(*operands: Any) -> T:
        results = flat(*jax.tree.map(lambda x: jnp.asarray(x)[None], operands))
        return jax.tree.map(lambda x: x[0], results)

    flat = _with_vmap_rule(of_batch, flat_rule)
    return _with_vmap_rule(of_only_lane, one_rule)


def _with_vmap_rule(function: Callable[..., T], rule: Callable[..., Any]) -> Callable[..., T]:
    """Returns the function with a rule for `jax.vmap`.

    The tables that the function uses are made arguments, which the rule does not get (the function
    knows them). A batched `lax.cond` gives everything in its branches a batch axis, which
    `custom_vmap` accepts of arguments only.
    """

    def call(*operands: Any) -> T:
        traced, shapes = jax.make_jaxpr(function, return_shape=True)(*operands)
        structure, is_table = jax.tree.structure(shapes), list(map(_is_table, traced.consts))

        @custom_vmap
        def program(tables: list[Any], *operands: Any) -> T:
            given = iter(tables)
            constants = [
                next(given) if own else constant
                for constant, own in zip(traced.consts, is_table, strict=True)
            ]
            results = jax.core.eval_jaxpr(traced.jaxpr, constants, *jax.tree.leaves(operands))
            unflattened: T = jax.tree.unflatten(structure, results)
            return unflattened

        @program.def_vmap
        def _(size: int, in_batched: Any, tables: list[Any], *operands: Any) -> tuple[T, Any]:
            del tables
            return rule(size, in_batched[1:], *operands)

        tables = [jnp.asarray(table) for table in filter(_is_table, traced.consts)]
        return program(tables, *operands)

    return call


def _is_table(constant: Any) -> bool:
    return not isinstance(constant, jax.core.Tracer)


def _all_batched(size: int, in_batched: Any, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    def repeated(x: Array, is_batched: bool) -> Array:
        return x if is_batched else jnp.broadcast_to(x, (size, *jnp.shape(x)))

    return jax.tree.map(repeated, operands, tuple(in_batched))


def _size_of_groups(num_items: int, share: float) -> int:
    """Returns how many of `num_items` are computed at once, if this share needs the computation.

    The number of items is no number in a program that `jax.export` makes for batches of any size.
    """
    if not isinstance(num_items, int):
        return _GROUP_OF_ANY
    size = max(_SMALLEST_GROUP, round(share * num_items))
    size = size if size == _SMALLEST_GROUP else -(-size // _VECTOR) * _VECTOR
    return min(size, num_items)


def _in_groups(
    compute: Callable[[Int32[Array, ""], list[Array]], list[Array]],
    share: float,
    needed: Bool[Array, "lanes items"],
    otherwise: list[Array],
    read: list[Array],
    places: list[int | None],
) -> list[Array]:
    num_items = needed.shape[1]
    if needed.size == 0:
        return otherwise
    group = _size_of_groups(needed.size, share)
    waiting = WaitingItems.of(needed)
    as_read, as_results = JoinedArrays(read, axes=1), JoinedArrays(otherwise, axes=2)
    read = as_read.join(read)

    def is_waiting(carry: tuple[Array, list[Array]]) -> Array:
        return carry[0] < waiting.upto[-1]

    def work(carry: tuple[Array, list[Array]]) -> tuple[Array, list[Array]]:
        start, results = carry
        lane, known, item = waiting.group(start, group, num_items)
        # No index is negative: to say so keeps the program small. They are in order: to say so
        # keeps a TPU from sorting them before it writes.
        in_order: dict[str, Any] = {"wrap_negative_indices": False, "indices_are_sorted": True}
        rest = iter(as_read.split([x.at[known].get(**in_order) for x in read]))
        if any(place is not None for place in places):
            before = as_results.split([x.at[known, item].get(**in_order) for x in results])
        inputs = [next(rest) if place is None else before[place] for place in places]
        outputs = as_results.join(jax.vmap(compute)(item, inputs))
        changed = [
            x.at[lane, item].set(new, mode="drop", **in_order)
            for x, new in zip(results, outputs, strict=True)
        ]
        return start + group, changed

    start = jnp.int32(0), as_results.join(otherwise)
    return as_results.split(jax.lax.while_loop(is_waiting, work, start)[1])
