"""The structure of a pytree as a value fit for JSON, and back.

Kept programs map flat arrays to flat arrays; this puts their results together again. Tuples, lists,
dictionaries, named tuples and dataclasses (those of `flax.struct` are) can be written down. A class
is read back only if its module is loaded, so that a file never imports anything.
"""

import dataclasses
import sys
from typing import Any

import jax

LEAF = "*"
_PLAIN = (bool, int, float, str)


class NoText(Exception):
    """A structure cannot be written down or read back; says why."""


def write(tree: Any) -> Any:
    """Returns the structure of a pytree, fit for JSON.

    Raises:
        NoText: if it has parts that cannot be written.
    """
    text = _write(tree)
    same: Any = jax.tree.structure(tree)
    if jax.tree.structure(read(text)) != same:
        raise NoText("a container is not told by its fields")
    return text


def _write(tree: Any) -> Any:
    if tree is None:
        return None
    if jax.tree_util.all_leaves([tree]):
        return LEAF
    kind = type(tree)
    if kind in (tuple, list):
        return [kind.__name__, *map(_write, tree)]
    if kind is dict:
        return ["dict", *([_plain(key), _write(value)] for key, value in tree.items())]
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return ["named", _path(kind), *map(_write, tree)]
    if dataclasses.is_dataclass(tree):
        fields = []
        for field in dataclasses.fields(tree):
            value, is_node = getattr(tree, field.name), field.metadata.get("pytree_node", True)
            fields.append([field.name, is_node, _write(value) if is_node else _plain(value)])
        return ["fields", _path(kind), *fields]
    raise NoText(f"a container of type {kind.__qualname__}")


def read(text: Any) -> Any:
    """Returns a pytree of a written structure, with `0` in the place of every leaf.

    Raises:
        NoText: if it is none.
    """
    try:
        return _read(text)
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise NoText(str(error)) from error


def _read(text: Any) -> Any:
    if text is None:
        return None
    if text == LEAF:
        return 0
    kind, *parts = text
    if kind == "tuple":
        return tuple(map(_read, parts))
    if kind == "list":
        return list(map(_read, parts))
    if kind == "dict":
        return {_unplain(key): _read(value) for key, value in parts}
    path, *parts = parts
    if kind == "named":
        return _class(path)(*map(_read, parts))
    if kind == "fields":
        return _class(path)(
            **{name: _read(value) if is_node else _unplain(value) for name, is_node, value in parts}
        )
    raise NoText(f"a container of kind {kind!r}")


def _plain(value: Any) -> Any:
    if value is None or type(value) in _PLAIN:
        return value
    if type(value) is tuple:
        return [_plain(part) for part in value]
    raise NoText(f"a static value of type {type(value).__qualname__}")


def _unplain(value: Any) -> Any:
    return tuple(map(_unplain, value)) if isinstance(value, list) else value


def _path(kind: type) -> str:
    path = f"{kind.__module__}:{kind.__qualname__}"
    if _class(path) is not kind:
        raise NoText(f"{path} is another class")
    return path


def _class(path: str) -> Any:
    module, _, name = path.partition(":")
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise NoText(f"there is no class {path}")
    return found
