"""`ProofTree`: the proof trees of a batch as arrays, read by gather and written by scatter.

A node has a proof number and a disproof number: the least number of open positions that must be
decided to prove it, or to disprove it. The children of a node are added together, in adjacent rows.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int32, Integer, UInt16

from jaxgames.search.tree.arrays import first_greatest

ROOT = 0
SETTLED = 2**30  # a proof (or disproof) number: it can no longer be proved (or disproved)
MOST = 2**18  # greatest other number: sums of thousands of them fit into 32 bits
PROOF, DISPROOF = 0, 1  # columns of `numbers`
_WIDTHS = (16, 48)  # numbers of children that are read at once


class ProofTree(struct.PyTreeNode):
    """The trees of `B` goals with `N` nodes each. A goal is: the attacker wins."""

    numbers: Int32[Array, "B N 2"]
    """The proof number and the disproof number of each node."""
    best: Int32[Array, "B N"]
    """The child of each node that is searched next."""
    parent: Int32[Array, "B N"]
    """The parent of each node."""
    first: Int32[Array, "B N"]
    """The first child of each node; the other children follow it."""
    children: UInt16[Array, "B N"]
    """The number of children of each node; 0 before it is expanded."""
    action: Integer[Array, "B N"]
    """The action that leads to each node."""
    attacks: Bool[Array, "B N"]
    """Whether the attacker is to move at each node."""
    used: Int32[Array, "B"]
    """The number of nodes in use: nodes `0` to `used - 1`."""


def empty(batch_size: int, nodes: int, num_actions: int) -> ProofTree:
    """Returns trees that consist of a root, which is still to be written."""
    shape = (batch_size, nodes)
    return ProofTree(
        numbers=jnp.ones((*shape, 2), jnp.int32),
        best=jnp.zeros(shape, jnp.int32),
        parent=jnp.zeros(shape, jnp.int32),
        first=jnp.zeros(shape, jnp.int32),
        children=jnp.zeros(shape, jnp.uint16),
        action=jnp.zeros(shape, jnp.uint16 if num_actions <= 2**16 else jnp.int32),
        attacks=jnp.zeros(shape, bool),
        used=jnp.ones((batch_size,), jnp.int32),
    )


def put(array: Array, lanes: Int32[Array, "W"], node: Int32[Array, "W"], rows: Array) -> Array:
    """Returns the array with one row written in each lane; numbers beyond the lanes are dropped."""
    rows = rows.astype(array.dtype)
    return array.at[lanes, node].set(rows, mode="drop", unique_indices=True)


def back_up(
    tree: ProofTree,
    lanes: Int32[Array, "W"],
    runs: Bool[Array, "W"],
    node: Int32[Array, "W"],
    most_children: int,
) -> ProofTree:
    """Returns the trees with new numbers at `node` and at all nodes above it, in lanes that run.

    A lane stops at a node whose numbers stay the same. No node has more than `most_children`.
    """
    nowhere = tree.used.shape[0]

    def one_level(
        carry: tuple[Int32[Array, "W"], Bool[Array, "W"], Array, Array],
    ) -> tuple[Int32[Array, "W"], Bool[Array, "W"], Array, Array]:
        node, runs, numbers, best = carry
        old, new, child = _from_children(tree, numbers, lanes, node, runs, most_children)
        at = jnp.where(runs, lanes, nowhere)
        numbers, best = put(numbers, at, node, new), put(best, at, node, child)
        goes_on = runs & (old != new).any(axis=-1) & (node != ROOT)
        return tree.parent[lanes, node], goes_on, numbers, best

    _, _, numbers, best = jax.lax.while_loop(
        lambda carry: carry[1].any(), one_level, (node, runs, tree.numbers, tree.best)
    )
    return tree.replace(numbers=numbers, best=best)


def _from_children(
    tree: ProofTree,
    numbers: Int32[Array, "B N 2"],
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    counts: Bool[Array, "W"],
    most_children: int,
) -> tuple[Int32[Array, "W 2"], Int32[Array, "W 2"], Int32[Array, "W"]]:
    """Returns the old and the new numbers of one node in each lane, and its best child.

    The seat to move needs one good child, so its number is the least number of the children. The
    other seat needs all children, so its number is their sum.
    """
    children = tree.children[lanes, node].astype(jnp.int32)
    first = tree.first[lanes, node]
    attacks = tree.attacks[lanes, node][:, None]

    def among(width: int) -> tuple[Int32[Array, "W 2"], Int32[Array, "W 2"], Int32[Array, "W"]]:
        order = jnp.arange(width)
        # The node is read together with its children: one read, certainly before the write.
        place = jnp.concatenate([node[:, None], first[:, None] + order], axis=1)
        pairs = numbers[lanes[:, None], place]
        pairs, old = pairs[:, 1:], pairs[:, 0]
        is_child = order < children[:, None]
        own = jnp.where(attacks, pairs[..., PROOF], pairs[..., DISPROOF])
        others = jnp.where(attacks, pairs[..., DISPROOF], pairs[..., PROOF])
        own = jnp.where(is_child, own, SETTLED)
        others = jnp.where(is_child, others, 0)
        is_settled = (others == SETTLED).any(axis=-1)
        total = jnp.minimum(others, MOST).sum(axis=-1)
        total = jnp.where(is_settled, SETTLED, jnp.minimum(total, MOST))
        both = jnp.stack([own.min(axis=-1), total], axis=-1)
        new = jnp.where(attacks, both, both[:, ::-1])
        return old, new, first + first_greatest(-own)

    # The least width is read that fits the nodes of all lanes where `counts` holds.
    limits = (*(width for width in _WIDTHS if width < most_children), most_children)
    most = jnp.where(counts, children, 0).max()
    index = sum((most > limit).astype(jnp.int32) for limit in limits[:-1])
    return jax.lax.switch(index, [lambda width=width: among(width) for width in limits])
