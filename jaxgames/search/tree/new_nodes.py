"""`NewNodes`: the evaluation of leaves and roots in a tree search, once in its program."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from jaxgames.batching.trees import select_rows
from jaxgames.internal import device_kind
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluator, evaluate
from jaxgames.search.tree import access, arrays, packing, reuse, views
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

    def unknown_roots(self, tree: Trees, is_kept: Bool[Array, "B"] | None) -> Root:
        """Returns roots that are not evaluated yet; `is_kept` is None in a search without reuse."""
        size = len(tree.used)
        by_action = size, self.rules.num_actions
        before = None
        if is_kept is not None:
            seen = views.view_root(tree, jnp.arange(size))
            before = access.lanes_last(jnp.where(is_kept[:, None], seen.child_visits, 0))
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
        root: Root,
        kept: KeptRoots | None,
        key: PRNGKeyArray,
    ) -> tuple[Nodes, Float[Array, "W K"], Root]:
        """Returns the nodes of states, the order of their slots, and the roots.

        Args:
            params: the parameters of the evaluator.
            state: the states.
            at_first: lanes whose state is a root.
            drawn: the random numbers of the policy.
            root: the roots before; they change where `at_first` holds.
            kept: the roots that an earlier search has left.
            key: of the evaluation.
        """
        rules, first = self.rules, at_first[:, None]
        mask = jax.vmap(rules.legal_actions)(state)
        evaluation = evaluate(self.evaluator, params, state, mask, key).made_finite()
        is_over = jax.vmap(rules.is_over)(state)
        value = evaluation.values
        if not self.judges_ends:
            value = jnp.where(is_over[:, None], jax.vmap(rules.returns)(state), value)

        def prepared() -> tuple[Float[Array, "W actions"], Float[Array, "W actions"]]:
            return self.policy.prepare(evaluation.logits, mask, drawn)

        root_logits, noise = prepared()
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

        def with_roots() -> tuple[Float[Array, "W K"], Root]:
            root_logits, noise = prepared()
            order = action_slots.at_slots(root_logits, action)
            order = jnp.maximum(order - root_logits.max(axis=-1, keepdims=True), EXPANDED / 2)
            order = jnp.where(filled, order + action_slots.at_slots(noise, action), EXPANDED)
            choice = RootChoice(order, filled.sum(axis=-1), root.choice.visits_before)
            found = Root(mask, root_logits, action, choice)
            return select_rows(at_first, (order, found), (node.log_prior, root))

        if device_kind.is_cpu():  # where it costs less than to look whether there is a root
            return node, *with_roots()
        order, found = jax.lax.cond(at_first.any(), with_roots, lambda: (node.log_prior, root))
        # So that the compiler sees that these stay.
        choice = found.choice._replace(visits_before=root.choice.visits_before)
        return node, order, found._replace(choice=choice)
