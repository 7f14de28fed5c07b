"""`human`: a person at the terminal, as an agent of matches."""

import dataclasses
from typing import Any, ClassVar

from jaxgames.env import Env
from jaxgames.internal import programs
from jaxgames.search.agent import Decision, GameStates, Memory, Memoryless, Params

_COMMANDS = ("agents.play", "agents.arena", "agents.clock")


@dataclasses.dataclass(frozen=True)
class Human(Memoryless):
    """A person who is asked for every move; programs that know it ask by `agents.terminal`."""

    name: str
    is_person: ClassVar[bool] = True

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: Any
    ) -> tuple[Decision, Memory]:
        """Raises a `ValueError`: nobody can be asked inside of a compiled program."""
        raise ValueError(
            "a human decides at the terminal, not in a batch; human plays in the commands "
            f"{', '.join(map(programs.command, _COMMANDS))}"
        )


def make_human(env: Env[Any], *, name: str = "human") -> tuple[Human, tuple[()]]:
    """Returns a person, who needs moves in words.

    Raises:
        ValueError: for a game without notation.
    """
    if env.notation is None:
        raise ValueError("a human needs moves in words, and the game has no notation")
    return Human(name), ()


def is_human(agent: Any) -> bool:
    """Returns whether an agent is a person."""
    return isinstance(agent, Human)
