"""Code that is named in tables and imported at first use, by paths `"package.module:name"`."""

import ast
import functools
import importlib
import re
import sys
from collections.abc import Callable
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


def lazy_imports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns `__getattr__` and `__dir__` of a package (PEP 562): importing it costs nothing.

    The public names, `__all__`, are those that the package imports where type checkers look,
    `if TYPE_CHECKING:`, and its version if it has one. They are read from its source at the first
    use of one.
    """

    @functools.cache
    def modules() -> dict[str, str]:
        loader: Any = sys.modules[package].__loader__
        tree = ast.parse(loader.get_source(package))
        nodes = [node for block in tree.body if isinstance(block, ast.If) for node in block.body]
        return {
            alias.name: str(node.module)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def names() -> list[str]:
        version = ["__version__"] if "__version__" in vars(sys.modules[package]) else []
        return sorted([*modules(), *version])

    def load_name(name: str) -> Any:
        if name == "__all__":
            return names()
        if name not in modules():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(modules()[name]), name)

    return load_name, names
