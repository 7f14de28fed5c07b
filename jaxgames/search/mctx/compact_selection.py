"""Selection by the children of a node: the same actions as those of `action_selection`, for less.

An action without a child differs from other such actions by its prior alone. So a rule compares the
children, which are few, with the best action that has none (see `jaxgames.search.tree.arrays`).
Where two actions are equal, the one of lesser number is selected, as by `argmax` over all actions.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from jaxgames.search.mctx.qtransforms import CompactQ
from jaxgames.search.tree import arrays
from jaxgames.search.tree.arrays import CHANCE, ChildChoice, NodeView
from jaxgames.search.tree.gumbel import halving_table
from jaxgames.search.tree.model_search import LEAST_LOG_PRIOR

_TIE_MARGIN = 1e-6  # scores nearer to each other than this are left to noise and exact arithmetic

Transform = Callable[[NodeView, int], CompactQ]


def gumbel_root(
    seen: NodeView,
    *,
    transform: Transform,
    order: Float[Array, "B actions"],
    options: Int32[Array, "B"],
    max_considered: int,
    simulations: int,
) -> ChildChoice:
    """Returns the best of the actions that sequential halving considers now.

    Args:
        seen: the roots.
        transform: completes Q-values.
        order: see `root_order`.
        options: the number of valid actions.
        max_considered: the actions that sequential halving starts with.
        simulations: the simulations of the search.
    """
    table = jnp.asarray(halving_table(max_considered, simulations))
    considered = jnp.minimum(options, max_considered)
    wanted = table[considered, seen.child_visits.sum(axis=-1)]
    completed = transform(seen, order.shape[-1])
    own = jnp.take_along_axis(order, seen.slot, axis=-1)
    scores = _score(own, completed.children)
    scores = jnp.where(seen.child_visits == wanted[:, None], scores, -jnp.inf)
    best = jnp.take_along_axis(order, seen.unexpanded_slot[:, None], axis=-1)[:, 0]
    is_open = (wanted == 0) & (seen.is_child.sum(axis=-1) < options)
    other = jnp.where(is_open, _score(best, completed.others), -jnp.inf)
    return _first_best(seen, scores, other)


def root_order(
    logits: Float[Array, "B actions"], gumbel: Float[Array, "B actions"]
) -> Float[Array, "B actions"]:
    """Returns the logits, shifted so that the greatest is 0, plus noise.

    Numbers of actions without any prior are all the same.
    """
    return jnp.maximum(gumbel + (logits - logits.max(axis=-1, keepdims=True)), LEAST_LOG_PRIOR)


def _score(order: Array, completed: Array) -> Array:
    return jnp.where(order > LEAST_LOG_PRIOR, order + completed, LEAST_LOG_PRIOR)


def gumbel_below_root(seen: NodeView, *, transform: Transform, num_actions: int) -> ChildChoice:
    """Returns the action whose visits lag most behind the improved policy."""
    completed = transform(seen, num_actions)
    logits = jnp.where(seen.is_child, jnp.log(seen.prior) + completed.children, -jnp.inf)
    best_other = jnp.log(seen.best_unexpanded_prior) + completed.others
    top = jnp.maximum(logits.max(axis=-1), best_other)
    top = jnp.where(top > -jnp.inf, top, 0)
    weight = jnp.exp(logits - top[:, None])
    all_others = jnp.exp(jnp.log(seen.unexpanded_prior) + completed.others - top)
    total = weight.sum(axis=-1) + all_others
    visits = seen.child_visits
    lag = weight / total[:, None] - visits / (1 + visits.sum(axis=-1, keepdims=True))
    other = jnp.exp(best_other - top) / total
    return _first_best(seen, lag, jnp.where(seen.best_unexpanded_prior > 0, other, -jnp.inf))


def puct(
    seen: NodeView, *, transform: Transform, num_actions: int, c_init: Any, c_base: Any
) -> ChildChoice:
    """Returns the action of greatest upper confidence bound, and whether noise decides."""
    qvalues = transform(seen, num_actions)
    visits = seen.visits.astype(seen.prior.dtype)
    exploration = jnp.sqrt(visits) * (c_init + jnp.log((visits + c_base + 1) / c_base))
    scores = qvalues.children + exploration[:, None] * seen.prior / (seen.child_visits + 1)
    scores = jnp.where(seen.is_child, scores, -jnp.inf)
    other = qvalues.others + exploration * seen.best_unexpanded_prior
    other = jnp.where(seen.best_unexpanded_prior > 0, other, -jnp.inf)
    index = arrays.first_greatest(scores)
    best = scores.max(axis=-1)
    expands = other > best

    assert seen.unexpanded_lead is not None, "trees of this policy keep it"
    is_best = jnp.arange(scores.shape[-1]) == index[:, None]
    second_child = jnp.where(is_best, -jnp.inf, scores).max(axis=-1)
    second_other = jnp.where(other > -jnp.inf, other - exploration * seen.unexpanded_lead, other)
    second = jnp.where(expands, jnp.maximum(best, second_other), jnp.maximum(second_child, other))
    best = jnp.maximum(best, other)
    tied = second >= best - _TIE_MARGIN * (1 + jnp.abs(best))
    return ChildChoice(index, expands, tied & (best > -jnp.inf))


def puct_or_chance(seen: NodeView, *, decide: Callable[[NodeView], ChildChoice]) -> ChildChoice:
    """Returns an action at states, and at afterstates the outcome whose visits lag most."""
    decision = decide(seen)
    scores = seen.prior / (seen.child_visits + 1)
    other = jnp.where(seen.best_unexpanded_prior > 0, seen.best_unexpanded_prior, -jnp.inf)
    outcome = _first_best(seen, scores, other)
    is_chance = seen.seat == CHANCE
    assert decision.tied is not None, "`puct` says what is tied"
    return ChildChoice(
        jnp.where(is_chance, outcome.child, decision.child),
        jnp.where(is_chance, outcome.expands, decision.expands),
        decision.tied & ~is_chance,
    )


def _first_best(
    seen: NodeView, scores: Float[Array, "W C"], other: Float[Array, "W"]
) -> ChildChoice:
    """Returns the greatest score, and of equal ones that of the least action."""
    scores = jnp.where(seen.is_child, scores, -jnp.inf)
    best = scores.max(axis=-1)
    beyond = jnp.iinfo(jnp.int32).max
    slot = jnp.where(seen.is_child & (scores == best[:, None]), seen.slot, beyond)
    index = arrays.first_greatest(-slot)
    is_before = (other == best) & (seen.unexpanded_slot < slot.min(axis=-1))
    return ChildChoice(index, (other > best) | (is_before & (other > -jnp.inf)))
