"""`Agent`: one interface for everything that decides, in batches, on the device.

An agent is a frozen dataclass whose fields are its hyper-parameters. Its learned parameters
(`params`) and its memory are pytrees passed in and out, so every agent is a pure function.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.internal import jax_modes

Params = Any
Memory = Any
GameStates = Any
"""A batch of a game's own states: every leaf has a leading axis `B`."""


class Decision(NamedTuple):
    """The decision of an agent in each game of a batch."""

    action: Int32[Array, "B"]
    policy: Float[Array, "B actions"]
    """Probabilities of the actions: shares of visits, an improved policy, or the like."""
    values: Float[Array, "B players"]
    """The expected return of every seat; zeros from agents that do not evaluate."""


class Agent(Protocol):
    """A player of batches of one game."""

    def reset(self, batch_size: int) -> Memory:
        """Returns the memory at the start of `batch_size` games; `()` for most agents."""
        ...

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns a legal action for each game that is not over, and the new memory.

        The memory must be that of the game's last decision, whose action was played, or a fresh
        one. A planner may hold the rest of a plan, which is wrong after any other action.
        """
        ...


@runtime_checkable
class Watcher(Protocol):
    """An agent whose memory can follow positions in which it does not decide itself."""

    def watch(self, memory: Memory, state: GameStates) -> Memory:
        """Returns the memory after positions where the agent is to move but another one decides."""
        ...


class Memoryless:
    """Base class of agents without memory, whose public methods are traced as the library's."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Traces the methods of an agent under JAX's default types: see `jax_modes`."""
        super().__init_subclass__(**options)
        jax_modes.standard_methods(cls)

    def reset(self, batch_size: int) -> tuple[()]:
        """Returns `()`."""
        del batch_size
        return ()
