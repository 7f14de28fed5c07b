"""`Simulation`: one descent, one evaluation and one backup in the lanes of a search.

All lanes simulate together. Nothing loops over lanes or carries a tree through a `vmap`, so the
cost of a simulation grows with the depth of the tree and with the number of children on the path,
not with the size of the tree.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames.batching.trees import fold_in, select_rows
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.tree import (
    access,
    backup,
    descent,
    growth,
    packing,
    reuse,
    views,
    whole,
)
from jaxgames.search.tree.arrays import NO_CHILD, OVER, ROOT, Trees
from jaxgames.search.tree.conversions import converted
from jaxgames.search.tree.new_nodes import NewNodes
from jaxgames.search.tree.search_run import SearchInputs, SearchProgress

Cost = Callable[[GameStates], Int32[Array, "W"]]
"""Returns the cost of the simulations that ended at these leaves, in units of the budget."""


class Simulation(NamedTuple):
    """How a search simulates."""

    new_nodes: NewNodes
    planned: int  # simulations of a whole search
    max_active: int | None  # lanes that take part in one simulation; None: all of them
    stop_decided: bool  # end a search whose action can no longer change
    cost: Cost | None  # None: every simulation costs 1

    def root_rounds(self, inputs: SearchInputs) -> int:
        """Returns in how many rounds all roots are evaluated.

        They are evaluated as the first leaves are, so that the rules stand in the program once: in
        the first round, or in as many as it takes if not all lanes take part in one.
        """
        size = len(inputs.budget)
        return 1 if self.max_active is None else -(-size // min(self.max_active, size))

    def prepared(self, params: Params, inputs: SearchInputs) -> Params:
        """Returns the parameters of the evaluator for all simulations of a search."""

        def evaluation(params: Params, states: GameStates, key: PRNGKeyArray) -> Evaluation:
            state = jax.tree.map(lambda x: x[0], states)
            return self.new_nodes.evaluator(params, state, key)

        return converted(evaluation, params, inputs.determinizations, inputs.keys.leaf)

    def make(
        self,
        params: Params,
        inputs: SearchInputs,
        number: Int32[Array, ""],
        progress: SearchProgress,
    ) -> SearchProgress:
        """Returns the progress after one more simulation in the lanes that have some left.

        In lanes that wait for it, the root is evaluated instead of a leaf. `number` is that of the
        round.
        """
        rules, policy = self.new_nodes.rules, self.new_nodes.policy
        evaluation_key, chance_key = self._keys_of(inputs, number)
        tree, root, waits, left, lists = progress
        lanes, runs, at_first = self._take_part(left, waits)
        choice = self._rows(root.choice, lanes)
        planned = self.planned if inputs.schedule is None else self._rows(inputs.schedule, lanes)
        at_root = functools.partial(policy.at_root, root=choice, budget=planned)
        if inputs.root_edge is None:
            edge = backup.select_at_root(tree, lanes, runs, at_root)
        else:
            edge = descent.only_edge(tree, lanes, choice.order, inputs.root_edge)
        start = descent.RootEdges(lanes, runs, edge, inputs.root_edge is not None)

        def step(
            states: GameStates, action: Int32[Array, "W"], depth: Int32[Array, ""]
        ) -> GameStates:
            if not rules.stochastic:
                return jax.vmap(lambda s, a: rules.step(s, a, None))(states, action)
            step_keys = fold_in(fold_in(fold_in(chance_key, lanes), self._rows(left, lanes)), depth)
            return jax.vmap(rules.step)(states, action, step_keys)

        first = jax.tree.map(lambda x: x[0], inputs.determinizations)
        if self.new_nodes.is_open_loop:
            states = inputs.determinizations
            states = descent.determinization_for(rules, states, tree, lanes, edge)
            leaf = descent.descend_open_loop(tree, policy, rules, start, states, step)
            roots = self._rows(first, lanes)
            leaf = leaf._replace(state=select_rows(at_first, roots, leaf.state))
        else:
            like = packing.one_of(first)
            state_of = functools.partial(_state, tree, like, lanes)
            leaf = descent.descend_closed_loop(tree, policy, start, state_of, step, at_first)
        progress = self._expand(params, inputs, progress, start, leaf, at_first, evaluation_key)
        tree, root, _, left, lists = progress
        before = self._rows(left, lanes)
        spent: Array | int = 1
        if self.cost is not None:
            # A full tree ends its search.
            is_full = self._rows(tree.used, lanes) >= tree.visits.shape[1]
            spent = jnp.minimum(self.cost(leaf.state), before)
            spent = jnp.where(is_full, before, spent)
        budget = jnp.where(
            self._rows(tree.seat[:, ROOT], lanes) == OVER, 0, self._rows(inputs.budget, lanes)
        )
        after = jnp.where(runs, before - spent, before)
        after = jnp.where(at_first, budget, after)
        if self.stop_decided:
            seen = views.view_root(tree, lanes)
            choice = self._rows(root.choice, lanes)
            decided = (runs | at_first) & (policy.settled_for(seen, choice) >= after)
            after = jnp.where(decided, 0, after)
        left = self._with_rows(left, lanes, after)
        waits = self._with_rows(waits, lanes, self._rows(waits, lanes) & ~at_first)
        return SearchProgress(tree, root, waits, left, lists)

    def _keys_of(
        self, inputs: SearchInputs, number: Int32[Array, ""]
    ) -> tuple[PRNGKeyArray, PRNGKeyArray]:
        """Returns the keys of the evaluation and of chance in one round."""
        rounds, (root_key, chance_key, leaf_key) = self.root_rounds(inputs), inputs.keys
        root_key = jax.random.clone(root_key)  # one of the rounds uses it
        if rounds > 1:
            root_key = jax.random.fold_in(root_key, number)
        number, is_of_roots = number - rounds, number < rounds
        # Without a cost, `left` differs in each simulation, which makes its chance new.
        chance = chance_key if self.cost is None else jax.random.fold_in(chance_key, number)
        key = jnp.where(is_of_roots, root_key, jax.random.fold_in(leaf_key, number))
        return jax.random.clone(key), chance  # of two keys, one is used

    def _expand(
        self,
        params: Params,
        inputs: SearchInputs,
        progress: SearchProgress,
        start: descent.RootEdges,
        leaf: descent.Leaf,
        at_first: Bool[Array, "W"],
        key: PRNGKeyArray,
    ) -> SearchProgress:
        """Returns the progress with the new leaves added and all values backed up.

        Where `at_first` holds, the leaf is the root, which is written instead.
        """
        tree, root, lists = progress.tree, progress.root, progress.lists
        lanes, runs, nowhere = start.lanes, start.runs, tree.visits.shape[0]
        kept = self._rows(inputs.kept, lanes)
        if kept is None:
            is_kept = jnp.zeros_like(at_first)
        else:
            kept = kept._replace(is_kept=kept.is_kept & at_first)
            is_kept = kept.is_kept
        drawn = self._rows(inputs.drawn, lanes)
        rows = self._rows(root, lanes)
        new, order, found = self.new_nodes.of_states(
            params, leaf.state, at_first, drawn, rows, kept, key
        )
        edge = leaf.edge
        is_new = edge.child == NO_CHILD
        node = jnp.where(is_new, self._rows(tree.used, lanes), edge.child)
        node = jnp.where(at_first, ROOT, node)
        is_written = is_new
        if self.new_nodes.is_open_loop:
            # The game may have ended here in an earlier simulation and go on in this one.
            is_written |= (tree.seat[lanes, node] == OVER) & (new.seat != OVER)
        is_fresh = at_first & ~is_kept
        written = jnp.where((runs & is_written) | is_fresh, lanes, nowhere)
        tree = growth.write_node(tree, written, node, new, order)
        if kept is not None:
            tree = reuse.renew_root(tree, lanes, kept, new, order)
        # A finished game that was reached before keeps its outcome. The read comes after the write,
        # because the compiler would copy the array for a read before it.
        value = new.value if self.new_nodes.is_open_loop else tree.read(tree.raw_value, lanes, node)
        linked = jnp.where(runs & is_new, lanes, nowhere)
        root_order = rows.choice.order
        tree = growth.link(tree, linked, leaf.parent, edge.slot, edge.prior, node, root_order)
        passing = jnp.where(runs | is_fresh, lanes, nowhere)  # the first visit of a new root, too
        if tree.is_whole:
            tree = whole.back_up(tree, leaf.marks, runs | is_fresh, node, value)
        else:
            path = backup.BackupPath(passing, node, leaf.parent, is_new, leaf.marks)
            tree, lists, lengths = backup.back_up(tree, path, value, lists)
            if not self.new_nodes.is_open_loop:
                rule = self.new_nodes.policy.below_root
                tree = backup.renew(tree, lists, lengths, rule, len(lanes))
        if self.max_active is None:
            root = found
        else:
            at = jnp.where(at_first, lanes, nowhere)
            root = jax.tree.map(
                lambda old, rows: old.at[at].set(rows, mode="drop", unique_indices=True),
                root,
                found,
            )
        return progress._replace(tree=tree, root=root, lists=lists)

    def _rows(self, of_all: Any, lanes: Int32[Array, "W"]) -> Any:
        """Returns the rows of some lanes; those of all lanes are all rows."""
        return of_all if self.max_active is None else jax.tree.map(lambda x: x[lanes], of_all)

    def _with_rows(self, of_all: Array, lanes: Int32[Array, "W"], rows: Array) -> Array:
        """Returns the array with the rows of some lanes; those of all lanes are all rows."""
        return rows if self.max_active is None else of_all.at[lanes].set(rows, unique_indices=True)

    def _take_part(
        self, left: Int32[Array, "B"], waits: Bool[Array, "B"]
    ) -> tuple[Int32[Array, "W"], Bool[Array, "W"], Bool[Array, "W"]]:
        """Returns the lanes of a simulation, which of them have one left, and which only wait.

        The lanes are those that wait for the evaluation of their root, then those with most left.
        """
        if self.max_active is None:
            return jnp.arange(len(left)), left > 0, waits
        urgency = jnp.where(waits, jnp.iinfo(jnp.int32).max, left)
        most, lanes = jax.lax.top_k(urgency, min(self.max_active, len(left)))
        waiting = waits[lanes]
        return lanes, (most > 0) & ~waiting, waiting


def _state(tree: Trees, like: Any, lanes: Int32[Array, "W"], node: Int32[Array, "W"]) -> GameStates:
    """Returns the states of nodes."""
    assert tree.state is not None
    return packing.unpack(access.read_before(tree.read(tree.state, lanes, node), lanes), like)
