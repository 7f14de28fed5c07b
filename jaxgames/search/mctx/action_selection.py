"""Selection of actions with the interface of mctx: for one node, over all its actions.

The policies need these functions only where rounding or noise decides, and with q-transforms of
their users; else they select by the rules of `compact_selection`, which cost less.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.search.mctx.base import QTransform
from jaxgames.search.mctx.qtransforms import (
    qtransform_by_parent_and_siblings,
    qtransform_completed_by_mix_value,
)
from jaxgames.search.tree.gumbel import halving_table

TIE_NOISE = 1e-7  # of PUCT: uniform noise below this number is added to each score
LOWEST_SCORE = -1e9  # of a considered action: above the -inf of the others


def muzero_action_selection(
    rng_key: PRNGKeyArray,
    tree: Any,
    node_index: Any,
    depth: Any,
    *,
    pb_c_init: Any = 1.25,
    pb_c_base: Any = 19652.0,
    qtransform: QTransform = qtransform_by_parent_and_siblings,
) -> Int32[Array, ""]:
    """Returns the action of greatest upper confidence bound; ties are broken at random.

    Source: Schrittwieser et al., "Mastering Atari, Go, chess and shogi by planning with a learned
    model", 2020, appendix B.

    Args:
        rng_key: the key of the noise that breaks ties.
        tree: a tree without batch axis.
        node_index: the node.
        depth: the depth of the node; invalid actions are masked at depth 0.
        pb_c_init: the paper's c_1.
        pb_c_base: the paper's c_2.
        qtransform: maps Q-values to 0 to 1.
    """
    prior = jax.nn.softmax(tree.children_prior_logits[node_index])
    visits, node_visits = tree.children_visits[node_index], tree.node_visits[node_index]
    exploration = pb_c_init + jnp.log((node_visits + pb_c_base + 1.0) / pb_c_base)
    bonus = jnp.sqrt(node_visits) * exploration * prior / (visits + 1)
    noise = TIE_NOISE * jax.random.uniform(rng_key, (tree.num_actions,))
    scores = qtransform(tree, node_index) + bonus + noise
    return masked_argmax(scores, tree.root_invalid_actions * (depth == 0))


def gumbel_muzero_root_action_selection(
    rng_key: PRNGKeyArray,
    tree: Any,
    node_index: Any,
    *,
    num_simulations: int,
    max_num_considered_actions: int,
    qtransform: QTransform = qtransform_completed_by_mix_value,
) -> Int32[Array, ""]:
    """Returns the best of the actions that sequential halving considers now.

    Source: Danihelka et al., "Policy improvement by planning with Gumbel", 2022, section 3.

    Args:
        rng_key: not used.
        tree: a tree without batch axis; its `extra_data` are `GumbelMuZeroExtraData`.
        node_index: the root.
        num_simulations: the simulations of the search.
        max_num_considered_actions: the actions that sequential halving starts with.
        qtransform: completes Q-values.
    """
    del rng_key
    visits = tree.children_visits[node_index]
    table = jnp.asarray(halving_table(max_num_considered_actions, num_simulations))
    valid = jnp.sum(1 - tree.root_invalid_actions, axis=-1).astype(jnp.int32)
    considered = jnp.minimum(max_num_considered_actions, valid)
    scores = score_considered(
        table[considered, visits.sum(axis=-1)],
        tree.extra_data.root_gumbel,
        tree.children_prior_logits[node_index],
        qtransform(tree, node_index),
        visits,
    )
    return masked_argmax(scores, tree.root_invalid_actions)


def gumbel_muzero_interior_action_selection(
    rng_key: PRNGKeyArray,
    tree: Any,
    node_index: Any,
    depth: Any,
    *,
    qtransform: QTransform = qtransform_completed_by_mix_value,
) -> Int32[Array, ""]:
    """Returns the action whose visits lag most behind the improved policy.

    Source: Danihelka et al., "Policy improvement by planning with Gumbel", 2022, section 5.

    Args:
        rng_key: not used.
        tree: a tree without batch axis.
        node_index: the node.
        depth: not used.
        qtransform: completes Q-values.
    """
    del rng_key, depth
    visits = tree.children_visits[node_index]
    logits = tree.children_prior_logits[node_index] + qtransform(tree, node_index)
    lag = jax.nn.softmax(logits) - visits / (1 + visits.sum(axis=-1, keepdims=True))
    return jnp.argmax(lag, axis=-1).astype(jnp.int32)


def score_considered(
    considered_visit: Int32[Array, "*any"],
    gumbel: Float[Array, "*any num_actions"],
    logits: Float[Array, "*any num_actions"],
    qvalues: Float[Array, "*any num_actions"],
    visits: Int32[Array, "*any num_actions"],
) -> Float[Array, "*any num_actions"]:
    """Returns the scores of the actions with the considered number of visits; else -inf."""
    logits = logits - logits.max(axis=-1, keepdims=True)
    scores = jnp.maximum(gumbel + logits + qvalues, LOWEST_SCORE)
    return jnp.where(visits == considered_visit[..., None], scores, -jnp.inf)


def masked_argmax(
    scores: Float[Array, "*any num_actions"], invalid: Bool[Array, "*any num_actions"] | None
) -> Int32[Array, "*any"]:
    """Returns the valid action of greatest score; 0 where no action is valid."""
    if invalid is not None:
        scores = jnp.where(invalid, -jnp.inf, scores)
    return jnp.argmax(scores, axis=-1).astype(jnp.int32)
