"""What the tests of all planners share."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from jaxgames.batching.trees import select_rows
from jaxgames.search.planning.domain import PlannerDomain
from tests import ladder, turn_nim
from tests.turn_nim import NUM_HEAPS, TurnNim, TurnNimState

KEY = jax.random.key(0)

search = functools.partial(jax.jit, static_argnums=0)(lambda agent, *args: agent.search((), *args))
act = functools.partial(jax.jit, static_argnums=0)(lambda agent, *args: agent.act((), *args))


class TwoStepNim(TurnNim):
    """Only the second ply of a turn completes an action."""

    def completes_action(self, state: TurnNimState, action: Any) -> Bool[Array, ""]:
        return jnp.asarray(action) >= NUM_HEAPS


@dataclasses.dataclass(frozen=True)
class Indifferent:
    """Knows nothing."""

    def __call__(self, state: Any) -> Float[Array, "players"]:
        return jnp.zeros(2)


@dataclasses.dataclass(frozen=True)
class ExactNim:
    """The true value of one position that is not over."""

    def __call__(self, state: TurnNimState) -> Float[Array, "players"]:
        one = jax.tree.map(lambda x: x[None], state)
        return turn_nim.Exact()((), one, None).values[0]


class TwoPlies(PlannerDomain):
    decision_plies: ClassVar[int] = 2


def decide(agent: Any, state: Any, key: Any = KEY, memory: Any = None) -> Any:
    """Returns a decision on the host and the memory after it."""
    size = len(jax.tree.leaves(state)[0])
    memory = agent.reset(size) if memory is None else memory
    decision, memory = act(agent, memory, state, key)
    return jax.device_get(decision), memory


def play_action(agent: Any, state: Any, key: Any = KEY, memory: Any = None) -> Any:
    """Returns the first plies, the positions after one whole action, and the memory then.

    Games are of two plies an action, and those whose action is complete wait for the others.
    """
    rules = agent.domain.rules
    first, memory = decide(agent, state, key, memory)
    middle = jax.vmap(rules.step)(state, first.action)
    is_whole = jax.vmap(rules.completes_action)(state, first.action)
    second, after = decide(agent, middle, jax.random.fold_in(key, 1), memory)
    end = jax.vmap(rules.step)(middle, second.action)
    reached, memory = select_rows(is_whole, (middle, memory), (end, after))
    return first.action, reached, memory


def calls_of(agent: Any, num_games: int) -> int:
    """Returns the forward-model calls of one decision at the start of some games of `Ladder`."""
    state = ladder.starts(agent.domain.rules, num_games)
    needs_plan = jnp.ones((num_games,), bool)
    jax.effects_barrier()
    ladder.CALLS.clear()
    plan = jax.block_until_ready(
        search(agent, agent.first_carry(num_games), state, needs_plan, KEY)
    )
    jax.effects_barrier()
    assert plan.calls.sum() == sum(ladder.CALLS)
    return sum(ladder.CALLS)
