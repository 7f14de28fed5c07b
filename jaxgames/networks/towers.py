"""The table of towers: the module that builds each tower which `NetworkConfig.tower` may name.

Entries are import paths, loaded on use, so that reading a configuration imports no JAX.
"""

from typing import Any

from jaxgames.internal import imports, installed_plugins
from jaxgames.internal.messages import unknown

# Each path leads to a `Tower` (see `network.py`).
_TOWERS: dict[str, str] = installed_plugins.table(
    {
        "hex": "jaxgames.networks.hex_tower:TOWER",
        "square": "jaxgames.networks.square_tower:TOWER",
        "tile": "jaxgames.networks.tile_tower:TOWER",
    }
)


def register_tower(name: str, path: str) -> None:
    """Adds a tower of another package, for instance `register_tower("deep", "my_package:TOWER")`.

    Raises:
        ValueError: if the name is taken, or `path` is no import path.
    """
    imports.check(path, "package.module:TOWER")
    if name in _TOWERS:
        raise ValueError(f"tower {name!r} is already registered")
    _TOWERS[name] = path


def tower_names(wanted: str) -> tuple[str, ...]:
    """Returns the names of all towers, sorted.

    Installed packages are searched if the tower `wanted` is not known without them.
    """
    if wanted not in _TOWERS:
        installed_plugins.load()
    return tuple(sorted(_TOWERS))


def load_tower(name: str) -> Any:
    """Returns the `Tower` of a name.

    Raises:
        ValueError: for an unknown name; offers the nearest one.
    """
    if name not in tower_names(name):
        raise ValueError(unknown("tower", name, _TOWERS))
    return imports.load(_TOWERS[name])
