"""The proof trees of a batch: nodes as rows, read by gather and written by scatter.

A node carries how many open positions must at least be decided to prove it, and to disprove it. The
children of a node are made together and lie side by side.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int32, Integer, UInt16

from jaxgames.search.tree.arrays import first_greatest

ROOT = 0
SETTLED = 2**30  # instead of a number: cannot be proved (or disproved) any more
MOST = 2**18  # greatest number; a sum over thousands of them fits into 32 bits
PROOF, DISPROOF = 0, 1  # columns of `numbers`
_WIDTHS = (16, 48)  # children that are read at once, where a node has no more


class ProofTree(struct.PyTreeNode):
    """`N` nodes for each of `B` goals: does the attacker win?"""

    numbers: Int32[Array, "B N 2"]  # proof number and disproof number
    best: Int32[Array, "B N"]  # the child to go on with
    parent: Int32[Array, "B N"]
    first: Int32[Array, "B N"]  # child; the others follow it
    children: UInt16[Array, "B N"]  # 0: not expanded
    action: Integer[Array, "B N"]  # that leads to the node
    attacks: Bool[Array, "B N"]  # the attacker is to move
    used: Int32[Array, "B"]  # nodes in use; they are the first ones


def empty(batch_size: int, nodes: int, num_actions: int) -> ProofTree:
    """Returns trees whose roots wait to be written."""
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
    """Returns the array with one row written in each lane; lanes that do not exist are dropped."""
    rows = rows.astype(array.dtype)
    return array.at[lanes, node].set(rows, mode="drop", unique_indices=True)


def back_up(
    tree: ProofTree,
    lanes: Int32[Array, "W"],
    runs: Bool[Array, "W"],
    node: Int32[Array, "W"],
    most_children: int,
) -> ProofTree:
    """Returns the trees with the numbers of a node and of all above it made anew.

    It ends where the numbers of a node stay the same. No node has more than `most_children`.
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
    """Returns the old and new numbers of one node in each lane, and the child to go on with.

    The seat to move needs one child that serves it, so its number is the least of the children's;
    the other seat needs all of them, so its number is their sum.
    """
    children = tree.children[lanes, node].astype(jnp.int32)
    first = tree.first[lanes, node]
    attacks = tree.attacks[lanes, node][:, None]

    def among(width: int) -> tuple[Int32[Array, "W 2"], Int32[Array, "W 2"], Int32[Array, "W"]]:
        order = jnp.arange(width)
        # The node itself is read along with its children: one read, certainly before the write.
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

    # As many children are read as the lanes that count have.
    limits = (*(width for width in _WIDTHS if width < most_children), most_children)
    most = jnp.where(counts, children, 0).max()
    index = sum((most > limit).astype(jnp.int32) for limit in limits[:-1])
    return jax.lax.switch(index, [lambda width=width: among(width) for width in limits])
