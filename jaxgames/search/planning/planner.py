"""`Planner`: an agent that decides whole actions and plays their later plies from memory."""

import abc
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batches import select_rows
from jaxgames.boards import bits
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain


class Memory(NamedTuple):
    """What a planner remembers of each game."""

    rest: Int32[Array, "B rest"]
    """Plies that are decided already, the next one first; NO_PLY after the last."""
    kept: Any
    """What one search leaves to the next."""


class Plan(NamedTuple):
    """What a search found."""

    plies: Int32[Array, "B plies"]
    """Plies to play; NO_PLY after the last one, and everywhere if no action was found."""
    policy: Float[Array, "B actions"]
    """Preference among the first plies."""
    values: Float[Array, "B players"]
    """Worth of what the plan leads to, as the domain counts it."""
    kept: Any
    calls: Int32[Array, "B"]
    """Forward-model calls used: completed actions. Of a tree, positions made."""


class Planner(abc.ABC):
    """Searches where no ply is left to play. Games that are over cost nothing.

    Where something is hidden, a search looks at one guess of it; see also its own documentation.
    """

    domain: PlannerDomain

    @abc.abstractmethod
    def search(
        self, kept: Any, state: GameStates, asked: Bool[Array, "B"], key: PRNGKeyArray
    ) -> Plan:
        """Returns a plan for each game that is asked about."""

    def nothing_kept(self, batch_size: int) -> Any:
        """Returns what is kept before the first search."""
        del batch_size
        return ()

    @property
    def plan_plies(self) -> int:
        """Most plies of a plan that are played before the next search."""
        return self.domain.decision_plies

    def reset(self, batch_size: int) -> Memory:
        """Returns the memory before the first decision."""
        rest = jnp.full((batch_size, self.plan_plies - 1), NO_PLY, jnp.int32)
        return Memory(rest, self.nothing_kept(batch_size))

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the next ply of the plan, if it is legal, else of a new one."""
        del params
        rules = self.domain.rules
        guess_key, search_key, random_key = jax.random.split(key, 3)
        num_games = memory.rest.shape[0]
        if not rules.perfect_information:
            keys = jax.random.split(guess_key, num_games)
            state = jax.vmap(rules.determinize)(state, jax.vmap(rules.to_move)(state), keys)
        words = jax.vmap(rules.packed_legal_actions)(state)
        known = jnp.pad(memory.rest, ((0, 0), (0, 1)), constant_values=NO_PLY)
        is_known = is_in(words, known[:, 0])
        asked = ~is_known & ~jax.vmap(rules.is_over)(state)

        def search() -> Plan:
            return self.search(memory.kept, state, asked, search_key)

        if self.plan_plies == 1:
            plan = search()
        else:
            nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(search))
            plan = jax.lax.cond(asked.any(), search, lambda: nothing)
        plies = jnp.where(is_known[:, None], known, plan.plies)
        # A domain that leaves out too much must not stop a game.
        drawn = jax.vmap(sampling.sample_packed)(
            words, sampling.random_words(random_key, num_games)
        )
        action = jnp.where(is_in(words, plies[:, 0]), plies[:, 0], drawn)
        certain = jax.nn.one_hot(action, rules.num_actions)
        policy = jnp.where(
            (plan.plies[:, 0] == action)[:, None] & asked[:, None], plan.policy, certain
        )
        is_judged = asked[:, None] & self.domain.judges_returns
        values = jnp.where(is_judged, jnp.clip(plan.values, -1.0, 1.0), 0.0)
        kept = select_rows(asked, plan.kept, memory.kept)
        return Decision(action, policy, values), Memory(plies[:, 1:], kept)


def is_in(words: UInt32[Array, "B words"], action: Int32[Array, "B"]) -> Bool[Array, "B"]:
    """Returns whether actions are set in packed masks; NO_PLY is not."""
    return jax.vmap(bits.contains_packed)(words, action)
