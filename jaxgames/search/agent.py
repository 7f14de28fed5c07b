"""`Agent`: one interface for everything that decides, in batches, on the device.

An agent of your own is any object with the methods of `Agent`; it need not inherit from a class of
this library. It must be hashable, since programs are compiled for it: an object of a plain class
is, and a frozen dataclass, whose fields are then its hyper-parameters, makes equal agents share
their programs. Its methods are traced by JAX. So they must not change the agent: learned parameters
(`params`) and memory are pytrees that are passed in and out.

    class Lowest:
        '''Plays the legal action of lowest number.'''

        def __init__(self, rules):
            self.rules = rules

        def reset(self, batch_size):
            return ()  # no memory

        def act(self, params, memory, state, key):
            legal = jax.vmap(self.rules.legal_actions)(state)  # [B, actions]
            action = legal.argmax(axis=1)
            values = jnp.zeros((len(action), self.rules.num_players))
            return Decision(action, jax.nn.one_hot(action, legal.shape[1]), values), memory
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import jax_modes

Params = Any
"""The learned parameters of an agent, a pytree of arrays shared by all games; `()` without any."""
Memory = Any
"""What an agent keeps between its decisions: a pytree, whose leaves have a leading axis `B`."""
GameStates = Any
"""A batch of a game's own states: every leaf has a leading axis `B`."""


class Decision(NamedTuple):
    """The decision of an agent in each game of a batch."""

    action: Int32[Array, "B"]
    """A legal action where the game is not over; elsewhere it is not looked at."""
    policy: Float[Array, "B actions"]
    """Probabilities of the actions: shares of visits, an improved policy, or the like."""
    values: Float[Array, "B players"]
    """The expected return of every seat; zeros from agents that do not evaluate."""


class Agent(Protocol):
    """A player of batches of one game; must be hashable."""

    def reset(self, batch_size: int) -> Memory:
        """Returns the memory at the start of `batch_size` games; `()` for most agents.

        Where a game of a batch begins anew, its rows of the memory are those of `reset` again.
        """
        ...

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns a legal action for each game that is not over, and the new memory.

        Args:
            params: the parameters.
            memory: the memory of each game, of the structure, shapes and types of `reset`'s; so is
                the one returned.
            state: the positions, of which some may be over.
            key: of all randomness of this decision.

        The memory must be that of the game's last decision, whose action was played, or a fresh
        one. A planner may hold the rest of a plan, which is wrong after any other action.
        """
        ...


def decision_of(
    agent: Agent, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
) -> tuple[Decision, Memory]:
    """Returns what an agent decides, and its new memory.

    Args:
        agent: the agent, maybe of a user; what it returns is looked at while it is traced.
        params: the parameters.
        memory: the memory of each game.
        state: the positions.
        key: of all randomness of this decision.

    Raises:
        ValueError: if it does not return a `Decision` for each game and a memory like the one that
            it was given; says what it returned.
    """
    found = agent.act(params, memory, state, key)
    name = f"{type(agent).__name__}.act"
    if not isinstance(found, tuple) or len(found) != len(("decision", "memory")):
        raise ValueError(f"{name} must return a Decision and the memory, got {found!r}")
    decision, after = found
    if not all(hasattr(decision, field) for field in Decision._fields):
        raise ValueError(f"{name} must return a Decision first, got {decision!r}")
    games = len(jax.tree.leaves(state)[0])
    action = decision.action
    if jnp.shape(action) != (games,) or not jnp.issubdtype(jnp.result_type(action), jnp.integer):
        got = f"{jnp.result_type(action)}{list(jnp.shape(action))}"
        raise ValueError(f"{name} must return an action for each game, int32[{games}], got {got}")
    for field, values in (("policy", decision.policy), ("values", decision.values)):
        if jnp.shape(values)[:-1] != (games,):
            shape = list(jnp.shape(values))
            raise ValueError(f"{name} must return a row of {field} a game, got shape {shape}")
    given, returned = (
        jax.tree.map(lambda x: (jnp.shape(x), jnp.result_type(x)), tree) for tree in (memory, after)
    )
    if given != returned:
        raise ValueError(f"{name} must return a memory of {given}, as reset does, got {returned}")
    return decision, after


@runtime_checkable
class Watcher(Protocol):
    """An agent whose memory can follow positions in which it does not decide itself."""

    def watch(self, memory: Memory, state: GameStates) -> Memory:
        """Returns the memory after positions where the agent is to move but another one decides."""
        ...


class Memoryless:
    """Base class of agents without memory, whose public methods are traced as the library's."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Makes the methods of an agent those of the library.

        They are traced under JAX's default types: see `jax_modes`. `act` accepts no games.
        """
        super().__init_subclass__(**options)
        jax_modes.standard_methods(cls)
        kind: Any = cls
        if "act" in vars(cls):
            kind.act = allows_empty("state")(kind.act)

    def reset(self, batch_size: int) -> tuple[()]:
        """Returns `()`."""
        del batch_size
        return ()
