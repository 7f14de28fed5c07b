"""Stochastic MuZero: states, where an action is taken, and afterstates, where chance moves.

Source: Antonoglou et al., "Planning in stochastic environments with a learned model", 2022.

Both kinds of nodes are in one tree. A slot below the number of actions is an action, the others are
outcomes of chance. The slots of the other kind have no prior at a node, and are never selected.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.batching.trees import select_rows
from jaxgames.internal import jax_modes
from jaxgames.search.mctx import compact_selection
from jaxgames.search.mctx.base import (
    ChanceRecurrentFn,
    DecisionRecurrentFn,
    LoopFn,
    Params,
    PolicyOutput,
    QTransform,
    RecurrentFnOutput,
    RootFnOutput,
    StochasticRecurrentState,
    check_output,
    check_roots,
)
from jaxgames.search.mctx.policies import (
    by_visits,
    invalid_mask,
    upper_confidence,
    valid_mask,
    with_dirichlet_noise,
)
from jaxgames.search.mctx.qtransforms import qtransform_by_parent_and_siblings
from jaxgames.search.mctx.search import prediction, tree_of
from jaxgames.search.mctx.search_tree import NodeTree
from jaxgames.search.tree import model_search
from jaxgames.search.tree.arrays import CHANCE
from jaxgames.search.tree.model_search import Prediction, SelectionRules


@jax_modes.standard_promotion
@allows_empty("root", "invalid_actions")
def stochastic_muzero_policy(
    params: Params,
    rng_key: PRNGKeyArray,
    root: RootFnOutput,
    decision_recurrent_fn: DecisionRecurrentFn,
    chance_recurrent_fn: ChanceRecurrentFn,
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
    """Returns the result of stochastic MuZero: an action leads to an afterstate, chance from there.

    `decision_recurrent_fn` is the model of actions, called with parameters, a key, actions and the
    embeddings of states; `chance_recurrent_fn` is the model of chance, called with parameters, a
    key, outcomes and the embeddings of afterstates. The roots are states. A simulation calls both
    functions and adds a state or an afterstate, so that going one action and one outcome further
    takes two of them; `max_depth` counts the edges of chance too. The other arguments are those of
    `muzero_policy`.
    """
    check_roots(root, invalid_actions)
    action_key, noise_key, search_key = jax.random.split(rng_key, 3)
    root = with_dirichlet_noise(
        root, noise_key, dirichlet_fraction, dirichlet_alpha, invalid_actions
    )
    valid = valid_mask(invalid_actions, root.prior_logits)
    invalid = invalid_mask(invalid_actions, root.prior_logits)
    batch, num_actions = root.prior_logits.shape
    select, decide = upper_confidence(qtransform, num_actions, pb_c_init, pb_c_base)
    none = jnp.zeros((batch,), jnp.int32)
    after = functools.partial(decision_recurrent_fn, params)  # which may hold what is no array
    output, afterstate = jax.eval_shape(after, action_key, none, root.embedding)
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
        rule = functools.partial(compact_selection.puct_or_chance, decide=decide)
        rules = SelectionRules(at_root=rule, below_root=rule, root_order=None)
    tree = tree_of(
        _model(decision_recurrent_fn, chance_recurrent_fn, num_actions),
        params,
        search_key,
        root.replace(prior_logits=prior_logits, embedding=embedding),
        jnp.pad(valid, ((0, 0), (0, num_outcomes))),
        invalid,
        num_simulations,
        max_depth,
        loop_fn,
        rules=rules,
        at_root=functools.partial(select_any, depth=0),
        below_root=select_any,
    )
    return by_visits(tree, action_key, temperature)


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
