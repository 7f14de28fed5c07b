"""The library traced under JAX's default types, whatever the program around it has set.

Some projects turn on 64-bit types (`jax_enable_x64`), `jax_numpy_dtype_promotion="strict"` or
`jax_numpy_rank_promotion="raise"` for everything that they trace. The functions decorated here are
traced as without these settings: with 32-bit types and standard promotion. So a game is the same
game everywhere, and its states have the same types.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax
from jax.sharding import AxisType

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
ClassT = TypeVar("ClassT", bound=type)


def standard(function: FunctionT) -> FunctionT:
    """Returns the function, traced with 32-bit types and standard promotion."""

    @functools.wraps(function)
    def with_default_types(*arguments: Any, **options: Any) -> Any:
        _check_sharding(arguments, options)
        with (
            jax.enable_x64(False),
            jax.numpy_dtype_promotion("standard"),
            jax.numpy_rank_promotion("allow"),
        ):
            return function(*arguments, **options)

    return cast(FunctionT, with_default_types)


def standard_promotion(function: FunctionT) -> FunctionT:
    """Returns the function, traced with standard promotion and with the types of its arguments.

    For functions that compute in 64 bits where their caller does.
    """

    @functools.wraps(function)
    def with_standard_promotion(*arguments: Any, **options: Any) -> Any:
        _check_sharding(arguments, options)
        with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
            return function(*arguments, **options)

    return cast(FunctionT, with_standard_promotion)


def _check_sharding(arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Checks that no array is on a mesh with explicit axes: indexing by arrays fails on those.

    An array that `jax.vmap` maps no longer shows whether it is split, only the mesh that it is on.

    Raises:
        ValueError: if one is; says how to make the mesh.
    """
    for leaf in jax.tree.leaves((arguments, options)):
        if not isinstance(leaf, jax.Array):
            continue
        mesh = jax.typeof(leaf).sharding.mesh
        if AxisType.Explicit in mesh.axis_types:
            name = mesh.axis_names[mesh.axis_types.index(AxisType.Explicit)]
            raise ValueError(
                f"an array is on a mesh whose axis {name!r} is explicit; games and searches need "
                "automatic ones: jax.make_mesh(shape, names, axis_types=(AxisType.Auto,) * "
                "len(names)), with AxisType of jax.sharding"
            )


def standard_methods(kind: ClassT) -> ClassT:
    """Returns the class with `standard` on each public method that it defines itself."""
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member) and not name.startswith("_"):
            setattr(kind, name, standard(member))
    return kind
