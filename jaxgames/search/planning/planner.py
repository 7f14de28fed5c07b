"""`Planner`: an agent that plans whole actions and plays their later plies from memory."""

import abc
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batching.empty_batches import allows_empty
from jaxgames.batching.trees import select_rows
from jaxgames.boards import bits
from jaxgames.internal import jax_modes
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain


class AfterstateValue(Protocol):
    """Judges positions that actions have led to; must be hashable, since agents hold it."""

    def __call__(
        self, params: Params, state: GameStates, seat: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        """Returns the value of each position for every seat, by what `seat`, which acted, knows.

        Games may be over.
        """
        ...

    def as_returns(self, values: Float[Array, "*N players"]) -> Float[Array, "*N players"]:
        """Returns values as expected returns, in [-1, 1]."""
        ...


class Memory(NamedTuple):
    """The memory of a planner."""

    rest: Int32[Array, "B rest"]
    """The plies already decided, the next one first, then NO_PLY."""
    kept: Any  # the name stands in the checkpoints of trainings
    """The data that one search passes on to the next, its `carry`."""


class PlannerResult(NamedTuple):
    """The result of a search."""

    plies: Int32[Array, "B plies"]
    """The plies to play, then NO_PLY; only NO_PLY if no action was found."""
    policy: Float[Array, "B actions"]
    """The preference among first plies."""
    values: Float[Array, "B players"]
    """The value of the position that the plan leads to, by what judges positions in this search."""
    carry: Any
    calls: Int32[Array, "B"]
    """The forward-model calls used: completed actions, or in a tree search positions added."""


class Decisive(NamedTuple):
    """What a planner needs for a decision, beside its plan."""

    state: GameStates  # where something is hidden, one determinization
    words: UInt32[Array, "B words"]  # the legal actions
    known: Int32[Array, "B plies"]  # planned before
    is_known: Bool[Array, "B"]  # whether the next ply was planned before
    needs_plan: Bool[Array, "B"]
    search_key: PRNGKeyArray
    random_key: PRNGKeyArray


class Planner(abc.ABC):
    """Searches when no planned ply is left to play. Finished games cost nothing.

    Where something is hidden, a search starts from one determinization.
    """

    domain: PlannerDomain
    value: AfterstateValue | None
    """Judges positions with the parameters of the planner; None: the domain does, without any."""

    @abc.abstractmethod
    def search(
        self,
        params: Params,
        carry: Any,
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
    ) -> PlannerResult:
        """Returns a plan for each game where `needs_plan` holds."""

    def first_carry(self, batch_size: int) -> Any:
        """Returns the value of `carry` before the first search."""
        del batch_size
        return ()

    @property
    def judges_returns(self) -> bool:
        """Returns whether the values of decisions are expected returns."""
        return self.value is not None or self.domain.judges_returns

    def evaluate(
        self, params: Params, state: GameStates, seat: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        """Returns the value of each position for every seat, by what `seat`, which plans, knows."""
        if self.value is None:
            return jax.vmap(self.domain.evaluate)(state)
        return self.value(params, state, seat)

    @property
    def plan_plies(self) -> int:
        """Returns the most plies of a plan that are played before the next search."""
        return self.domain.decision_plies

    def reset(self, batch_size: int) -> Memory:
        """Returns the memory before the first decision."""
        rest = jnp.full((batch_size, self.plan_plies - 1), NO_PLY, jnp.int32)
        return Memory(rest, self.first_carry(batch_size))

    @jax_modes.standard
    @allows_empty("state", "memory")
    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the next ply of the plan if it is legal, else the first ply of a new plan."""
        at = self.prepare(memory, state, key)

        def search() -> PlannerResult:
            return self.search(params, memory.kept, at.state, at.needs_plan, at.search_key)

        if self.plan_plies == 1:
            plan = search()
        else:
            # Its shapes are told here, since asking the search for them would trace it twice.
            rules, num_games = self.domain.rules, len(at.needs_plan)
            nothing = PlannerResult(
                plies=jnp.zeros((num_games, self.plan_plies), jnp.int32),
                policy=jnp.zeros((num_games, rules.num_actions), jnp.float32),
                values=jnp.zeros((num_games, rules.num_players), jnp.float32),
                carry=jax.tree.map(jnp.zeros_like, memory.kept),
                calls=jnp.zeros((num_games,), jnp.int32),
            )
            plan = jax.lax.cond(at.needs_plan.any(), search, lambda: nothing)
        return self.conclude(at, memory, plan)

    @jax_modes.standard
    def prepare(self, memory: Memory, state: GameStates, key: PRNGKeyArray) -> Decisive:
        """Returns what a decision needs before its search."""
        rules = self.domain.rules
        belief_key, search_key, random_key = jax.random.split(key, 3)
        num_games = memory.rest.shape[0]
        if not rules.perfect_information:
            keys = jax.random.split(belief_key, num_games)
            state = jax.vmap(rules.determinize)(state, jax.vmap(rules.to_move)(state), keys)
        words = jax.vmap(rules.packed_legal_actions)(state)
        known = jnp.pad(memory.rest, ((0, 0), (0, 1)), constant_values=NO_PLY)
        is_known = is_in(words, known[:, 0])
        needs_plan = ~is_known & ~jax.vmap(rules.is_over)(state)
        return Decisive(state, words, known, is_known, needs_plan, search_key, random_key)

    @jax_modes.standard
    def conclude(
        self, at: Decisive, memory: Memory, plan: PlannerResult
    ) -> tuple[Decision, Memory]:
        """Returns the decision with a plan, where one was needed, and the memory after it."""
        rules = self.domain.rules
        _, words, known, is_known, needs_plan, _, random_key = at
        plies = jnp.where(is_known[:, None], known, plan.plies)
        # A domain that leaves out too much must not stop a game.
        action = sampling.legal_or_drawn(words, plies[:, 0], random_key)
        certain = jax.nn.one_hot(action, rules.num_actions)
        policy = jnp.where(
            (plan.plies[:, 0] == action)[:, None] & needs_plan[:, None], plan.policy, certain
        )
        is_judged = needs_plan[:, None] & self.judges_returns
        values = plan.values if self.value is None else self.value.as_returns(plan.values)
        values = jnp.where(is_judged, jnp.clip(values, -1.0, 1.0), 0.0)
        carry = select_rows(needs_plan, plan.carry, memory.kept)
        return Decision(action, policy, values), Memory(plies[:, 1:], carry)


class PlanFlags(NamedTuple):
    """How far a search for plans is."""

    is_running: Bool[Array, "B"]
    can_decide: Bool[Array, "B"]
    used: Int32[Array, "B"]  # forward-model calls


class AnytimePlanner(Planner):
    """A planner whose search can be made in pieces, and has a result after each of them."""

    budget: int
    """The most forward-model calls of a search."""

    def search(
        self,
        params: Params,
        carry: Any,
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
    ) -> PlannerResult:
        """Returns a plan for each game where `needs_plan` holds."""
        run = self.begin(params, carry, state, needs_plan, key, jnp.int32(self.budget))
        return self.result(self.finish(params, run))

    @abc.abstractmethod
    def with_most(self, calls: int) -> "AnytimePlanner":
        """Returns the planner for searches in pieces of at most so many calls, or of fewer."""

    @abc.abstractmethod
    def begin(
        self,
        params: Params,
        carry: Any,
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
        most: Int32[Array, ""],
    ) -> Any:
        """Returns a search of at most so many calls that `advance` carries on.

        The other arguments are those of `search`.
        """

    @abc.abstractmethod
    def advance(self, params: Params, run: Any, rounds: Int32[Array, ""]) -> Any:
        """Returns a search after so many more rounds, small pieces of its work."""

    @abc.abstractmethod
    def finish(self, params: Params, run: Any) -> Any:
        """Returns a search that has just begun after all of its work."""

    @abc.abstractmethod
    def flags(self, run: Any) -> PlanFlags:
        """Returns how far a search is."""

    @abc.abstractmethod
    def result(self, run: Any) -> PlannerResult:
        """Returns the plans found so far."""


def is_in(words: UInt32[Array, "B words"], action: Int32[Array, "B"]) -> Bool[Array, "B"]:
    """Returns the mask of lanes whose action is set in their packed mask; NO_PLY is never set."""
    return jax.vmap(bits.contains_packed)(words, action)
