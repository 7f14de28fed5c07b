"""Search with a model of chance: states, where an action is taken, and afterstates alternate.

Source: Antonoglou et al., "Planning in stochastic environments with a learned model", 2022.

Both kinds of nodes are in one tree. A slot below the number of actions is an action, the others are
outcomes of chance. The slots of the other kind have no prior at a node, and are never selected.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import select_rows
from jaxgames.search.mctx import compact_rules
from jaxgames.search.mctx.base import (
    ChanceRecurrentFn,
    DecisionRecurrentFn,
    LoopFn,
    Params,
    RecurrentFnOutput,
    RootFnOutput,
    StochasticRecurrentState,
)
from jaxgames.search.mctx.search import chooser, prediction, root_prediction
from jaxgames.search.mctx.search_tree import NodeTree, Tree
from jaxgames.search.mctx.shape_checks import check_output
from jaxgames.search.tree import model_search
from jaxgames.search.tree.arrays import CHANCE, ChildChoice, NodeView
from jaxgames.search.tree.model_search import ModelRoots, Prediction, Selection, SelectionRules


def search(
    params: Params,
    rng_key: PRNGKeyArray,
    dummy_key: PRNGKeyArray,
    *,
    root: RootFnOutput,
    decision_fn: DecisionRecurrentFn,
    chance_fn: ChanceRecurrentFn,
    select: Callable[[PRNGKeyArray, Any, Any, Any], Int32[Array, ""]],
    decide: Callable[[NodeView], ChildChoice] | None,
    simulations: int,
    max_depth: int | None,
    valid: Bool[Array, "B num_actions"],
    invalid: Float[Array, "B num_actions"],
    loop: LoopFn,
) -> Tree:
    """Returns the trees of a search from states, with their actions alone.

    Args:
        params: the parameters of the model.
        rng_key: of all randomness.
        dummy_key: of one call of `decision_fn`, for the shapes of its results.
        root: what the model says of the roots.
        decision_fn: the model of actions.
        chance_fn: the model of chance.
        select: selects an action at a state, with the interface of mctx.
        decide: the same by the children of a node; None: `select` is always used.
        simulations: the number of simulations.
        max_depth: the most edges of a path; None: no limit.
        valid: the mask of actions that may be taken at the root.
        invalid: the mask of invalid actions that `select` sees.
        loop: runs the simulations.
    """
    batch, num_actions = root.prior_logits.shape
    none = jnp.zeros((batch,), jnp.int32)
    output, afterstate = jax.eval_shape(decision_fn, params, dummy_key, none, root.embedding)
    num_outcomes = output.chance_logits.shape[-1]
    embedding = StochasticRecurrentState(
        state_embedding=root.embedding,
        afterstate_embedding=jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), afterstate),
        is_decision_node=jnp.ones((batch,), dtype=bool),
    )
    no_outcomes = jnp.full((batch, num_outcomes), -jnp.inf, root.prior_logits.dtype)
    prior_logits = jnp.concatenate([root.prior_logits, no_outcomes], axis=-1)

    def select_any(key: PRNGKeyArray, tree: NodeTree, node: Any, depth: Any) -> Int32[Array, ""]:
        action = select(key, _slots(tree, slice(0, num_actions)), node, depth)
        chance = _slots(tree, slice(num_actions, None))
        prior = jax.nn.softmax(chance.children_prior_logits[node])
        outcome = jnp.argmax(prior / (chance.children_visits[node] + 1), axis=-1)
        is_state = tree.embeddings.is_decision_node[node]
        return jnp.where(is_state, action, num_actions + outcome).astype(jnp.int32)

    rules = None
    if decide is not None:
        rule = functools.partial(compact_rules.puct_or_chance, decide=decide)
        rules = SelectionRules(at_root=rule, below_root=rule, root_order=None)
    slots = num_actions + num_outcomes
    select_root = functools.partial(select_any, depth=0)
    nodes = model_search.search(
        _model(decision_fn, chance_fn, num_actions),
        params,
        ModelRoots(
            root_prediction(root.replace(prior_logits=prior_logits)),
            embedding,
            jnp.pad(valid, ((0, 0), (0, num_outcomes))),
        ),
        Selection(rules, chooser(select_root, select_any, invalid, None, slots)),
        simulations,
        rng_key,
        max_depth,
        loop,
    )
    return Tree(nodes=nodes, root_invalid_actions=invalid, extra_data=None, num_actions=num_actions)


def _slots(tree: NodeTree, part: slice) -> NodeTree:
    """Returns the node with one kind of its slots."""
    names = ("index", "prior_logits", "visits", "rewards", "discounts", "values")
    fields = {f"children_{name}": getattr(tree, f"children_{name}")[:, part] for name in names}
    return tree.replace(**fields)


def _model(
    decision_fn: DecisionRecurrentFn, chance_fn: ChanceRecurrentFn, num_actions: int
) -> model_search.Model:
    """Returns the model of both kinds of nodes; each lane uses the result of one function."""

    def model(
        params: Params,
        key: PRNGKeyArray,
        action: Int32[Array, "B"],
        embedding: Any,
    ) -> tuple[Prediction, StochasticRecurrentState]:
        is_state = embedding.is_decision_node
        decision, afterstate = decision_fn(params, key, action, embedding.state_embedding)
        chance, state = chance_fn(params, key, action - num_actions, embedding.afterstate_embedding)
        check_output(decision, action.shape)
        check_output(chance, action.shape)
        no_actions = jnp.full((len(action), num_actions), -jnp.inf, decision.chance_logits.dtype)
        no_outcomes = jnp.full_like(decision.chance_logits, -jnp.inf)
        value = decision.afterstate_value
        after_action = RecurrentFnOutput(
            reward=None if chance.reward is None else jnp.zeros_like(value),
            discount=None if chance.discount is None else jnp.ones_like(value),
            prior_logits=jnp.concatenate([no_actions, decision.chance_logits], axis=-1),
            value=value,
        )
        after_chance = RecurrentFnOutput(
            reward=chance.reward,
            discount=chance.discount,
            prior_logits=jnp.concatenate([chance.action_logits, no_outcomes], axis=-1),
            value=chance.value,
        )
        output = select_rows(is_state, after_action, after_chance)
        seat = jnp.where(is_state, CHANCE, 0)
        return prediction(output, seat), StochasticRecurrentState(
            state_embedding=state, afterstate_embedding=afterstate, is_decision_node=~is_state
        )

    return model
