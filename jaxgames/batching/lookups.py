"""Lookups in small arrays as sums over their entries, for TPUs.

A TPU reads the rows of a gather one after the other, and its compiler takes up to half a minute for
the gather of a few entries in each of many games. So a function that is traced for a TPU here
compares each index with the number of every entry, and adds up the entries that are chosen: 4,096
comparisons take a TPU one cycle. On other devices the function is traced as it is.

The rules of games stay plain code, `table[index]`: the operations are replaced in what JAX traced,
before it is batched.
"""

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.internal import device_kind

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
ClassT = TypeVar("ClassT", bound=type)

MOST_COMPARISONS = 1 << 13  # for one index; beyond it, a gather of its row is faster
_MOST_TOGETHER = 1 << 18  # for all indices of one operation
_FILL = jax.lax.GatherScatterMode.FILL_OR_DROP
_UNNAMED = jax.make_jaxpr(lambda: ())().jaxpr.debug_info


def selected(function: FunctionT) -> FunctionT:
    """Returns the function without gathers from small arrays where it is traced for a TPU.

    The arguments are pytrees of arrays and numbers, the results pytrees of arrays. Results are the
    same, but for the sign of zeros.
    """

    @functools.wraps(function)
    def with_selects(*arguments: Any, **options: Any) -> Any:
        if not device_kind.is_tpu():
            return function(*arguments, **options)
        return _traced_with_selects(function, arguments, options)

    return cast(FunctionT, with_selects)


def selected_methods(kind: ClassT) -> ClassT:
    """Returns the class with `selected` on each public method of a `state` or a `key` in it."""
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member) and not name.startswith("_"):
            first = list(inspect.signature(member).parameters)[1:2]
            if first in (["state"], ["key"]):
                setattr(kind, name, _selected_method(member))
    return kind


def _selected_method(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def with_selects(self: Any, *arguments: Any, **options: Any) -> Any:
        return selected(functools.partial(method, self))(*arguments, **options)

    return with_selects


def _traced_with_selects(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    leaves, structure = jax.tree.flatten((arguments, options))
    # Only values that are traced already are traced here: the others may be checked on the host.
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.core.Tracer)]
    if not places:
        return function(*arguments, **options)

    def call(*traced: Any) -> Any:
        known = list(leaves)
        for place, leaf in zip(places, traced, strict=True):
            known[place] = leaf
        arguments, options = jax.tree.unflatten(structure, known)
        return function(*arguments, **options)

    traced = [leaves[place] for place in places]
    program, shapes = jax.make_jaxpr(call, return_shape=True)(*traced)
    results = evaluate(program.jaxpr, program.consts, *traced)
    results = [x if isinstance(x, jax.Array) else jnp.asarray(x) for x in results]
    return jax.tree.unflatten(jax.tree.structure(shapes), results)


def evaluate(jaxpr: jax.extend.core.Jaxpr, constants: Sequence[Any], *arguments: Any) -> list[Any]:
    """Returns the results of traced code, as `jax.core.eval_jaxpr` does, without small gathers."""
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, constants, strict=True))
    values |= zip(jaxpr.invars, arguments, strict=True)

    def value_of(atom: Any) -> Any:
        return atom.val if isinstance(atom, jax.extend.core.Literal) else values[atom]

    plain: list[jax.extend.core.JaxprEqn] = []
    for equation in jaxpr.eqns:
        if equation.primitive.name not in _REPLACED:
            plain.append(equation)
            continue
        _compute(plain, values)
        plain = []
        inputs = [value_of(atom) for atom in equation.invars]
        results = _REPLACED[equation.primitive.name](equation, inputs)
        values |= zip(equation.outvars, results, strict=True)
    _compute(plain, values)
    return [value_of(atom) for atom in jaxpr.outvars]


def _compute(equations: list[jax.extend.core.JaxprEqn], values: dict[Any, Any]) -> None:
    """Adds the results of consecutive equations, as they are, to the values of the variables."""
    made = [variable for equation in equations for variable in equation.outvars]
    own = set(made)
    atoms = [atom for equation in equations for atom in equation.invars]
    read = dict.fromkeys(
        x for x in atoms if not isinstance(x, jax.extend.core.Literal) and x not in own
    )
    effects = frozenset().union(*(equation.effects for equation in equations))
    part = jax.extend.core.Jaxpr([], list(read), made, equations, effects, _UNNAMED)
    results = jax.core.eval_jaxpr(part, [], *(values[variable] for variable in read))
    values |= zip(made, results, strict=True)


def _unchanged(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    pairs = zip(equation.invars, inputs, strict=True)
    values = {v: x for v, x in pairs if not isinstance(v, jax.extend.core.Literal)}
    _compute([equation], values)
    return [values[variable] for variable in equation.outvars]


def _call(closed: Any, inputs: Sequence[Any]) -> list[Any]:
    return evaluate(closed.jaxpr, closed.consts, *inputs)


def _inlined(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    return _call(equation.params["jaxpr"], inputs)


def _while(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    parameters = equation.params
    if parameters["cond_jaxpr"].out_avals[0].shape:  # batched: JAX selects the lanes that go on
        return _unchanged(equation, inputs)
    of_condition, of_body = parameters["cond_nconsts"], parameters["body_nconsts"]
    condition_inputs, body_inputs, carry = _parts(inputs, of_condition, of_body)
    return jax.lax.while_loop(
        lambda carry: _call(parameters["cond_jaxpr"], [*condition_inputs, *carry])[0],
        lambda carry: _call(parameters["body_jaxpr"], [*body_inputs, *carry]),
        carry,
    )


def _scan(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    parameters = equation.params
    num_constants, length = _sizes_of_scan(parameters)
    constants, carry, rows = _parts(inputs, num_constants, length)

    def body(carry: list[Any], row: list[Any]) -> tuple[list[Any], list[Any]]:
        results = _call(parameters["jaxpr"], [*constants, *carry, *row])
        return results[:length], results[length:]

    carry, rows = jax.lax.scan(
        body,
        carry,
        rows,
        length=parameters["length"],
        reverse=parameters["reverse"],
        unroll=parameters["unroll"],
    )
    return [*carry, *rows]


def _sizes_of_scan(parameters: dict[str, Any]) -> tuple[int, int]:
    """Returns how many inputs of a scan are constants, and how many it carries on."""
    if "num_carry" in parameters:  # up to JAX 0.11
        return parameters["num_consts"], parameters["num_carry"]
    constants, carry, _ = map(len, parameters["ft_in"].unpack())
    return constants, carry


def _cond(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    if equation.params.get("branches_platforms") is not None:  # JAX chooses when it lowers them
        return _unchanged(equation, inputs)
    number, *operands = inputs
    branches = [functools.partial(_branch, branch) for branch in equation.params["branches"]]
    return cast(list[Any], jax.lax.switch(number, branches, *operands))


def _branch(closed: Any, *operands: Any) -> list[Any]:
    return _call(closed, operands)


def _parts(values: list[Any], *lengths: int) -> list[list[Any]]:
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends]
    return [values[start:end] for start, end in zip(starts, [*ends, len(values)], strict=True)]


def _gather(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    operand, indices = map(jnp.asarray, inputs)
    if _is_of_keys(operand):
        return _unchanged(equation, inputs)
    numbers, sizes = equation.params["dimension_numbers"], equation.params["slice_sizes"]
    mode, batched = equation.params["mode"], numbers.operand_batching_dims
    # A dimension that is read whole has an index as well, which can only be 0.
    columns = [i for i, d in enumerate(numbers.start_index_map) if sizes[d] < operand.shape[d]]
    picked = [numbers.start_index_map[i] for i in columns]
    kept = [d for d in range(operand.ndim) if d not in picked and d not in batched]
    is_simple = (
        bool(picked)
        and all(sizes[d] == 1 for d in picked)
        and all(sizes[d] == operand.shape[d] for d in kept)
        and (len(columns) == len(numbers.start_index_map) or mode != _FILL)
    )
    places = indices.shape[:-1]
    entries = math.prod(operand.shape[d] for d in (*picked, *kept))
    if not is_simple or not _is_small(entries, math.prod(places)):
        return _unchanged(equation, inputs)
    kept_shape = [operand.shape[d] for d in kept]
    picked_shape = [operand.shape[d] for d in picked]
    # The operand as `[places, entries, kept]`, with one for the places that share it.
    by_place = sorted(zip(numbers.start_indices_batching_dims, batched, strict=True))
    operand = operand.transpose(*[d for _, d in by_place], *picked, *kept)
    is_own = [place in numbers.start_indices_batching_dims for place in range(len(places))]
    shared = [size if own else 1 for size, own in zip(places, is_own, strict=True)]
    operand = operand.reshape(*shared, math.prod(picked_shape), *kept_shape)
    number, is_inside = _entry([indices[..., i] for i in columns], picked_shape, mode)
    result = _chosen_entry(operand, number, len(kept))
    if is_inside is not None:
        fill = jnp.asarray(_fill_value(equation.params["fill_value"], operand.dtype), operand.dtype)
        is_inside = is_inside.reshape(is_inside.shape + (1,) * len(kept))
        result = jnp.where(is_inside, result, fill)
    slices = [d for d in range(len(sizes)) if d not in {*batched, *numbers.collapsed_slice_dims}]
    result = result.reshape(*places, *[sizes[d] for d in slices])
    offsets = numbers.offset_dims
    rest = [d for d in range(result.ndim) if d not in offsets]
    return [result.transpose(np.argsort([*rest, *offsets]))]


def _entry(
    indices: list[Int32[Array, "*places"]], shape: Sequence[int], mode: Any
) -> tuple[Int32[Array, "*places"], Bool[Array, "*places"] | None]:
    """Returns the numbers of the entries, and which exist; None if all that are named do."""
    number, is_inside = jnp.zeros(indices[0].shape, jnp.int32), None
    if mode == _FILL:
        is_inside = jnp.ones(indices[0].shape, bool)
    for index, size in zip(indices, shape, strict=True):
        within = _within(index, size)  # as XLA does whatever the mode
        if is_inside is not None:
            is_inside &= within == index
        number = number * size + within
    return number, is_inside


def _within(index: Array, size: int) -> Int32[Array, "*any"]:
    """Returns the nearest numbers of entries that exist; an index may be of any integer type."""
    last = min(size - 1, int(jnp.iinfo(index.dtype).max))
    return jnp.clip(index, 0, last).astype(jnp.int32)


def _fill_value(value: Any, dtype: Any) -> Any:
    """Returns what a gather gives outside of its operand, JAX's value by type if none is said."""
    if value is not None:
        return value
    if jnp.issubdtype(dtype, jnp.inexact):
        return jnp.nan
    if jnp.issubdtype(dtype, jnp.bool_):
        return True
    is_signed = jnp.issubdtype(dtype, jnp.signedinteger)
    return jnp.iinfo(dtype).min if is_signed else jnp.iinfo(dtype).max


def _chosen_entry(operand: Array, number: Int32[Array, "*places"], kept: int) -> Array:
    """Returns one entry for each place; the operand has the entries behind the places."""
    axis = number.ndim
    chosen = number[..., None] == jnp.arange(operand.shape[axis], dtype=jnp.int32)
    chosen = chosen.reshape(chosen.shape + (1,) * kept)
    if operand.dtype == bool:
        return (chosen & operand).any(axis=axis)
    zero = jnp.zeros((), operand.dtype)
    return jnp.where(chosen, operand, zero).sum(axis=axis, dtype=operand.dtype)


def _dynamic_slice(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    operand, *starts = map(jnp.asarray, inputs)
    picked = _picked(operand, equation.params["slice_sizes"])
    if not picked:
        return _unchanged(equation, inputs)
    for dimension in picked:
        number = _within(starts[dimension], operand.shape[dimension])
        moved = jnp.moveaxis(operand, dimension, 0)
        found = _chosen_entry(moved, number, moved.ndim - 1)
        operand = jnp.expand_dims(found, dimension)
    return [operand]


def _dynamic_update_slice(equation: jax.extend.core.JaxprEqn, inputs: list[Any]) -> list[Any]:
    operand, update, *starts = map(jnp.asarray, inputs)
    picked = _picked(operand, update.shape)
    if not picked:
        return _unchanged(equation, inputs)
    chosen = jnp.ones((1,) * operand.ndim, bool)
    for dimension in picked:
        size = operand.shape[dimension]
        number = _within(starts[dimension], size)
        shape = [size if d == dimension else 1 for d in range(operand.ndim)]
        chosen = chosen & (jnp.arange(size, dtype=jnp.int32) == number).reshape(shape)
    return [jnp.where(chosen, update, operand)]


def _picked(operand: Array, sizes: Sequence[int]) -> list[int]:
    """Returns the dimensions of which a slice has one entry; none if the slice is to stay."""
    picked = [d for d in range(operand.ndim) if sizes[d] < operand.shape[d]]
    is_simple = all(sizes[d] == 1 for d in picked) and not _is_of_keys(operand)
    return picked if is_simple and _is_small(operand.size, 1) else []


def _is_of_keys(operand: Array) -> bool:
    return bool(jnp.issubdtype(operand.dtype, jax.dtypes.extended))


def _is_small(entries: int, places: int) -> bool:
    return 0 < entries <= MOST_COMPARISONS and entries * places <= _MOST_TOGETHER


_REPLACED: dict[str, Callable[[jax.extend.core.JaxprEqn, list[Any]], list[Any]]] = {
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "jit": _inlined,
    "pjit": _inlined,
    "while": _while,
    "scan": _scan,
    "cond": _cond,
}
