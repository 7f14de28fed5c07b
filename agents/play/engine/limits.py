"""Agents that a page may ask for: known ones, of bounded effort, that read no file of its choice.

Specs of the command line are not limited: whoever starts the server trusts them.
"""

import functools
import inspect
import typing
from collections.abc import Iterable
from typing import Any

from agents.play.session.session import HUMAN
from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.networks.shipped import available_pretrained
from jaxgames.players import registry, search_limits, spec

MOST_CHARACTERS = 300
# The greatest value of a number in a spec, by its name; of all other numbers, `MOST`.
LIMITS = {
    "simulations": 4096,
    "rollouts": 8,
    "budget": 20_000,
    "depth": 10,
    "table": 20,
    "quiescence": 10,
    "seconds": 60,
    "nodes": 1_000_000,
}
MOST = 1000
EXHAUSTIVE = {"minimax": 3, "negamax": 5}  # the greatest depth of searches without pruning
NETWORK = "network"  # the field that also takes the name of a network of the library


def available() -> tuple[str, ...]:
    """Returns the names of all agents that think: people are asked on the page, not here."""
    return tuple(name for name in registry.available() if name != HUMAN)


@functools.lru_cache(maxsize=16)
def playing(env: Env[Any]) -> tuple[str, ...]:
    """Returns the names of the agents that think and that play a game with no further fields."""

    def plays(name: str) -> bool:
        try:
            registry.make(name, env)
        except ValueError:
            return False
        return True

    return tuple(filter(plays, available()))


class Allowance:
    """The specs that a server accepts."""

    def __init__(self, trusted: Iterable[str]) -> None:
        """`trusted`: the specs of the command line."""
        self.trusted = tuple(dict.fromkeys(trusted))
        self._trusted_values = {
            value for text in self.trusted for value in spec.parse(text).fields.values()
        }

    def check(self, text: Any) -> str:
        """Returns a spec that a page may ask for; the names of persons are left out.

        Raises:
            ValueError: for anything else.
        """
        if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
            raise ValueError(f"expected the spec of an agent, at most {MOST_CHARACTERS} characters")
        text = text.strip()
        parsed = spec.parse(text)
        if parsed.name == HUMAN:
            return HUMAN
        if text in self.trusted:
            return text
        if parsed.name not in available():
            raise ValueError(unknown("agent", parsed.name, (HUMAN, *available())))
        factory = registry.factory_of(parsed.name)
        parsed, limits = registry.without_limits(parsed)
        limit = search_limits.limit_of(limits)
        for field in limits:
            self._check_value(parsed.name, field, getattr(limit, field), is_free_text=False)
        arguments = spec.arguments(parsed, factory)
        fields = spec.fields_of(factory)
        for field, value in arguments.items():
            self._check_value(parsed.name, field, value, _is_free_text(fields[field].annotation))
        return text

    def _check_value(self, name: str, field: str, value: Any, is_free_text: bool) -> None:
        if isinstance(value, bool) or value is None:
            return
        if isinstance(value, int | float):
            most = LIMITS.get(field, MOST)
            if field == "depth":
                most = EXHAUSTIVE.get(name, most)
            if abs(value) > most:
                raise ValueError(f"{name}: {field} is at most {most} on this page, got {value}")
            return
        if not is_free_text or value in self._trusted_values:
            return
        if field == NETWORK and value in available_pretrained():
            return
        raise ValueError(
            f"{name}: {field}={value} names a file or an agent, which a page may not choose; "
            "start the server with this agent in --seats"
        )


def _is_free_text(hint: Any) -> bool:
    """Returns whether a field takes any text, and not one of listed words."""
    kinds = (hint, *typing.get_args(hint))
    return str in kinds or any(typing.get_origin(kind) is tuple for kind in kinds)


def describe(name: str) -> str:
    """Returns the fields of an agent with their defaults, for instance `minimax:depth=2`."""
    fields = [
        f"{field}={_plain(parameter.default)}"
        for field, parameter in spec.fields_of(registry.factory_of(name)).items()
    ]
    return f"{name}:{','.join(fields)}" if fields else name


def _plain(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return "..."
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
