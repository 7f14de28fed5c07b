"""The page of rules: the rulebook of a game with its pictures."""

import functools
from collections.abc import Mapping
from typing import Any

from agents.play.page import markdown, requests
from jaxgames.env import Env

_FIGURE = "figure:"


def document(env: Env[Any], query: Mapping[str, str]) -> dict[str, str]:
    """Returns the rulebook as HTML.

    Args:
        env: the game.
        query: of the request: the `theme`, `"light"` or `"dark"`.

    Raises:
        ValueError: for an unknown theme, or a game without a rulebook.
    """
    return {"html": _html(env, requests.query_theme(query.get("theme")))}


@functools.lru_cache(maxsize=16)
def _html(env: Env[Any], theme: str) -> str:
    text = env.rulebook()
    if not text:
        raise ValueError(f"{env.id} has no rulebook")

    def picture(address: str) -> str:
        svg: str = env.figure(address.removeprefix(_FIGURE), theme).as_svg()
        return svg

    title, _, rest = text.partition("\n\n")
    return markdown.to_html("\n\n".join(filter(None, (title, _options(env), rest))), picture)


def _options(env: Env[Any]) -> str:
    """Returns a sentence about the options of a game; empty without any."""
    given = env.rules.non_default_options
    names = ", ".join(f"{name}={value}" for name, value in given.items() if name != "parameters")
    return f"This game has options, which may change a rule: {names}." if names else ""
