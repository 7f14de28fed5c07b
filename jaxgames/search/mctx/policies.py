"""The policies of mctx: Gumbel MuZero and MuZero, for any model.

Sources: Danihelka et al., "Policy improvement by planning with Gumbel", 2022; Schrittwieser et al.,
"Mastering Atari, Go, chess and shogi by planning with a learned model", 2020.

With equal keys they draw the same random numbers as mctx.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import jax_modes
from jaxgames.search.mctx import action_selection, compact_selection
from jaxgames.search.mctx.base import (
    GumbelMuZeroExtraData,
    LoopFn,
    Params,
    PolicyOutput,
    QTransform,
    RecurrentFn,
    RootFnOutput,
    check_roots,
)
from jaxgames.search.mctx.qtransforms import (
    compact_form,
    qtransform_by_parent_and_siblings,
    qtransform_completed_by_mix_value,
)
from jaxgames.search.mctx.search import as_model, tree_of
from jaxgames.search.mctx.search_tree import Tree
from jaxgames.search.tree.arrays import ChildChoice, NodeView
from jaxgames.search.tree.model_search import SelectionRules


@jax_modes.standard_promotion
@allows_empty("root", "invalid_actions")
def gumbel_muzero_policy(
    params: Params,
    rng_key: PRNGKeyArray,
    root: RootFnOutput,
    recurrent_fn: RecurrentFn,
    num_simulations: int,
    invalid_actions: Bool[Array, "B num_actions"] | None = None,
    max_depth: int | None = None,
    loop_fn: LoopFn = jax.lax.fori_loop,
    *,
    qtransform: QTransform = qtransform_completed_by_mix_value,
    max_num_considered_actions: int = 16,
    gumbel_scale: Any = 1.0,
) -> PolicyOutput:
    """Returns the result of Gumbel MuZero.

    Args:
        params: the parameters of the model.
        rng_key: of all randomness.
        root: what the model says of the roots.
        recurrent_fn: the model, called with parameters, a key, actions and embeddings.
        num_simulations: the number of simulations, each with one call of `recurrent_fn`.
        invalid_actions: a mask of actions that must not be taken; None: all are valid.
        max_depth: the most edges of a path; None: no limit.
        loop_fn: runs the simulations, as `jax.lax.fori_loop` does.
        qtransform: completes Q-values. The transforms of this package, also in
            `functools.partial`, cost less than other functions.
        max_num_considered_actions: root actions that sequential halving starts with.
        gumbel_scale: 1 explores as in training; 0 plays the best action found.
    """
    check_roots(root, invalid_actions)
    logits = _mask_invalid_actions(root.prior_logits, invalid_actions)
    rng_key, gumbel_key = jax.random.split(rng_key)
    gumbel = gumbel_scale * jax.random.gumbel(gumbel_key, logits.shape, logits.dtype)
    filled = valid_mask(invalid_actions, logits)
    num_actions = logits.shape[-1]
    transform = compact_form(qtransform)
    rules = None
    if transform is not None:
        order = compact_selection.root_order(logits, gumbel)
        rules = SelectionRules(
            at_root=functools.partial(
                compact_selection.gumbel_root,
                transform=transform,
                order=order,
                options=filled.sum(axis=-1),
                max_considered=max_num_considered_actions,
                simulations=num_simulations,
            ),
            below_root=functools.partial(
                compact_selection.gumbel_below_root, transform=transform, num_actions=num_actions
            ),
            root_order=order,
        )
    tree = tree_of(
        as_model(recurrent_fn),
        params,
        rng_key,
        root.replace(prior_logits=logits),
        filled,
        invalid_mask(invalid_actions, logits),
        num_simulations,
        max_depth,
        loop_fn,
        rules=rules,
        at_root=functools.partial(
            action_selection.gumbel_muzero_root_action_selection,
            num_simulations=num_simulations,
            max_num_considered_actions=max_num_considered_actions,
            qtransform=qtransform,
        ),
        below_root=functools.partial(
            action_selection.gumbel_muzero_interior_action_selection, qtransform=qtransform
        ),
        extra_data=GumbelMuZeroExtraData(root_gumbel=gumbel),
        exact=False,
    )
    at_root = tree.one_node(jnp.zeros(len(logits), jnp.int32))
    visits = at_root.children_visits[:, 0]
    completed = jax.vmap(lambda tree: qtransform(tree, 0))(at_root)
    scores = action_selection.score_considered(
        visits.max(axis=-1), gumbel, logits, completed, visits
    )
    weights = jax.nn.softmax(_mask_invalid_actions(logits + completed, invalid_actions))
    return PolicyOutput(
        action=action_selection.masked_argmax(scores, invalid_actions),
        action_weights=weights,
        search_tree=tree,
    )


@jax_modes.standard_promotion
@allows_empty("root", "invalid_actions")
def muzero_policy(
    params: Params,
    rng_key: PRNGKeyArray,
    root: RootFnOutput,
    recurrent_fn: RecurrentFn,
    num_simulations: int,
    invalid_actions: Bool[Array, "B num_actions"] | None = None,
    max_depth: int | None = None,
    loop_fn: LoopFn = jax.lax.fori_loop,
    *,
    qtransform: QTransform = qtransform_by_parent_and_siblings,
    dirichlet_fraction: Any = 0.25,
    dirichlet_alpha: Any = 0.3,
    pb_c_init: Any = 1.25,
    pb_c_base: Any = 19652,
    temperature: Any = 1.0,
) -> PolicyOutput:
    """Returns the result of MuZero.

    The arguments up to `loop_fn` are those of `gumbel_muzero_policy`. `qtransform` maps Q-values to
    0 to 1; the transforms of this package, also in `functools.partial`, cost less than other
    functions. `dirichlet_fraction` is the share of noise in the prior at the root,
    `dirichlet_alpha` its concentration. `pb_c_init` and `pb_c_base` are the paper's c_1 and c_2. A
    `temperature` of 0 takes the most visited action, 1 draws by the visits.
    """
    check_roots(root, invalid_actions)
    action_key, noise_key, search_key = jax.random.split(rng_key, 3)
    root = with_dirichlet_noise(
        root, noise_key, dirichlet_fraction, dirichlet_alpha, invalid_actions
    )
    logits = root.prior_logits
    select, rule = upper_confidence(qtransform, logits.shape[-1], pb_c_init, pb_c_base)
    tree = tree_of(
        as_model(recurrent_fn),
        params,
        search_key,
        root,
        valid_mask(invalid_actions, logits),
        invalid_mask(invalid_actions, logits),
        num_simulations,
        max_depth,
        loop_fn,
        rules=None if rule is None else SelectionRules(rule, rule, root_order=None),
        at_root=functools.partial(select, depth=0),
        below_root=select,
    )
    return by_visits(tree, action_key, temperature)


def upper_confidence(
    qtransform: QTransform, num_actions: int, c_init: Any, c_base: Any
) -> tuple[Callable[..., Int32[Array, ""]], Callable[[NodeView], ChildChoice] | None]:
    """Returns MuZero's selection, and the same by the children of a node or None."""
    select = functools.partial(
        action_selection.muzero_action_selection,
        pb_c_init=c_init,
        pb_c_base=c_base,
        qtransform=qtransform,
    )
    transform = compact_form(qtransform)
    if transform is None:
        return select, None
    rule = functools.partial(
        compact_selection.puct,
        transform=transform,
        num_actions=num_actions,
        c_init=c_init,
        c_base=c_base,
    )
    return select, rule


def by_visits(tree: Tree, key: PRNGKeyArray, temperature: Any) -> PolicyOutput:
    """Returns an action drawn by its visits, and the share of the visits of each action."""
    shares = tree.summary().visit_probs
    logits = _apply_temperature(_logits_of(shares), temperature)
    return PolicyOutput(
        action=jax.random.categorical(key, logits), action_weights=shares, search_tree=tree
    )


def invalid_mask(
    invalid_actions: Bool[Array, "B num_actions"] | None, logits: Float[Array, "B num_actions"]
) -> Array:
    """Returns the mask of invalid actions; zeros if all are valid."""
    return jnp.zeros_like(logits) if invalid_actions is None else invalid_actions


def valid_mask(
    invalid_actions: Bool[Array, "B num_actions"] | None, logits: Float[Array, "B num_actions"]
) -> Bool[Array, "B num_actions"]:
    """Returns the mask of valid actions; action 0 counts as valid where there is no other."""
    if invalid_actions is None:
        return jnp.ones(logits.shape, dtype=bool)
    valid = ~jnp.asarray(invalid_actions).astype(bool)
    is_first = jnp.arange(logits.shape[-1]) == 0
    return jnp.where(valid.any(axis=-1, keepdims=True), valid, is_first)


def _mask_invalid_actions(
    logits: Float[Array, "B num_actions"], invalid_actions: Bool[Array, "B num_actions"] | None
) -> Float[Array, "B num_actions"]:
    """Returns logits of which invalid actions have the lowest finite one.

    Minus infinity would make a softmax NaN where no action is valid, as at the end of an episode.
    """
    if invalid_actions is None:
        return logits
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return jnp.where(invalid_actions, jnp.finfo(logits.dtype).min, shifted)


def with_dirichlet_noise(
    root: RootFnOutput,
    key: PRNGKeyArray,
    fraction: Any,
    alpha: Any,
    invalid_actions: Bool[Array, "B num_actions"] | None,
) -> RootFnOutput:
    """Returns the roots with the logits of the policy mixed with noise, of valid actions."""
    batch, num_actions = root.prior_logits.shape
    noise = jax.random.dirichlet(key, jnp.full([num_actions], alpha), (batch,))
    logits = _logits_of((1 - fraction) * jax.nn.softmax(root.prior_logits) + fraction * noise)
    return root.replace(prior_logits=_mask_invalid_actions(logits, invalid_actions))


def _logits_of(probabilities: Float[Array, "B num_actions"]) -> Float[Array, "B num_actions"]:
    return jnp.log(jnp.maximum(probabilities, jnp.finfo(probabilities.dtype).tiny))


def _apply_temperature(
    logits: Float[Array, "*B num_actions"], temperature: Any
) -> Float[Array, "*B num_actions"]:
    """Returns logits divided by a temperature, which may be 0; the greatest becomes 0."""
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits / jnp.maximum(jnp.finfo(logits.dtype).tiny, temperature)
