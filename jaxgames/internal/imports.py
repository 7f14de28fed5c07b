"""Objects by import path `"package.module:name"`: tables name code this way and load it late."""

import importlib
import re
from typing import Any

_PATH = re.compile(r"[\w.]+:\w+")


def check(path: str, example: str) -> None:
    """Checks the form of an import path.

    Raises:
        ValueError: if it is not `"package.module:name"`; shows `example`.
    """
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise ValueError(f"{path!r} is not an import path like {example!r}")


def load(path: str) -> Any:
    """Returns the object at an import path.

    Raises:
        ValueError: if there is no such module, or nothing of that name in it.
    """
    module, _, name = path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ValueError(f"there is no {path!r}: {error}") from error
