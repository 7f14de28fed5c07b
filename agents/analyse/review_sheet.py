"""A review as one HTML file that needs no server: its scripts and pictures are inside."""

import base64
import gzip
import html
import importlib.resources
import json
import re
import string
from collections.abc import Sequence
from typing import Any

from jaxgames.env import Env
from jaxgames.internal import texts
from jaxgames.state import State

SCRIPTS = {"files": ("elements.js", "curve.js", "review.js"), "sheet": ("sheet.js",)}
_IMPORT = re.compile(r'"/page/(\w+)\.js"')  # as a page with a server finds a script


def page(env: Env[Any], states: Sequence[State[Any]], told: dict[str, Any]) -> str:
    """Returns the text of the file.

    Args:
        env: the game.
        states: its positions, each of which is drawn.
        told: the review, of `review_document`.
    """
    before = [None, *states[:-1]]
    boards = [
        env.render(state, previous=previous, theme="light").as_svg()
        for state, previous in zip(states, before, strict=True)
    ]
    imports = {
        f"page/{name.removesuffix('.js')}": _as_address(_text(folder, name))
        for folder, names in SCRIPTS.items()
        for name in names
    }
    template = string.Template(_text("sheet", "sheet.html"))
    return template.substitute(
        title=html.escape(f"Review: {told['title']}"),
        style=_text("sheet", "sheet.css"),
        importmap=_inside(json.dumps({"imports": imports})),
        data=_inside(json.dumps({**told, "boards": _packed(boards)})),
    )


def _text(folder: str, name: str) -> str:
    file = importlib.resources.files("agents.analyse") / folder / name
    return texts.decode(file.read_bytes())


def _as_address(script: str) -> str:
    """Returns a script as an address that holds it; it finds others by their bare names."""
    script = _IMPORT.sub(r'"page/\1"', script)
    return "data:text/javascript;base64," + base64.b64encode(script.encode()).decode()


def _packed(boards: list[str]) -> str:
    return base64.b64encode(gzip.compress(json.dumps(boards).encode(), mtime=0)).decode()


def _inside(text: str) -> str:
    """Returns JSON that cannot end the element of a page that holds it."""
    return text.replace("<", "\\u003c")
