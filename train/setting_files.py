"""Settings from files: JSON or YAML, with the names of `config.json` in the folder of a run.

Groups may be written as objects, `{"learner": {"updates": 8}}`, or with a dot, as on the command
line, `{"learner.updates": 8}`.
"""

import dataclasses
import pathlib
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from jaxgames.internal import files, texts
from jaxgames.internal.messages import hint

ConfigT = TypeVar("ConfigT")
_YAML = (".yaml", ".yml")
_YAML_TEXT = "tag:yaml.org,2002:str"


def read(option: str, path: str) -> dict[str, Any]:
    """Returns the settings of a file by dotted names.

    Args:
        option: the option that names the file.
        path: the file; a name that ends in `.yaml` or `.yml` is one of YAML, any other of JSON.

    Raises:
        ValueError: if there is no such file, or it holds anything but settings, each once; or for
            YAML if the package is missing that reads it.
    """
    files.check_local(option, path)
    try:
        text = texts.read(path)
        is_yaml = pathlib.Path(path).suffix in _YAML
        content = _yaml(text) if is_yaml else files.parse_json(text, make_object=unique)
        if isinstance(content, dict):
            return flatten(content)
    except OSError as error:
        raise ValueError(f"{option}: cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{option}: {path}: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{option}: {path}: groups are nested too deep") from error
    raise ValueError(f"{option}: {path} must hold settings by name, got {content!r}"[:400])


def _yaml(text: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise ValueError("YAML needs the package pyyaml: pip install 'jaxgames[train]'") from error

    class Loader(yaml.SafeLoader):
        """Takes each name once, where the package takes the last of several."""

        def compose_mapping_node(self, anchor: Any) -> Any:
            node = super().compose_mapping_node(anchor)
            unique((key.value, value) for key, value in node.value if key.tag == _YAML_TEXT)
            return node

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {' '.join(str(error).split())}") from error


def unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Returns names and values as a dict.

    Raises:
        ValueError: for a name that stands there twice.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name} is given twice; keep one")
        found[name] = value
    return found


def flatten(tree: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns nested settings as one dict with dotted names, tuples as lists, as JSON has them.

    Raises:
        ValueError: for a setting that is given in a group and with a dot, too.
    """
    return unique(_dotted(tree, ""))


def _dotted(tree: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", list(value) if isinstance(value, tuple) else value


def named_by(words: Iterable[str]) -> set[str]:
    """Returns the dotted names that the options among some words may set.

    `--group.no-name` sets `group.name`, unless a setting is really called `no_name`.
    """
    found = set()
    for word in words:
        if word.startswith("--"):
            option = word.partition("=")[0].removeprefix("--").replace("-", "_")
            found |= {option, option.removeprefix("no_"), option.replace(".no_", ".")}
    return found


def names(config: Any, prefix: str = "") -> dict[str, Any]:
    """Returns the types of all fields of settings, by dotted names."""
    hints = typing.get_type_hints(type(config))
    found: dict[str, Any] = {}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            found |= names(value, f"{prefix}{field.name}.")
        else:
            found[prefix + field.name] = hints[field.name]
    return found


def changed(config: ConfigT, settings: Mapping[str, Any], source: str) -> ConfigT:
    """Returns settings with those of a file in their place.

    Args:
        config: a dataclass, with groups that are dataclasses.
        settings: plain values by dotted names.
        source: where they are from, for messages.

    Raises:
        ValueError: for a name that there is not, of which the nearest is offered; for a value of
            another type, or one that the settings refuse.
    """
    types_by_name = names(config)
    for name in settings:
        if name not in types_by_name:
            raise ValueError(f"{source}: unknown setting {name!r}{hint(name, types_by_name)}")
    try:
        typed = {name: _typed(name, x, types_by_name[name]) for name, x in settings.items()}
        return _replaced(config, typed)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error


def _replaced(config: Any, settings: Mapping[str, Any]) -> Any:
    groups: dict[str, dict[str, Any]] = {}
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        group, dot, field = name.partition(".")
        if dot:
            groups.setdefault(group, {})[field] = value
        else:
            changes[name] = value
    for group, fields in groups.items():
        changes[group] = _replaced(getattr(config, group), fields)
    return dataclasses.replace(config, **changes)


def _typed(name: str, value: Any, kind: Any) -> Any:
    """Returns a value of a file in the type of its field; a list of JSON becomes a tuple.

    Raises:
        ValueError: if it does not fit.
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (kind,) = (part for part in inner if part is not type(None))
        return _typed(name, value, kind)
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{name} must be a list, got {value!r}")
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) != len(value):
            raise ValueError(f"{name} must be a list of {len(kinds)} values, got {value!r}")
        return tuple(_typed(name, part, kind) for part, kind in zip(value, kinds, strict=True))
    if kind is float:
        return _number(name, value)
    if type(value) is not kind:
        raise ValueError(f"{name} must be of type {kind.__name__}, got {value!r}")
    return value


def _number(name: str, value: Any) -> float:
    """Returns a float; YAML reads `2e-3`, without a point, as a text."""
    try:
        if not isinstance(value, bool):
            return float(value)
    except OverflowError as error:
        most = f"{sys.float_info.max:.2g}"
        raise ValueError(f"{name} must be from -{most} to {most}, got a longer number") from error
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must be a number, got {value!r}")
