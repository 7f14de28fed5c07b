"""`Agent`: one interface for everything that decides, in batches, on the device.

An agent is a frozen dataclass whose fields are its hyper-parameters. What it learned (`params`) and
what it remembers (`memory`) are pytrees passed in and out, so that every agent is a pure function.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Array, Float, Int32, PRNGKeyArray

Params = Any
Memory = Any
GameStates = Any
"""A batch of a game's own states: every leaf has a leading axis `B`."""


class Decision(NamedTuple):
    """What an agent chose for each game of a batch."""

    action: Int32[Array, "B"]
    policy: Float[Array, "B actions"]
    """Probabilities that express the agent's preference (visit counts, improved policy, ...)."""
    values: Float[Array, "B players"]
    """Expected return of every seat; zeros from agents that do not evaluate."""


class Agent(Protocol):
    """A decision maker for batches of one game."""

    def reset(self, batch_size: int) -> Memory:
        """Returns the memory at the start of `batch_size` games; `()` for most agents."""
        ...

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns a legal action for each game that is not over, and the new memory."""
        ...


@runtime_checkable
class Watcher(Protocol):
    """An agent that remembers of positions what does not depend on its own decision there."""

    def watch(self, memory: Memory, state: GameStates) -> Memory:
        """Returns the memory after positions in which the agent is to move, but another decides."""
        ...


class Memoryless:
    """The part of an agent that remembers nothing."""

    def reset(self, batch_size: int) -> tuple[()]:
        """Returns `()`."""
        del batch_size
        return ()
