"""`one_kernel`: a program of many small operations, compiled for a CPU as one kernel.

XLA on a CPU calls a kernel for each operation that it cannot fuse, and to call one takes longer
than to work on a few numbers. It compiles a loop that touches less than a kilobyte as a single
kernel. Here the same is asked for by the mark that XLA then sets itself (`xla_cpu_small_call`,
jaxlib 0.7 to 0.12). A version that does not know the mark computes the same results as ever.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.extend.core
from jax.experimental.xla_metadata import set_xla_metadata

from jaxgames.internal import device_kind

_MARKS = {"xla_cpu_small_call": "true", "inlineable": "false"}

# What XLA can put into such a kernel. It cannot put scatters, sorts, and calls of libraries there.
_ALLOWED_NAMES = """
    abs add and argmax argmin bitcast_convert_type broadcast_in_dim clamp clz concatenate cond
    convert_element_type copy cumsum custom_jvp_call div dynamic_slice dynamic_update_slice eq exp
    expand_dims floor gather ge gt integer_pow iota jit le lt max min mul ne neg nextafter not
    optimization_barrier or pad pjit population_count reduce_and reduce_max reduce_min reduce_or
    reduce_sum reduce_window reduce_xor reduce rem reshape rev round select_n shift_left
    shift_right_arithmetic shift_right_logical sign slice split square squeeze stack
    stop_gradient sub transpose unstack while xor
"""
_ALLOWED = frozenset(_ALLOWED_NAMES.split())


def one_kernel(function: Callable[..., Any], *like: Any) -> Callable[..., Any] | None:
    """Returns a function that is one kernel of a CPU; None if XLA cannot make it so.

    It suits arrays of up to some hundred numbers. Larger ones may be read and written by rows.

    Args:
        function: a function of pytrees of arrays.
        like: its arguments, or arrays of equal shapes and dtypes; these may be abstract.
    """
    if not device_kind.is_cpu():
        return None
    program, shapes = jax.make_jaxpr(function, return_shape=True)(*like)
    if not is_possible(program.jaxpr):
        return None
    # Traced before the marks are set, which would otherwise hold for all calls inside as well.
    call = jax.jit(jax.extend.core.jaxpr_as_fun(program))

    @jax.custom_batching.custom_vmap
    def marked(*arguments: Any) -> Any:
        with set_xla_metadata(**_MARKS):
            results = call(*jax.tree.leaves(arguments))
        return jax.tree.unflatten(jax.tree.structure(shapes), results)

    # Of several programs at once, writes of slices would be scatters.
    @marked.def_vmap
    def _(axis_size: int, is_batched: Any, *arguments: Any) -> tuple[Any, Any]:
        axes = jax.tree.map(lambda batched: 0 if batched else None, is_batched)
        results = jax.vmap(function, tuple(axes), axis_size=axis_size)(*arguments)
        return results, jax.tree.map(lambda _: True, results)

    return marked


def is_possible(jaxpr: jax.extend.core.Jaxpr) -> bool:
    """Returns whether XLA can put all operations of a program into one kernel."""
    return all(
        equation.primitive.name in _ALLOWED and all(map(is_possible, _inner(equation)))
        for equation in jaxpr.eqns
    )


def _inner(equation: jax.extend.core.JaxprEqn) -> Iterator[jax.extend.core.Jaxpr]:
    """Yields the programs that an operation calls."""
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, jax.extend.core.ClosedJaxpr):
                yield one.jaxpr
            elif isinstance(one, jax.extend.core.Jaxpr):
                yield one
