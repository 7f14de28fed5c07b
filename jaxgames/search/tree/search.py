"""`TreeSearch`: the agent; a search begins, makes its simulations and is concluded."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import checks, jax_modes
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.tree import backup, descent, empty_trees, packing, reuse, views, whole
from jaxgames.search.tree.arrays import ROOT, Trees
from jaxgames.search.tree.empty_trees import Size
from jaxgames.search.tree.new_nodes import NewNodes
from jaxgames.search.tree.policy import TreePolicy
from jaxgames.search.tree.search_run import (
    RunFlags,
    SearchInputs,
    SearchKeys,
    SearchProgress,
    SearchRun,
    TreeSearchResult,
)
from jaxgames.search.tree.simulation import Cost, Simulation

Mode = Literal["auto", "closed_loop", "open_loop"]


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
        if self.reuse and self.is_open_loop:
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
    def decide(
        self, run: SearchRun, memory: Trees | tuple[()], key: PRNGKeyArray
    ) -> tuple[Decision, Trees | tuple[()]]:
        """Returns the decision of a search that was begun with the same key, and the memory."""
        found = self.result(run)
        return self.conclude(found, key), found.tree if self.reuse else memory

    @jax_modes.standard
    def conclude(self, found: TreeSearchResult, key: PRNGKeyArray) -> Decision:
        """Returns the decision after a search that was made with the same key."""
        lanes = jnp.arange(len(found.simulations))
        conclusion = self.policy.conclude(
            views.view_root(found.tree, lanes), found.root, policy_key(key)
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
            simulate = self._simulate(params, run)
            rounds = self.simulation.root_rounds(run.inputs) + self.simulations
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
        evaluation_key, draw_key = jax.random.split(key)
        # Folding in 0 and 1 would give the two keys of the split again.
        belief_key, chance_key, leaf_key = (jax.random.fold_in(key, n) for n in (2, 3, 4))
        count = self.determinizations if self.is_open_loop else 1
        states = descent.sample_determinizations(self.rules, state, count, belief_key)
        first = jax.tree.map(lambda x: x[0], states)
        size = len(jax.tree.leaves(first)[0])
        tree, is_kept = self._start(memory, first)
        visits_before = jnp.where(is_kept, tree.visits[:, ROOT], 1)
        root = self._new_nodes.unknown_roots(tree, is_kept if isinstance(memory, Trees) else None)
        drawn = self.policy.draw(
            jax.ShapeDtypeStruct(root.logits.shape, root.logits.dtype), draw_key
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
            root_edge=None,
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
        simulate = self._simulate(params, run)
        until = jnp.int32(jnp.iinfo(jnp.int32).max) if rounds is None else run.rounds + rounds

        def goes_on(carry: tuple[Int32[Array, ""], SearchProgress]) -> Bool[Array, ""]:
            return self.is_running(carry[1]).any() & (carry[0] < until)

        number, end = jax.lax.while_loop(
            goes_on,
            lambda carry: (carry[0] + 1, simulate(*carry)),
            (run.rounds, run.progress),
        )
        return run._replace(progress=end, rounds=number)

    def _simulate(self, params: Params, run: SearchRun) -> Callable[..., SearchProgress]:
        params = self.simulation.prepared(params, run.inputs)
        return functools.partial(self.simulation.make, params, run.inputs)

    @staticmethod
    def is_running(progress: SearchProgress) -> Bool[Array, "B"]:
        """Returns the mask of games in which the search goes on."""
        return progress.waits | (progress.left > 0)

    @jax_modes.standard
    def flags(self, run: SearchRun) -> RunFlags:
        """Returns how far a search is."""
        found = self.result(run)
        seen = views.view_root(found.tree, jnp.arange(len(found.simulations)))
        return RunFlags(
            is_running=self.is_running(run.progress),
            waits=run.progress.waits,
            made=found.simulations,
            settled_for=self.policy.settled_for(seen, found.root.choice),
        )

    @jax_modes.standard
    def result(self, run: SearchRun) -> TreeSearchResult:
        """Returns the search so far; all its roots must be evaluated, which takes one round."""
        tree, root = run.progress.tree, run.progress.root
        return TreeSearchResult(tree, root, tree.visits[:, ROOT] - run.visits_before)

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
            if not tree.is_whole:
                tree = backup.renew_marked(tree, is_cut, self.policy.below_root)
        else:
            tree = empty_trees.empty(self._size(size, packing.one_of(state)))
            is_kept = jnp.zeros((size,), bool)
        tree = tree.replace(used=jnp.maximum(tree.used, 1))
        if tree.state is not None:
            # The first round steps from the roots, too, though what it finds is not looked at.
            tree = tree.replace(state=tree.state.at[:, ROOT].set(packing.pack(state)))
        return tree, is_kept

    def _size(self, batch_size: int, like: Any) -> Size:
        """Returns the size of the trees of a batch of games; `like` is one abstract state."""
        return Size(
            batch=batch_size,
            nodes=self._nodes,
            slots=self.slots,
            num_actions=None if self.slots == self.rules.num_actions else self.rules.num_actions,
            value_size=1 if self.rules.num_players == 2 else self.rules.num_players,
            words=None if self.is_open_loop else packing.num_words(like),
            wide=self.wide_edges,
            whole=self._is_whole,
        )

    @property
    def total(self) -> int:
        """Returns the simulations of a whole search, or its budget if it has one."""
        return self.simulations if self.budget is None else self.budget

    @property
    def simulation(self) -> Simulation:
        """Returns how the search simulates."""
        return Simulation(
            self._new_nodes, self.simulations, self.max_active, self.stop_decided, self.cost
        )

    @property
    def _new_nodes(self) -> NewNodes:
        return NewNodes(
            self.rules,
            self.evaluator,
            self.policy,
            self.slots,
            self.is_open_loop,
            self.judges_ends,
        )

    @property
    def _nodes(self) -> int:
        return 1 + self.simulations * (2 if self.reuse else 1)

    @property
    def _is_whole(self) -> bool:
        """Returns whether trees are read as a whole."""
        is_even = not self.is_open_loop and self.max_active is None
        return is_even and whole.is_better(self._nodes)

    @property
    def slots(self) -> int:
        """Returns the most actions of a node."""
        if self.is_open_loop and self.max_children is None:
            return self.rules.num_actions
        return action_slots.num_slots(self.rules, self.max_children)

    @property
    def is_open_loop(self) -> bool:
        """Returns whether nodes stand for sequences of actions."""
        if self.mode == "auto":
            return self.rules.stochastic or not self.rules.perfect_information
        return self.mode == "open_loop"

    def of_all_seats(self, value: Float[Array, "*any V"]) -> Float[Array, "*any players"]:
        """Returns the values of all seats from the values of a tree."""
        return jnp.concatenate([value, -value], axis=-1) if self.rules.num_players == 2 else value


def policy_key(key: PRNGKeyArray) -> PRNGKeyArray:
    """Returns the key that the policy of a search with this key draws from, see `TreePolicy`."""
    return jax.random.split(jax.random.clone(key))[1]
