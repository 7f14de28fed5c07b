"""`eval_shape`: `jax.eval_shape` whose results are kept on disk, beside the programs.

The shapes of a network's parameters follow from the game's features, which take seconds to trace.
"""

import json
from collections.abc import Callable
from typing import Any

import jax

from jaxgames.internal.program_cache import cached_jit, store, tree_texts
from jaxgames.internal.program_cache.identities import NoIdentity


def eval_shape(function: Callable[..., Any], *arguments: Any) -> Any:
    """Returns the shapes and types of a function's result, as `jax.eval_shape` does.

    Args:
        function: a pure function.
        arguments: pytrees of arrays, or of their shapes and types.
    """
    leaves = jax.tree.leaves(arguments)
    tree: Any = jax.tree.structure(arguments)
    if not cached_jit.is_on():
        return jax.eval_shape(function, *arguments)
    types = tuple((leaf.shape, str(leaf.dtype)) for leaf in leaves)
    try:
        key = cached_jit.key_of("shapes", function, tree.unflatten([0] * len(leaves)), types)
    except NoIdentity:
        return jax.eval_shape(function, *arguments)
    folder = store.folder()
    assert folder is not None, "see `is_on`"
    path = folder / f"{key}{store.SUFFIX}"
    name = f"the shape of {getattr(function, '__qualname__', 'a function')}"
    if entry := store.read(path, name):
        try:
            return _read(entry)
        except (ValueError, TypeError, tree_texts.NoText) as error:
            store.tell_damaged(path, name, error)
    found = jax.eval_shape(function, *arguments)
    shapes = [(leaf.shape, str(leaf.dtype)) for leaf in jax.tree.leaves(found)]
    try:
        entry = store.Entry(json.dumps(shapes).encode(), tree_texts.write(found))
        if _read(entry) == found:  # not for the types of random keys
            store.write(path, entry)
    except (TypeError, tree_texts.NoText):
        pass
    return found


def _read(entry: store.Entry) -> Any:
    tree: Any = jax.tree.structure(tree_texts.read(entry.result))
    found = json.loads(entry.program)
    return tree.unflatten(jax.ShapeDtypeStruct(tuple(shape), kind) for shape, kind in found)
