"""`NewNodes`: the evaluation of leaves and roots in a tree search, once in its program."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluator, evaluate
from jaxgames.search.tree import arrays, packing, reuse
from jaxgames.search.tree.arrays import EXPANDED, OVER, Nodes, Trees
from jaxgames.search.tree.policy import Root, RootChoice, TreePolicy
from jaxgames.search.tree.reuse import KeptRoots


class NewNodes(NamedTuple):
    """The evaluation of states that become nodes of a tree."""

    rules: Rules[Any]
    evaluator: Evaluator
    policy: TreePolicy
    slots: int  # most actions of a node
    is_open_loop: bool
    judges_ends: bool  # the evaluator gives the values of finished games, too

    def unknown_roots(self, tree: Trees, is_kept: Bool[Array, "B"]) -> Root:
        """Returns roots that are not evaluated yet."""
        size, lanes = len(is_kept), jnp.arange(len(is_kept))
        by_action = size, self.rules.num_actions
        before = jnp.where(is_kept[:, None], arrays.view_root(tree, lanes).child_visits, 0)
        return Root(
            mask=jnp.zeros(by_action, bool),
            logits=jnp.zeros(by_action, jnp.float32),
            action=jnp.zeros((size, self.slots), jnp.int32),
            choice=RootChoice(
                order=jnp.zeros((size, self.slots), jnp.float32),
                options=jnp.zeros((size,), jnp.int32),
                visits_before=before,
            ),
        )

    def of_states(
        self,
        params: Params,
        state: GameStates,
        at_first: Bool[Array, "W"],
        drawn: Any,
        visits_before: Int32[Array, "W C"],
        kept: KeptRoots | None,
        key: PRNGKeyArray,
    ) -> tuple[Nodes, Float[Array, "W K"], Root]:
        """Returns the nodes of states, the order of their slots, and what they are as roots."""
        rules, first = self.rules, at_first[:, None]
        mask = jax.vmap(rules.legal_actions)(state)
        evaluation = evaluate(self.evaluator, params, state, mask, key).made_finite()
        is_over = jax.vmap(rules.is_over)(state)
        value = evaluation.values
        if not self.judges_ends:
            value = jnp.where(is_over[:, None], jax.vmap(rules.returns)(state), value)
        root_logits, noise = self.policy.prepare(evaluation.logits, mask, drawn)
        logits = jnp.where(first, root_logits, evaluation.logits)
        preference = jnp.where(first, root_logits + noise, evaluation.logits)
        action, filled = action_slots.choose(rules, mask, preference, self.slots)
        if self.is_open_loop and self.slots == rules.num_actions:
            filled |= ~first  # in another simulation, other actions may be legal here
        if kept is not None:
            action, filled = reuse.keep_slots(kept, action, filled)
        node = Nodes(
            log_prior=arrays.log_prior_of(logits, action, filled),
            action=action,
            value=value[:, :1] if rules.num_players == 2 else value,
            seat=jnp.where(is_over, OVER, jax.vmap(rules.to_move)(state)),
            state=None if self.is_open_loop else packing.pack(state),
        )
        order = action_slots.at_slots(root_logits, action)
        order = jnp.maximum(order - root_logits.max(axis=-1, keepdims=True), EXPANDED / 2)
        order = jnp.where(filled, order + action_slots.at_slots(noise, action), EXPANDED)
        choice = RootChoice(order, filled.sum(axis=-1), visits_before)
        root = Root(mask, root_logits, action, choice)
        return node, jnp.where(first, order, node.log_prior), root
