"""Empty search trees: their sizes, and the smallest types that hold what they need."""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array

from jaxgames.search.tree.arrays import OVER, Links, Trees

_MAX_NARROW = 2**16  # nodes or actions that a 16-bit number can name


class Size(NamedTuple):
    """The sizes of the trees of a batch."""

    batch: int
    nodes: int
    slots: int
    num_actions: int | None  # of the game; None if slot and action are the same
    value_size: int  # 1 or the number of seats
    words: int | None  # of a packed state; None: nodes have no state
    wide: bool  # an edge takes 8 bytes, with exact priors, instead of 4
    whole: bool = False  # trees are read as a whole, see `whole.py`


class Extras(NamedTuple):
    """What the trees of a model have beside those of a game."""

    dtype: Any  # of priors and values
    has_reward: bool
    has_discount: bool
    has_ties: bool  # whether noise decides between equal slots


def empty(size: Size, extras: Extras | None = None) -> Trees:
    """Returns trees without nodes; the trees of a model, `extras`, also without embeddings."""
    is_narrow = size.nodes <= _MAX_NARROW and (extras is not None or not size.wide)
    extras = extras or Extras(jnp.float32, has_reward=False, has_discount=False, has_ties=False)
    dtype = extras.dtype
    nodes = (size.batch, size.nodes)
    edges = (*nodes, size.slots)
    children = (*nodes, max(1, min(size.slots, size.nodes - 1)))  # the root is no child
    values = (*nodes, size.value_size)
    links = None
    if not size.whole:
        links = Links(
            child=jnp.zeros(children, jnp.uint16 if is_narrow else jnp.int32),
            children=jnp.zeros(nodes, jnp.int32),
            next_slot=jnp.zeros(nodes, jnp.int32),
            next_child=jnp.zeros(nodes, jnp.int32),
            next_prior=jnp.zeros(nodes, dtype),
            next_tied=jnp.zeros(nodes, bool) if extras.has_ties else None,
        )
    return Trees(
        log_prior=jnp.zeros(edges, dtype if size.wide else jnp.float16),
        action=_empty_actions(edges, size.num_actions),
        unexpanded_slot=jnp.zeros(nodes, jnp.int32),
        unexpanded_prior=jnp.zeros(nodes, dtype),
        best_prior=jnp.zeros(nodes, dtype) if size.whole else None,
        slot=jnp.zeros(nodes, jnp.int32),
        prior=jnp.zeros(nodes, dtype),
        parent=jnp.zeros(nodes, jnp.int32),
        visits=jnp.zeros(nodes, jnp.int32),
        value=jnp.zeros(values, dtype),
        raw_value=jnp.zeros(values, dtype),
        seat=jnp.full(nodes, OVER, jnp.int8),
        state=None if size.words is None else jnp.zeros((*nodes, size.words), jnp.uint32),
        reward=jnp.zeros(values, dtype) if extras.has_reward else None,
        discount=jnp.ones(nodes, dtype) if extras.has_discount else None,
        unexpanded_lead=jnp.zeros(nodes, dtype) if extras.has_ties else None,
        used=jnp.zeros((size.batch,), jnp.int32),
        links=links,
    )


def _empty_actions(shape: tuple[int, int, int], num_actions: int | None) -> Array | None:
    if num_actions is None:
        return None
    return jnp.zeros(shape, jnp.uint16 if num_actions <= _MAX_NARROW else jnp.int32)
