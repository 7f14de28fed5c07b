"""`SideBySide`: Gumbel's search that simulates all considered actions of a root at once.

Sequential halving visits the considered actions equally often before it drops some of them, and
what is found below one of them does not depend on the others. So each has a tree of its own, a lane
in which every simulation goes through it, and one evaluation of the network serves all of them. The
lanes of a game are in the order in which the search tries its actions.

The search finds what `TreeSearch` finds. There, every choice among the actions that may be kept
sees the value of the last one. So here all of them are simulated, and then the choices are made one
by one with the values found; simulations of actions that are dropped do not count. Visits, values
of actions, the action and the policy are the same, where the evaluator draws no random numbers and
rounds alike in batches of any size. The value of the root is summed up in another order.
"""

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import jax_modes
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.tree import arrays, views
from jaxgames.search.tree.arrays import OVER, ROOT, NodeView
from jaxgames.search.tree.gumbel import Gumbel, halving_sweep
from jaxgames.search.tree.policy import FOR_EVER, Root
from jaxgames.search.tree.search import TreeSearch, policy_key
from jaxgames.search.tree.search_run import RunFlags, SearchRun

FIRST_CHILD = 1  # the node of a lane's action


class RootActions(NamedTuple):
    """The considered actions of each root, as far as their simulations count."""

    visits: Int32[Array, "B lanes"]
    value: Float[Array, "B lanes V"]
    """The mean value of each action; 0 before its first visit."""


class SideBySideRun(NamedTuple):
    """A search that has begun, between two sweeps over the actions that are considered."""

    of_lanes: SearchRun
    actions: RootActions
    budget: Int32[Array, "B"]  # simulations of each game


@dataclasses.dataclass(frozen=True)
class SideBySide:
    """Searches few positions, on a device where a large batch takes hardly longer than a small one.

    Raises:
        ValueError: for a search with another policy, with chance, hidden information, reuse or
            costs.
    """

    search: TreeSearch

    def __post_init__(self) -> None:
        """Checks the search."""
        if not can_be_side_by_side(self.search):
            raise ValueError(
                "actions are searched side by side by Gumbel's choices in a game without chance or "
                f"hidden information, without reuse, max_active or budget; got {self.search!r}"
            )

    @property
    def simulations(self) -> int:
        """The most simulations of a search."""
        return self.search.simulations

    @jax_modes.standard
    def reset(self, batch_size: int) -> tuple[()]:
        """Returns the memory, which is empty."""
        del batch_size
        return ()

    @jax_modes.standard
    @allows_empty("state")
    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns the decision in every game that is not over."""
        run = self.advance(params, self.begin(memory, state, key))
        return self.decide(run, memory, key)

    @jax_modes.standard
    def begin(
        self,
        memory: tuple[()],
        state: GameStates,
        key: PRNGKeyArray,
        simulations: Int32[Array, "B"] | None = None,
        schedule: Int32[Array, "B"] | None = None,
    ) -> SideBySideRun:
        """Returns a search that `advance` carries on; the arguments are those of `TreeSearch`."""
        size = len(jax.tree.leaves(state)[0])
        lanes = self._lanes
        states, plan = jax.tree.map(lambda x: jnp.repeat(x, lanes, axis=0), (state, schedule))
        run = self.search.begin(memory, states, key, schedule=plan)
        # All lanes of a game have the same noise: that of the game.
        root = run.progress.root.logits
        drawn = self._policy.draw(
            jax.ShapeDtypeStruct((size, *root.shape[1:]), root.dtype), policy_key(key)
        )
        number = jnp.tile(jnp.arange(lanes), size)
        inputs = run.inputs._replace(drawn=jnp.repeat(drawn, lanes, axis=0), root_edge=number)
        value = run.progress.tree.value
        actions = RootActions(
            visits=jnp.zeros((size, lanes), jnp.int32),
            value=jnp.zeros((size, lanes, value.shape[-1]), value.dtype),
        )
        most = self.simulations
        budget = most if simulations is None else jnp.minimum(simulations, most)
        return SideBySideRun(
            run._replace(inputs=inputs), actions, jnp.broadcast_to(jnp.int32(budget), (size,))
        )

    @jax_modes.standard
    def advance(
        self, params: Params, run: SideBySideRun, rounds: int | Int32[Array, ""] | None = None
    ) -> SideBySideRun:
        """Returns the search after at most so many more sweeps; None: after its last one."""
        begin = run.of_lanes.rounds
        until = jnp.int32(FOR_EVER) if rounds is None else begin + rounds

        def goes_on(run: SideBySideRun) -> Bool[Array, ""]:
            is_running = self._is_running(run) | run.of_lanes.progress.waits[:: self._lanes]
            return is_running.any() & (run.of_lanes.rounds < until)

        params = self.search.simulation.prepared(params, run.of_lanes.inputs)
        return jax.lax.while_loop(goes_on, functools.partial(self._sweep, params), run)

    @jax_modes.standard
    def decide(
        self, run: SideBySideRun, memory: tuple[()], key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns the decision of a search that was begun with the same key, and the memory."""
        seen, root = self.view(run), self._root(run)
        conclusion = self._policy.conclude(seen, root, policy_key(key))
        first = run.of_lanes.progress.tree.raw_value[:: self._lanes, ROOT]
        visits = run.actions.visits[..., None]
        total = first + (visits * run.actions.value).sum(axis=1)
        value = total / (1 + visits.sum(axis=1))
        return Decision(*conclusion, self.search.of_all_seats(value)), memory

    @jax_modes.standard
    def flags(self, run: SideBySideRun) -> RunFlags:
        """Returns how far a search is."""
        waits = run.of_lanes.progress.waits[:: self._lanes]
        settled_for = self._policy.settled_for(self.view(run), self._root(run).choice)
        made = run.actions.visits.sum(axis=1)
        return RunFlags(waits | self._is_running(run), waits, made, settled_for)

    def view(self, run: SideBySideRun) -> NodeView:
        """Returns the roots as the seats to move see them; their children are the lanes."""
        return self._view(run, run.actions)

    def _sweep(self, params: Params, run: SideBySideRun) -> SideBySideRun:
        """Returns the search after one more visit of every action that is considered now.

        The first round evaluates the roots instead.
        """
        progress, inputs = run.of_lanes.progress, run.of_lanes.inputs
        number, lanes = run.of_lanes.rounds, self._lanes
        size = jnp.where(self._is_running(run), self._sweep_size(run), 0)
        # Each action was visited in all earlier sweeps, or has been dropped.
        may_run = (run.actions.visits == number - 1) & (jnp.arange(lanes) < self._considered(run))
        # Before the first visits, the order of the lanes is that of the scores.
        may_run &= (number > 1) | (jnp.arange(lanes) < size[:, None])
        may_run &= size[:, None] > 0
        progress = progress._replace(left=may_run.reshape(-1).astype(jnp.int32))
        progress = self.search.simulation.make(params, inputs, number, progress)
        run = run._replace(of_lanes=run.of_lanes._replace(progress=progress, rounds=number + 1))
        tree = progress.tree
        after = RootActions(
            tree.visits[:, FIRST_CHILD].reshape(may_run.shape),
            tree.value[:, FIRST_CHILD].reshape(*may_run.shape, -1),
        )
        has_choice = (may_run.sum(axis=1) > size).any()
        choose = functools.partial(self._choose, run, after, may_run, size)
        count = jax.lax.cond(has_choice, choose, lambda: may_run)
        return run._replace(actions=_where(count, after, run.actions))

    def _choose(
        self,
        run: SideBySideRun,
        after: RootActions,
        may_run: Bool[Array, "B lanes"],
        size: Int32[Array, "B"],
    ) -> Bool[Array, "B lanes"]:
        """Returns the actions that the search visits, of those that it may.

        Args:
            run: the search before this sweep counts.
            after: the actions after this sweep.
            may_run: those with as many visits as the search looks for.
            size: how many of them it visits.
        """
        root = self._root(run).choice
        wanted = jnp.where(may_run, run.actions.visits, 0).max(axis=1)

        def one(number: Int32[Array, ""], chosen: Bool[Array, "B lanes"]) -> Bool[Array, "B lanes"]:
            actions = _where(chosen, after, run.actions)
            seen = self._view(run, actions)
            choice = self._policy.best(seen, root, seen.child_visits, wanted)
            is_next = jnp.arange(self._lanes) == choice.child[:, None]
            return chosen | (is_next & may_run & (number < size)[:, None])

        return jax.lax.fori_loop(0, size.max(), one, jnp.zeros_like(may_run))

    def _view(self, run: SideBySideRun, actions: RootActions) -> NodeView:
        """Returns the roots with the lanes of their actions as children.

        There are as many places for children as in one tree, so that sums are rounded alike.
        """
        tree, lanes, shape = run.of_lanes.progress.tree, self._lanes, actions.visits.shape
        games = jax.tree.map(lambda x: x[::lanes], tree)
        first = views.view_root(games, jnp.arange(len(games.used)))
        seat = jnp.broadcast_to(first.seat[:, None], shape)

        def filled_up(of_lanes: Array) -> Array:
            of_lanes = of_lanes.reshape(shape)
            return jnp.pad(of_lanes, ((0, 0), (0, first.node.shape[1] - lanes)))

        return first._replace(
            is_child=filled_up(actions.visits > 0),
            node=jnp.full_like(first.node, FIRST_CHILD),
            slot=filled_up(tree.slot[:, FIRST_CHILD]),
            prior=filled_up(tree.prior[:, FIRST_CHILD]),
            child_visits=filled_up(actions.visits),
            qvalues=filled_up(arrays.of_seat(actions.value, seat)),
        )

    def _root(self, run: SideBySideRun) -> Root:
        """Returns the roots of the games."""
        return jax.tree.map(lambda x: x[:: self._lanes], run.of_lanes.progress.root)

    def _options(self, run: SideBySideRun) -> Int32[Array, "B"]:
        return run.of_lanes.progress.root.choice.options[:: self._lanes]

    def _considered(self, run: SideBySideRun) -> Int32[Array, "B 1"]:
        return jnp.minimum(self._options(run), self._policy.max_considered)[:, None]

    def _sweep_size(self, run: SideBySideRun) -> Int32[Array, "B"]:
        """Returns how many actions the next sweep visits."""
        made, plan = run.actions.visits.sum(axis=1), run.of_lanes.inputs.schedule
        planned = jnp.full_like(made, self.simulations) if plan is None else plan[:: self._lanes]
        most, considered = self._policy.max_considered, self._considered(run)[:, 0]
        size = halving_sweep(considered, planned, made, most)
        return jnp.minimum(size, run.budget - made)

    def _is_running(self, run: SideBySideRun) -> Bool[Array, "B"]:
        """Returns the mask of games whose evaluated root has simulations left."""
        progress, lanes = run.of_lanes.progress, self._lanes
        is_over = progress.tree.seat[::lanes, ROOT] == OVER
        fewest = 2 if self.search.stop_decided else 1
        is_running = ~progress.waits[::lanes] & ~is_over & (self._options(run) >= fewest)
        return is_running & (run.actions.visits.sum(axis=1) < run.budget)

    @property
    def _policy(self) -> Gumbel:
        assert isinstance(self.search.policy, Gumbel)
        return self.search.policy

    @property
    def _lanes(self) -> int:
        """Returns the lanes of a game."""
        search = self.search
        return min(self._policy.max_considered, search.slots, search.simulations)


def can_be_side_by_side(search: TreeSearch) -> bool:
    """Returns whether the actions of a search can be simulated side by side."""
    return (
        isinstance(search.policy, Gumbel)
        and not search.is_open_loop
        and not search.rules.stochastic
        and not search.reuse
        and search.max_active is None
        and search.budget is None
    )


def _where(is_new: Bool[Array, "B lanes"], new: RootActions, old: RootActions) -> RootActions:
    return RootActions(
        jnp.where(is_new, new.visits, old.visits),
        jnp.where(is_new[..., None], new.value, old.value),
    )
