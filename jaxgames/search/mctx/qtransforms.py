"""Transforms of Q-values: from any scale to one that a selection can add to priors.

Each transform exists in two forms. The public function has the interface of mctx: a tree without
batch axis and a node's index give a number for each action. The compact form gives the same numbers
for the children of a `NodeView`, and one number that all other actions share. The search uses it,
because its cost does not grow with the number of actions.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from jaxgames.search.mctx.base import QTransform
from jaxgames.search.tree.arrays import NodeView
from jaxgames.search.tree.puct import scaled


class CompactQ(NamedTuple):
    """Transformed Q-values of the children of a node, and of every other action."""

    children: Float[Array, "W C"]
    others: Float[Array, "W"]


def qtransform_by_min_max(
    tree: Any, node_index: Any, *, min_value: Any, max_value: Any
) -> Float[Array, "num_actions"]:
    """Returns Q-values scaled so that two given values become 0 and 1.

    Args:
        tree: a tree without batch axis.
        node_index: the node.
        min_value: the value that becomes 0, also for actions that were not visited.
        max_value: the value that becomes 1.
    """
    is_visited = tree.children_visits[node_index] > 0
    qvalues = jnp.where(is_visited, tree.qvalues(node_index), min_value)
    return (qvalues - min_value) / (max_value - min_value)


def qtransform_by_parent_and_siblings(
    tree: Any, node_index: Any, *, epsilon: Any = 1e-8
) -> Float[Array, "num_actions"]:
    """Returns Q-values scaled so that they and the node's value span 0 to 1.

    Actions that were not visited get 0.

    Args:
        tree: a tree without batch axis.
        node_index: the node.
        epsilon: the least span that is divided by.
    """
    is_visited = tree.children_visits[node_index] > 0
    node_value = tree.node_values[node_index]
    known = jnp.where(is_visited, tree.qvalues(node_index), node_value)
    low = jnp.minimum(node_value, known.min(axis=-1))
    high = jnp.maximum(node_value, known.max(axis=-1))
    completed = jnp.where(is_visited, known, low)
    return (completed - low) / jnp.maximum(high - low, epsilon)


def qtransform_completed_by_mix_value(
    tree: Any,
    node_index: Any,
    *,
    value_scale: Any = 0.1,
    maxvisit_init: Any = 50.0,
    rescale_values: bool = True,
    use_mixed_value: bool = True,
    epsilon: Any = 1e-8,
) -> Float[Array, "num_actions"]:
    """Returns completed Q-values on the scale of logits.

    Source: Danihelka et al., "Policy improvement by planning with Gumbel", 2022, section 3 and
    appendix D.

    Args:
        tree: a tree without batch axis.
        node_index: the node.
        value_scale: the paper's c_scale.
        maxvisit_init: the paper's c_visit.
        rescale_values: whether the values are scaled to 0 to 1 first.
        use_mixed_value: whether actions that were not visited have the mixed value; else they have
            the value that the model gave the node.
        epsilon: the least span that is divided by.
    """
    visits = tree.children_visits[node_index]
    qvalues = tree.qvalues(node_index)
    value = tree.raw_values[node_index]
    if use_mixed_value:
        prior = jax.nn.softmax(tree.children_prior_logits[node_index])
        value = _compute_mixed_value(value, qvalues, visits, prior)
    completed = jnp.where(visits > 0, qvalues, value)
    if rescale_values:
        low, high = completed.min(axis=-1), completed.max(axis=-1)
        completed = (completed - low) / jnp.maximum(high - low, epsilon)
    return (maxvisit_init + visits.max(axis=-1)) * value_scale * completed


def _compute_mixed_value(
    raw_value: Float[Array, "*any"],
    qvalues: Float[Array, "*any C"],
    visit_counts: Int32[Array, "*any C"],
    prior_probs: Float[Array, "*any C"],
) -> Float[Array, "*any"]:
    """Returns the mean of the raw value and of the visited actions' values, weighted by priors."""
    is_visited = visit_counts > 0
    # A visited action may have no prior at all.
    prior = jnp.where(is_visited, jnp.maximum(prior_probs, jnp.finfo(prior_probs.dtype).tiny), 0)
    total = prior.sum(axis=-1, keepdims=True)
    share = prior / jnp.where(total > 0, total, 1)
    weighted = jnp.where(is_visited, share * qvalues, 0).sum(axis=-1)
    count = visit_counts.sum(axis=-1)
    return (raw_value + count * weighted) / (count + 1)


def _min_max(seen: NodeView, num_actions: int, *, min_value: Any, max_value: Any) -> CompactQ:
    del num_actions
    children = (seen.qvalues - min_value) / (max_value - min_value)
    return CompactQ(children, jnp.zeros_like(seen.value))


def _parent_and_siblings(seen: NodeView, num_actions: int, *, epsilon: Any = 1e-8) -> CompactQ:
    del num_actions
    return CompactQ(scaled(seen, epsilon), jnp.zeros_like(seen.value))


def _completed_by_mix_value(
    seen: NodeView,
    num_actions: int,
    *,
    value_scale: Any = 0.1,
    maxvisit_init: Any = 50.0,
    rescale_values: bool = True,
    use_mixed_value: bool = True,
    epsilon: Any = 1e-8,
) -> CompactQ:
    value = seen.raw_value
    if use_mixed_value:
        value = _compute_mixed_value(value, seen.qvalues, seen.child_visits, seen.prior)
    children, others = seen.qvalues, value
    if rescale_values:
        known = jnp.where(seen.is_child, children, value[:, None])
        is_open = seen.is_child.sum(axis=-1) < num_actions  # then the value itself counts
        all_children = jnp.where(seen.is_child, children, jnp.inf).min(axis=-1)
        low = jnp.where(is_open, jnp.minimum(known.min(axis=-1), value), all_children)
        all_children = jnp.where(seen.is_child, children, -jnp.inf).max(axis=-1)
        high = jnp.where(is_open, jnp.maximum(known.max(axis=-1), value), all_children)
        span = jnp.maximum(high - low, epsilon)
        children = (children - low[:, None]) / span[:, None]
        others = (others - low) / span
    scale = (maxvisit_init + seen.child_visits.max(axis=-1)) * value_scale
    return CompactQ(scale[:, None] * children, scale * others)


_COMPACT: Mapping[Any, Callable[..., CompactQ]] = {
    qtransform_by_min_max: _min_max,
    qtransform_by_parent_and_siblings: _parent_and_siblings,
    qtransform_completed_by_mix_value: _completed_by_mix_value,
}


def compact_form(qtransform: QTransform) -> Callable[[NodeView, int], CompactQ] | None:
    """Returns the compact form of a transform of this module, or None for any other function.

    The transform may be wrapped in `functools.partial` with options. The result takes a view and
    the number of actions.
    """
    options: dict[str, Any] = {}
    function: Any = qtransform
    while isinstance(function, functools.partial) and not function.args:
        options = dict(function.keywords) | options
        function = function.func
    try:
        form = _COMPACT.get(function)
    except TypeError:  # a callable that cannot be hashed
        return None
    return None if form is None else functools.partial(form, **options)
