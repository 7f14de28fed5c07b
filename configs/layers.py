"""Settings in layers: mappings of groups and fields, of which later ones change earlier ones."""

import dataclasses
from collections.abc import Mapping
from typing import Any


def layered(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the layers as one; in a group of fields, a layer changes the fields that it names."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            is_group = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
            merged[name] = layered(merged[name], value) if is_group else value
    return merged


def with_groups(config: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings in which each mapping is the group of fields that `config` has for it."""
    kinds: dict[str, Any] = {
        field.name: field.default_factory for field in dataclasses.fields(config)
    }
    return {
        name: kinds[name](**value) if isinstance(value, Mapping) else value
        for name, value in settings.items()
    }
