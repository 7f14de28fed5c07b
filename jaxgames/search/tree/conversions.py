"""Parameters in the type that a network computes in, converted once before a loop.

A network with 16-bit arithmetic converts its 32-bit parameters whenever it is applied. In the loop
of a search a GPU would start two kernels more for each layer, which take as long as a product of
few games.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core

from jaxgames.internal import device_kind
from jaxgames.search.agent import Params

CALLS = ("jit", "pjit")  # primitives whose operands are the inputs of their program


def converted(function: Callable[..., Any], params: Params, *others: Any) -> Params:
    """Returns parameters with which a function gives the same results.

    An array that the function does nothing with but to convert it to one smaller type is converted
    here. On a CPU, where networks compute in the type of their parameters, all stay as they are.

    Args:
        function: is called with `params` and `others`.
        params: arrays of any structure.
        others: arrays, or their shapes and types.
    """
    arrays, structure = jax.tree.flatten(params)
    if device_kind.is_cpu() or not arrays:
        return params
    program = jax.make_jaxpr(function)(params, *others).jaxpr
    uses = [set(_uses(program, variable)) for variable in program.invars[: len(arrays)]]
    return jax.tree.unflatten(structure, map(_as_used, arrays, uses))


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
            if equation.primitive.name == "convert_element_type":
                yield equation.params["new_dtype"]
            elif equation.primitive.name in CALLS:
                inner = equation.params["jaxpr"].jaxpr
                yield from _uses(inner, inner.invars[place])
            else:
                yield None
