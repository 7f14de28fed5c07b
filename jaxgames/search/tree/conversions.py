"""Parameters in the type that a network computes in, converted once before a loop.

A network with 16-bit arithmetic converts its 32-bit parameters whenever it is applied. In the loop
of a search a GPU would start two kernels more for each layer, which take as long as a product of
few games.
"""

import collections
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core

from jaxgames.internal import device_kind
from jaxgames.search.agent import Params

_CONVERSION = "convert_element_type"
CALLS = ("jit", "pjit")  # primitives whose operands are the inputs of their program


def converted(function: Callable[..., Any], params: Params, *others: Any) -> Params:
    """Returns parameters with which a function gives the same results.

    An array that the function does nothing with but to convert it to one smaller type is converted
    here. All stay as they are if the function would compute something else, since it looks at
    their types; and on a CPU, where networks compute in the type of their parameters.

    Args:
        function: is called with `params` and `others`.
        params: of any structure; what is no array is left alone.
        others: arrays, or their shapes and types.
    """
    leaves, structure = jax.tree.flatten(params)
    places = [place for place, leaf in enumerate(leaves) if hasattr(leaf, "dtype")]
    if device_kind.is_cpu() or not places:
        return params

    def with_arrays(arrays: list[Any]) -> Params:
        found = dict(zip(places, arrays, strict=True))
        return jax.tree.unflatten(structure, [found.get(n, leaf) for n, leaf in enumerate(leaves)])

    def program_of(arrays: list[Any]) -> core.Jaxpr:
        def of_arrays(arrays: list[Any], *others: Any) -> Any:
            return function(with_arrays(arrays), *others)

        return jax.make_jaxpr(of_arrays)(arrays, *others).jaxpr

    arrays = [leaves[place] for place in places]
    program = program_of(arrays)
    uses = [set(_uses(program, variable)) for variable in program.invars[: len(arrays)]]
    shorter = [_as_used(array, found) for array, found in zip(arrays, uses, strict=True)]
    left_out = {
        (_CONVERSION, ((new.shape, new.dtype),), ())
        for old, new in zip(arrays, shorter, strict=True)
        if new is not old
    }
    if not left_out or not _is_same(program, program_of(shorter), left_out):
        return params
    return with_arrays(shorter)


def _is_same(program: core.Jaxpr, other: core.Jaxpr, left_out: set[Any]) -> bool:
    """Returns whether a program has the steps and results of another one, but for some steps."""
    steps, others = collections.Counter(_steps(program)), collections.Counter(_steps(other))
    results = [list(map(_shape_and_type, found.outvars)) for found in (program, other)]
    return not others - steps and set(steps - others) <= left_out and results[0] == results[1]


def _steps(program: core.Jaxpr) -> Iterator[Any]:
    """Yields the primitive of each step, the shapes and types of its results, and its constants."""
    for equation in program.eqns:
        constants = (str(x) for x in equation.invars if isinstance(x, core.Literal))
        results = map(_shape_and_type, equation.outvars)
        yield equation.primitive.name, tuple(results), tuple(constants)
        for inner in core.jaxprs_in_params(equation.params):
            yield from _steps(inner)


def _shape_and_type(variable: Any) -> tuple[Any, Any]:
    """Returns both, or None where a value is no array."""
    return getattr(variable.aval, "shape", None), getattr(variable.aval, "dtype", None)


def _as_used(array: Any, uses: set[Any]) -> Any:
    if len(uses) != 1:
        return array
    (dtype,) = uses
    is_smaller = dtype is not None and dtype.itemsize < jnp.result_type(array).itemsize
    return jnp.asarray(array, dtype) if is_smaller else array


def _uses(program: core.Jaxpr, variable: core.Var) -> Iterator[Any]:
    """Yields the type that each use of a variable converts it to; None for any other use."""
    if any(result is variable for result in program.outvars):
        yield None
    for equation in program.eqns:
        for place, operand in enumerate(equation.invars):
            if operand is not variable:
                continue
            if equation.primitive.name == _CONVERSION:
                yield equation.params["new_dtype"]
            elif equation.primitive.name in CALLS:
                inner = equation.params["jaxpr"].jaxpr
                yield from _uses(inner, inner.invars[place])
            else:
                yield None
