"""Structures of results are written down and read back, or refused."""

import json
from typing import Any, NamedTuple

import jax
import pytest
from flax import struct

from jaxgames.internal.program_cache import tree_texts


class Pair(NamedTuple):
    left: Any
    right: Any


class Node(struct.PyTreeNode):
    leaf: Any
    name: Any = struct.field(pytree_node=False)


@jax.tree_util.register_pytree_node_class
class Box:
    def tree_flatten(self) -> tuple[tuple[int], None]:
        return (1,), None

    @classmethod
    def tree_unflatten(cls, static: None, leaves: tuple[int]) -> "Box":
        return cls()


TREES = [
    *(1, None, (), [], {}, (1, [2, None]), {"b": 1, "a": (2,)}, {3: 4}, Pair(1, Pair((), 2))),
    *(Node(1, "a"), Node(Pair(1, 2), ("a", (1, None)))),
]


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_a_structure_is_read_back_as_it_was(tree: Any) -> None:
    text = json.loads(json.dumps(tree_texts.write(tree)))
    assert jax.tree.structure(tree_texts.read(text)) == jax.tree.structure(tree)


@pytest.mark.parametrize("tree", [Box(), Node(1, object())], ids=["unknown", "static"])
def test_other_structures_are_refused(tree: Any) -> None:
    with pytest.raises(tree_texts.NoText):
        tree_texts.write(tree)


@pytest.mark.parametrize(
    "text", [["other"], ["named", "os:system", "*"], ["named", "no_module:X"], 5, [], ["dict", 1]]
)
def test_a_text_of_something_else_is_refused(text: Any) -> None:
    with pytest.raises(tree_texts.NoText):
        tree_texts.read(text)
