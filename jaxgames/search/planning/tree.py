"""Monte Carlo tree search without playouts, of bounded depth, on the batched tree.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020.
Nodes stand for states, and an edge keeps the chance first drawn for it (closed loop). A simulation
adds one position. It costs as many calls as if it were played from the root: its depth.

With two seats, the other seat minimises the value of the seat at the root, as in the paper. With
more, each seat maximises its own value. Two things differ from the paper. Values are normalised
among siblings, not over all values below. And the first ply of an action of two plies is a node of
its own, which costs nothing and has the value of the position before it.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.internal import checks
from jaxgames.rules import Action, LegalMask, Rules, Seat, SeatValues
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.evaluators.uniform import Shuffled
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.search.planning.planner import (
    AfterstateValue,
    AnytimePlanner,
    PlanFlags,
    Planner,
    PlannerResult,
)
from jaxgames.search.tree import descent, views
from jaxgames.search.tree.arrays import ROOT, Trees
from jaxgames.search.tree.policy import best_child
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.search_run import SearchRun
from jaxgames.search.tree.uct import Uct

MOST_CALLS = 2**14  # that fit into the tree of a search in pieces


class BoundedState(struct.PyTreeNode):
    """A position below a root."""

    game: Any
    seat: Seat  # the seat to move at the root
    calls: Int32[Array, ""]  # completed actions since the root
    group: Int32[Array, ""]  # the drawn group of root actions
    is_between: Bool[Array, ""]  # whether the position is between two plies of an action


@dataclasses.dataclass(frozen=True)
class Bounded(Rules[BoundedState]):
    """A game that ends `depth` actions after a root, where a planner judges the position.

    Nothing is hidden in it: it starts from a determinization.
    """

    domain: PlannerDomain
    depth: int

    @property
    def num_players(self) -> int:
        """Seats of the game."""
        return self.domain.rules.num_players

    @property
    def num_actions(self) -> int:
        """Size of the action space of the game."""
        return self.domain.rules.num_actions

    @property
    def max_legal_actions(self) -> int:
        """Most legal actions that a position of the game may have."""
        return self.domain.rules.max_legal_actions

    @property
    def max_steps(self) -> int:
        """Number of steps after which the game is truncated."""
        return self.domain.rules.max_steps

    @property
    def stochastic(self) -> bool:  # type: ignore[override]
        """Whether the game has chance."""
        return self.domain.rules.stochastic

    def root(self, game: Any, group: Int32[Array, ""], needs_plan: Bool[Array, ""]) -> BoundedState:
        """Returns a game at a root; without `needs_plan`, it counts as over."""
        seat = self.domain.rules.to_move(game)
        calls = jnp.where(needs_plan, 0, self.depth).astype(jnp.int32)
        return BoundedState(game, seat, calls, group.astype(jnp.int32), jnp.bool_(False))

    def init(self, key: PRNGKeyArray) -> BoundedState:
        """Returns the start of the game as a root."""
        return self.root(self.domain.rules.init(key), jnp.int32(0), jnp.bool_(True))

    def to_move(self, state: BoundedState) -> Seat:
        """Returns the seat that must act."""
        return self.domain.rules.to_move(state.game)

    def legal_actions(self, state: BoundedState) -> LegalMask:
        """Returns the legal actions; at the root, only those of the group."""

        def of_group(game: Any, group: Int32[Array, ""]) -> LegalMask:
            return self.domain.action_groups(game, passing=True)[group]

        legal = self.domain.rules.legal_actions(state.game)
        return where_needed(state.calls == 0, of_group, legal, state.game, state.group)

    def step(self, state: BoundedState, action: Action, key: PRNGKeyArray | None) -> BoundedState:
        """Plays one ply."""
        completes = self.domain.rules.completes_action(state.game, action)
        return BoundedState(
            self.domain.rules.step(state.game, action, key),
            state.seat,
            state.calls + completes,
            state.group,
            ~completes,
        )

    def is_over(self, state: BoundedState) -> Bool[Array, ""]:
        """Returns whether the game has ended or the depth is reached."""
        return (state.calls >= self.depth) | self.domain.rules.is_over(state.game)

    def returns(self, state: BoundedState) -> SeatValues:
        """Returns the returns of the game, zeros where only the depth has ended it."""
        return self.domain.rules.returns(state.game)

    def observe(self, state: BoundedState, player: Seat) -> Any:
        """Returns the observation of the game."""
        return self.domain.rules.observe(state.game, player)


@dataclasses.dataclass(frozen=True)
class Judge:
    """The evaluator of a planner: its values of positions, at their ends too, and no prior."""

    planner: Planner

    def __call__(self, params: Params, state: BoundedState, key: PRNGKeyArray) -> Evaluation:
        """Returns the evaluation; of two seats, the other loses what the root's gains."""
        del key
        values = self.planner.evaluate(params, state.game, state.seat)
        if values.shape[1] == 2:
            own = jnp.take_along_axis(values, state.seat[:, None], axis=1)
            values = jnp.where(jnp.arange(2) == state.seat[:, None], own, -own)
        return Evaluation(jnp.zeros((len(values), self.planner.domain.rules.num_actions)), values)


class TreePlannerRun(NamedTuple):
    """The search of a planner, between two pieces of it."""

    state: GameStates
    search: SearchRun


@dataclasses.dataclass(frozen=True)
class TreePlanner(AnytimePlanner):
    """Plays the most visited action of the root, the best of equal ones.

    Raises:
        ValueError: for a setting out of range.
    """

    domain: PlannerDomain
    budget: int = 2000  # forward-model calls (completed actions) for one decision
    depth: int = 20  # completed actions from the root on
    c: float = 2**0.5  # weight of exploration, for values normalised to [0, 1]
    value: AfterstateValue | None = None  # None: the domain evaluates

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in ("budget", "depth"):
            checks.count(name, getattr(self, name))
        most = checks.MOST_COUNT // self.domain.decision_plies
        if self.budget > most:
            raise ValueError(f"budget must be at most {most} in this game, got {self.budget}")
        self._tree_search(num_games=1)  # a bad weight fails here

    def _tree_search(self, num_games: int) -> TreeSearch:
        """Returns the search for `num_games` games at once.

        Deep leaves cost more of the budget, so some games need several times as many simulations as
        the mean. In each simulation, the half of the games with most budget left takes part.
        """
        bounded = Bounded(self.domain, self.depth)
        return TreeSearch(
            bounded,
            Shuffled(bounded, Judge(self)),
            Uct(self.c, normalised=True),
            simulations=self.budget * self.domain.decision_plies,
            mode="closed_loop",
            max_active=(num_games + 1) // 2,
            budget=self.budget,
            cost=_calls_of,
            judges_ends=True,
        )

    def begin(
        self,
        params: Params,
        carry: tuple[()],
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
        most: Int32[Array, ""],
    ) -> TreePlannerRun:
        """Returns the roots, which are not evaluated yet."""
        del params, carry
        group_key, search_key = jax.random.split(key)

        def groups(state: Any) -> Bool[Array, "groups actions"]:
            return self.domain.action_groups(state, passing=True)

        is_there = jax.vmap(groups)(state).any(axis=-1)
        words = sampling.random_words(group_key, len(needs_plan))
        group = jax.vmap(sampling.sample_mask)(is_there, words)
        search = self._tree_search(len(needs_plan))
        roots = jax.vmap(Bounded(self.domain, self.depth).root)(state, group, needs_plan)
        budget = jnp.broadcast_to(most, needs_plan.shape)
        return TreePlannerRun(state, search.begin((), roots, search_key, budget))

    def with_most(self, calls: int) -> "TreePlanner":
        """Returns the planner with another budget, as far as a tree can hold it."""
        return dataclasses.replace(self, budget=min(calls, MOST_CALLS))

    def advance(
        self, params: Params, run: TreePlannerRun, rounds: Int32[Array, ""] | None
    ) -> TreePlannerRun:
        """Returns the trees after so many more simulations of half of the games; None: all."""
        search = self._tree_search(len(run.search.inputs.budget))
        return run._replace(search=search.advance(params, run.search, rounds))

    def finish(self, params: Params, run: TreePlannerRun) -> TreePlannerRun:
        """Returns the trees after their last simulation."""
        return self.advance(params, run, None)

    def flags(self, run: TreePlannerRun) -> PlanFlags:
        """Returns how far the trees are."""
        progress, budget = run.search.progress, run.search.inputs.budget
        is_running = TreeSearch.is_running(progress)
        used = jnp.where(progress.waits, 0, budget - progress.left)
        can_decide = ~progress.waits & (~is_running | (progress.tree.visits[:, ROOT] > 1))
        return PlanFlags(is_running, can_decide, used)

    def result(self, run: TreePlannerRun) -> PlannerResult:
        """Returns the actions by the trees."""
        rules, tree, state = self.domain.rules, run.search.progress.tree, run.state
        lanes = jnp.arange(len(tree.used))
        seat = jax.vmap(rules.to_move)(state)
        ply, node = _favoured(tree, lanes, jnp.full_like(lanes, ROOT), seat)
        plies = [ply]
        if self.domain.decision_plies == 2:
            is_whole = jax.vmap(rules.completes_action)(state, ply)
            second, _ = _favoured(tree, lanes, node, seat)
            plies.append(jnp.where(is_whole, NO_PLY, second))
        policy = jax.nn.one_hot(ply, rules.num_actions)
        value = tree.value[:, ROOT]
        values = jnp.concatenate([value, -value], axis=-1) if rules.num_players == 2 else value
        return PlannerResult(jnp.stack(plies, axis=1), policy, values, (), tree.used - 1)


def _calls_of(leaf: BoundedState) -> Int32[Array, "W"]:
    """Returns the calls that lead from the root to each leaf; 0 between two plies."""
    return jnp.where(leaf.is_between, 0, leaf.calls)


def _favoured(
    tree: Trees, lanes: Int32[Array, "B"], node: Int32[Array, "B"], seat: Int32[Array, "B"]
) -> tuple[Int32[Array, "B"], Int32[Array, "B"]]:
    """Returns the most visited action of each node, or NO_PLY, and the child behind it."""
    seen = views.view(tree, lanes, node, seat)
    is_most = seen.child_visits == seen.child_visits.max(axis=-1, keepdims=True)
    index, best = best_child(jnp.where(is_most, seen.qvalues, -jnp.inf), seen)
    slot, child = (
        jnp.take_along_axis(x, index[:, None], axis=-1)[:, 0] for x in (seen.slot, seen.node)
    )
    action = descent.action_of(tree, lanes, node, slot)
    return jnp.where(best > -jnp.inf, action, NO_PLY), child
