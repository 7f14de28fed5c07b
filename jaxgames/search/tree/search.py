"""`TreeSearch`: the agent. A simulation is one descent, one evaluation and one backup.

All lanes simulate together. Nothing loops over lanes or carries a tree through a `vmap`, so the
cost of a simulation grows with the depth of the tree and with the number of children on the path,
not with the size of the tree.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.batching.trees import fold_in, select_rows
from jaxgames.internal import checks, jax_modes
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.tree import arrays, backup, descent, empty_trees, packing, reuse
from jaxgames.search.tree.arrays import NO_CHILD, OVER, ROOT, Trees
from jaxgames.search.tree.empty_trees import Size
from jaxgames.search.tree.new_nodes import NewNodes
from jaxgames.search.tree.policy import Root, TreePolicy
from jaxgames.search.tree.reuse import KeptRoots

Mode = Literal["auto", "closed_loop", "open_loop"]
Cost = Callable[[GameStates], Int32[Array, "W"]]
"""Returns the cost of the simulations that ended at these leaves, in units of the budget."""


class SearchProgress(NamedTuple):
    """The variables of the loop over simulations."""

    tree: Trees
    root: Root
    waits: Bool[Array, "B"]  # roots that are not evaluated yet
    left: Int32[Array, "B"]  # budget still to spend: without `cost`, simulations still to come
    lists: backup.Lists  # scratch space: its content is not kept


class SearchInputs(NamedTuple):
    """What all simulations of a search share."""

    determinizations: GameStates  # of each root, in front; roots are evaluated in the first one
    drawn: Any  # random numbers of the policy
    kept: KeptRoots | None  # None: the search keeps no trees
    budget: Int32[Array, "B"]
    schedule: Int32[Array, "B"] | None  # simulations that the policy plans with; None: the setting
    keys: "SearchKeys"


class SearchKeys(NamedTuple):
    """The keys of the simulations."""

    root: PRNGKeyArray  # evaluations of roots
    chance: PRNGKeyArray
    leaf: PRNGKeyArray  # evaluations of leaves


class SearchRun(NamedTuple):
    """A search that has begun, between two pieces of its work."""

    inputs: SearchInputs
    progress: SearchProgress
    rounds: Int32[Array, ""]  # made so far: the roots, then one for each simulation
    visits_before: Int32[Array, "B"]


class TreeSearchResult(NamedTuple):
    """A finished search, before the policy decides."""

    tree: Trees
    root: Root
    simulations: Int32[Array, "B"]  # made in this search


@dataclasses.dataclass(frozen=True)
class TreeSearch:
    """Tree search with an evaluator, for any number of seats.

    At each node, the seat to move maximises its own value (max^n). The `mode` says how chance and
    hidden information are treated:

    * `"closed_loop"`: a node stands for a state. An edge keeps the chance first drawn for it, and
      hidden information is sampled once.
    * `"open_loop"`: a node stands for a sequence of actions. Every simulation plays the game again
      from the root with new chance, and starts from one of several `determinizations`: states that
      the seat to move cannot tell apart.
    * `"auto"`: open loop for games with chance or hidden information, closed loop for others.

    Raises:
        ValueError: for a setting out of range, or settings that exclude each other.
    """

    rules: Rules[Any]
    evaluator: Evaluator
    policy: TreePolicy
    simulations: int = 32  # leaves evaluated for one decision, the root not counted
    max_children: int | None = None  # most actions a node keeps: the most probable; None: all
    wide_edges: bool = False  # an edge takes 8 bytes, with exact priors, instead of 4
    mode: Mode = "auto"
    determinizations: int = 8  # states sampled for hidden information (open loop)
    reuse: bool = False  # keep the subtree of the actions played
    stop_decided: bool = False  # end a search whose action can no longer change
    max_active: int | None = None  # lanes that take part in one simulation; None: all of them
    budget: int | None = None  # total cost of the simulations of a game; None: each costs 1
    cost: Cost | None = None  # needed with `budget`, and only then
    judges_ends: bool = False  # the evaluator gives the values of finished games, too

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in ("simulations", "determinizations"):
            checks.count(name, getattr(self, name))
        for name in ("max_children", "max_active", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1 or None, got {value}")
        if (self.budget is None) != (self.cost is None):
            raise ValueError(f"budget and cost belong together, got budget={self.budget}")
        if self.mode not in ("auto", "closed_loop", "open_loop"):
            raise ValueError(f"mode must be auto, closed_loop or open_loop, got {self.mode!r}")
        if self.reuse and self._is_open_loop:
            raise ValueError(
                f"reuse needs nodes that stand for states; {type(self.rules).__name__} has chance "
                "or hidden information: choose mode='closed_loop', or no reuse"
            )

    @jax_modes.standard
    def reset(self, batch_size: int) -> Trees | tuple[()]:
        """Returns empty trees with `reuse`, else `()`."""
        if not self.reuse:
            return ()
        like = jax.eval_shape(self.rules.init, jax.eval_shape(lambda: jax.random.key(0)))
        return empty_trees.empty(self._size(batch_size, like))

    @jax_modes.standard
    @allows_empty("state", "memory", "simulations")
    def act(
        self,
        params: Params,
        memory: Trees | tuple[()],
        state: GameStates,
        key: PRNGKeyArray,
        simulations: Int32[Array, "B"] | None = None,
    ) -> tuple[Decision, Trees | tuple[()]]:
        """Returns the decision in every game that is not over, and the trees for the next one.

        `simulations` is that of `search`.
        """
        found = self.search(params, memory, state, key, simulations)
        return self.conclude(found, key), found.tree if self.reuse else memory

    @jax_modes.standard
    def conclude(self, found: TreeSearchResult, key: PRNGKeyArray) -> Decision:
        """Returns the decision after a search that was made with the same key."""
        _, search_key = jax.random.split(jax.random.clone(key))  # see `TreePolicy`
        lanes = jnp.arange(len(found.simulations))
        conclusion = self.policy.conclude(
            arrays.view_root(found.tree, lanes), found.root, search_key
        )
        return Decision(*conclusion, self.of_all_seats(found.tree.value[:, ROOT]))

    @jax_modes.standard
    @allows_empty("state", "memory", "simulations")
    def search(
        self,
        params: Params,
        memory: Trees | tuple[()],
        state: GameStates,
        key: PRNGKeyArray,
        simulations: Int32[Array, "B"] | None = None,
    ) -> TreeSearchResult:
        """Returns the trees after all simulations.

        Args:
            params: the parameters of the evaluator.
            memory: the result of `reset`, or with `reuse` the trees of the last search.
            state: the roots.
            key: of all randomness of the search.
            simulations: the simulations of each game, at most those of the setting; None: all.
        """
        run = self.begin(memory, state, key, simulations)
        is_even = simulations is None and self.cost is None
        if self.max_active is None and not self.stop_decided and is_even:
            simulate = functools.partial(self._simulate, params, run.inputs)
            rounds = self._root_rounds(run.inputs) + self.simulations
            end = jax.lax.fori_loop(0, rounds, simulate, run.progress)
            return self.result(run._replace(progress=end))
        return self.result(self.advance(params, run))

    @jax_modes.standard
    def begin(
        self,
        memory: Trees | tuple[()],
        state: GameStates,
        key: PRNGKeyArray,
        simulations: Int32[Array, "B"] | None = None,
        schedule: Int32[Array, "B"] | None = None,
    ) -> SearchRun:
        """Returns a search that `advance` carries on.

        Args:
            memory: as for `search`.
            state: the roots.
            key: of all randomness of the search.
            simulations: as for `search`.
            schedule: the simulations with which the policy plans in each game, of `simulations` or
                fewer; None: those of the setting.
        """
        evaluation_key, search_key = jax.random.split(key)
        # Folding in 0 and 1 would give the two keys of the split again.
        belief_key, chance_key, leaf_key = (jax.random.fold_in(key, n) for n in (2, 3, 4))
        count = self.determinizations if self._is_open_loop else 1
        states = descent.sample_determinizations(self.rules, state, count, belief_key)
        first = jax.tree.map(lambda x: x[0], states)
        size = len(jax.tree.leaves(first)[0])
        tree, is_kept = self._start(memory, first)
        visits_before = jnp.where(is_kept, tree.visits[:, ROOT], 1)
        root = self._new_nodes.unknown_roots(tree, is_kept)
        drawn = self.policy.draw(
            jax.ShapeDtypeStruct(root.logits.shape, root.logits.dtype), search_key
        )
        budget: Array | int = self.total
        if simulations is not None:
            budget = jnp.minimum(simulations, budget)
        inputs = SearchInputs(
            determinizations=states,
            drawn=drawn,
            kept=reuse.kept_roots(tree, is_kept) if self.reuse else None,
            budget=jnp.broadcast_to(jnp.int32(budget), (size,)),
            schedule=schedule,
            keys=SearchKeys(evaluation_key, chance_key, leaf_key),
        )
        left = jnp.zeros((size,), jnp.int32)
        waits = jnp.ones((size,), bool)
        progress = SearchProgress(tree, root, waits, left, backup.empty_lists(tree))
        return SearchRun(inputs, progress, jnp.int32(0), visits_before)

    @jax_modes.standard
    def advance(
        self, params: Params, run: SearchRun, rounds: int | Int32[Array, ""] | None = None
    ) -> SearchRun:
        """Returns the search after at most so many more rounds; None: after its last one."""
        simulate = functools.partial(self._simulate, params, run.inputs)
        until = jnp.int32(jnp.iinfo(jnp.int32).max) if rounds is None else run.rounds + rounds

        def goes_on(carry: tuple[Int32[Array, ""], SearchProgress]) -> Bool[Array, ""]:
            return self.is_running(carry[1]).any() & (carry[0] < until)

        number, end = jax.lax.while_loop(
            goes_on,
            lambda carry: (carry[0] + 1, simulate(*carry)),
            (run.rounds, run.progress),
        )
        return run._replace(progress=end, rounds=number)

    @staticmethod
    def is_running(progress: SearchProgress) -> Bool[Array, "B"]:
        """Returns the mask of games in which the search goes on."""
        return progress.waits | (progress.left > 0)

    @jax_modes.standard
    def result(self, run: SearchRun) -> TreeSearchResult:
        """Returns the search so far; all its roots must be evaluated, which takes one round."""
        tree, root = run.progress.tree, run.progress.root
        return TreeSearchResult(tree, root, tree.visits[:, ROOT] - run.visits_before)

    def _root_rounds(self, inputs: SearchInputs) -> int:
        """Returns in how many rounds all roots are evaluated.

        They are evaluated as the first leaves are, so that the rules stand in the program once: in
        the first round, or in as many as it takes if not all lanes take part in one.
        """
        size = len(inputs.budget)
        return 1 if self.max_active is None else -(-size // min(self.max_active, size))

    def _simulate(
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
        evaluation_key, chance_key = self._keys_of(inputs, number)
        tree, root, waits, left, lists = progress
        lanes, runs, at_first = self._take_part(left, waits)
        choice = self._rows(root.choice, lanes)
        planned = self.simulations if inputs.schedule is None else inputs.schedule[lanes]
        at_root = functools.partial(self.policy.at_root, root=choice, budget=planned)
        edge = backup.select(tree, lanes, jnp.full_like(lanes, ROOT), runs, at_root)
        start = descent.RootEdges(lanes, runs, edge)

        def step(
            states: GameStates, action: Int32[Array, "W"], depth: Int32[Array, ""]
        ) -> GameStates:
            if not self.rules.stochastic:
                return jax.vmap(lambda s, a: self.rules.step(s, a, None))(states, action)
            step_keys = fold_in(fold_in(fold_in(chance_key, lanes), left[lanes]), depth)
            return jax.vmap(self.rules.step)(states, action, step_keys)

        first = jax.tree.map(lambda x: x[0], inputs.determinizations)
        if self._is_open_loop:
            states = inputs.determinizations
            states = descent.determinization_for(self.rules, states, tree, lanes, edge)
            leaf = descent.descend_open_loop(tree, self.policy, self.rules, start, states, step)
        else:
            like = packing.one_of(first)
            state_of = functools.partial(_state, tree, like, lanes)
            leaf = descent.descend_closed_loop(tree, start, state_of, step)
        leaf = leaf._replace(state=select_rows(at_first, self._rows(first, lanes), leaf.state))
        progress = self._expand(params, inputs, progress, start, leaf, at_first, evaluation_key)
        tree, root, _, left, lists = progress
        nowhere = len(left)
        spent: Array | int = 1
        if self.cost is not None:
            # A full tree ends its search.
            is_full = tree.used[lanes] >= tree.visits.shape[1]
            spent = jnp.minimum(self.cost(leaf.state), left[lanes])
            spent = jnp.where(is_full, left[lanes], spent)
        at = jnp.where(runs, lanes, nowhere)
        left = left.at[at].add(-spent, mode="drop", unique_indices=True)
        at = jnp.where(at_first, lanes, nowhere)
        budget = jnp.where(tree.seat[lanes, ROOT] == OVER, 0, self._rows(inputs.budget, lanes))
        left = left.at[at].set(budget, mode="drop", unique_indices=True)
        waits = waits.at[at].set(False, mode="drop", unique_indices=True)
        if self.stop_decided:
            seen = arrays.view_root(tree, lanes)
            choice = self._rows(root.choice, lanes)
            decided = (runs | at_first) & self.policy.is_decided(seen, choice, left[lanes])
            at = jnp.where(decided, lanes, nowhere)
            left = left.at[at].set(0, mode="drop", unique_indices=True)
        return SearchProgress(tree, root, waits, left, lists)

    def _keys_of(
        self, inputs: SearchInputs, number: Int32[Array, ""]
    ) -> tuple[PRNGKeyArray, PRNGKeyArray]:
        """Returns the keys of the evaluation and of chance in one round."""
        rounds, (root_key, chance_key, leaf_key) = self._root_rounds(inputs), inputs.keys
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
        before = self._rows(root.choice.visits_before, lanes)
        new, order, found = self._new_nodes.of_states(
            params, leaf.state, at_first, drawn, before, kept, key
        )
        edge = leaf.edge
        is_new = edge.child == NO_CHILD
        node = jnp.where(is_new, tree.used[lanes], edge.child)
        node = jnp.where(at_first, ROOT, node)
        is_written = is_new
        if self._is_open_loop:
            # The game may have ended here in an earlier simulation and go on in this one.
            is_written |= (tree.seat[lanes, node] == OVER) & (new.seat != OVER)
        is_fresh = at_first & ~is_kept
        written = jnp.where((runs & is_written) | is_fresh, lanes, nowhere)
        tree = arrays.write_node(tree, written, node, new, order)
        if kept is not None:
            tree = reuse.renew_root(tree, lanes, kept, new, order)
        # A finished game that was reached before keeps its outcome. The read comes after the write,
        # because the compiler would copy the array for a read before it.
        value = new.value if self._is_open_loop else tree.raw_value[lanes, node]
        linked = jnp.where(runs & is_new, lanes, nowhere)
        root_order = self._rows(root.choice.order, lanes)
        tree = arrays.link(tree, linked, leaf.parent, edge.slot, edge.prior, node, root_order)
        passing = jnp.where(runs | is_fresh, lanes, nowhere)  # the first visit of a new root, too
        path = backup.BackupPath(passing, node, leaf.parent, is_new, leaf.counts)
        tree, lists, lengths = backup.back_up(tree, path, value, lists)
        if not self._is_open_loop:
            tree = backup.renew(tree, lists, lengths, self.policy.below_root, len(lanes))
        if self.max_active is None:
            root = select_rows(at_first, found, root)
        else:
            at = jnp.where(at_first, lanes, nowhere)
            root = jax.tree.map(
                lambda old, rows: old.at[at].set(rows, mode="drop", unique_indices=True),
                root,
                found,
            )
        return progress._replace(tree=tree, root=root, lists=lists)

    def _start(
        self, memory: Trees | tuple[()], state: GameStates
    ) -> tuple[Trees, Bool[Array, "B"]]:
        """Returns the trees before the roots are evaluated, and which of them have a root."""
        size = len(jax.tree.leaves(state)[0])
        if isinstance(memory, Trees):
            nodes = self._nodes
            if memory.visits.shape[1] != nodes:
                raise ValueError(
                    f"memory of a search with {memory.visits.shape[1]} nodes, expected {nodes}"
                )
            most = nodes - self.simulations
            tree, is_kept, is_cut = reuse.advance(memory, packing.pack(state), most)
            tree = backup.renew_marked(tree, is_cut, self.policy.below_root)
        else:
            tree = empty_trees.empty(self._size(size, packing.one_of(state)))
            is_kept = jnp.zeros((size,), bool)
        tree = tree.replace(used=jnp.maximum(tree.used, 1))
        if tree.state is not None:
            # The first round steps from the roots, too, though what it finds is not looked at.
            tree = tree.replace(state=tree.state.at[:, ROOT].set(packing.pack(state)))
        return tree, is_kept

    def _rows(self, of_all: Any, lanes: Int32[Array, "W"]) -> Any:
        """Returns the rows of some lanes; those of all lanes are all rows."""
        return of_all if self.max_active is None else jax.tree.map(lambda x: x[lanes], of_all)

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

    def _size(self, batch_size: int, like: Any) -> Size:
        """Returns the size of the trees of a batch of games; `like` is one abstract state."""
        return Size(
            batch=batch_size,
            nodes=self._nodes,
            slots=self._slots,
            num_actions=None if self._slots == self.rules.num_actions else self.rules.num_actions,
            value_size=1 if self.rules.num_players == 2 else self.rules.num_players,
            words=None if self._is_open_loop else packing.num_words(like),
            wide=self.wide_edges,
        )

    @property
    def total(self) -> int:
        """Returns the simulations of a whole search, or its budget if it has one."""
        return self.simulations if self.budget is None else self.budget

    @property
    def _new_nodes(self) -> NewNodes:
        return NewNodes(
            self.rules,
            self.evaluator,
            self.policy,
            self._slots,
            self._is_open_loop,
            self.judges_ends,
        )

    @property
    def _nodes(self) -> int:
        return 1 + self.simulations * (2 if self.reuse else 1)

    @property
    def _slots(self) -> int:
        if self._is_open_loop and self.max_children is None:
            return self.rules.num_actions
        return action_slots.num_slots(self.rules, self.max_children)

    @property
    def _is_open_loop(self) -> bool:
        if self.mode == "auto":
            return self.rules.stochastic or not self.rules.perfect_information
        return self.mode == "open_loop"

    def of_all_seats(self, value: Float[Array, "*any V"]) -> Float[Array, "*any players"]:
        """Returns the values of all seats from the values of a tree."""
        return jnp.concatenate([value, -value], axis=-1) if self.rules.num_players == 2 else value


def _state(tree: Trees, like: Any, lanes: Int32[Array, "W"], node: Int32[Array, "W"]) -> GameStates:
    """Returns the states of nodes."""
    assert tree.state is not None
    return packing.unpack(tree.state[lanes, node], like)
