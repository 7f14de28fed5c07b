"""Spec strings: `"minimax:depth=2"` is a name with fields, the arguments of a factory.

A factory is a function `factory(env, *, field: type = default, ...)`, whose keyword-only parameters
are the fields, or a dataclass such as a game's rules. Its annotations give the types of the fields.
A parameter whose default is a dataclass, such as the settings of a search, stands for the fields of
this dataclass. A field without a default must be given. A type is `bool`, `int`, `float`, `str` or
a `Literal` of strings. It may be in a union with `None`, written `none`, or with a tuple of
strings, written with commas.
"""

import dataclasses
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from jaxgames.internal.checks import MOST
from jaxgames.internal.messages import hint, unknown

_TRUTH = {"true": True, "false": False}


class Spec(NamedTuple):
    """A parsed spec string; the values are still text."""

    name: str
    fields: Mapping[str, str]


def parse(text: str) -> Spec:
    """Splits `"name:field=value,field=value"`; the part from `:` on may be missing.

    Raises:
        ValueError: if it is no text, has another form, or names a field twice.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected 'name:field=value,field=value', got {text!r}")
    name, colon, rest = text.strip().partition(":")
    if not name or (colon and not rest):
        raise ValueError(f"cannot read {text!r}; expected 'name' or 'name:field=value,field=value'")
    return Spec(name, parse_fields(rest))


def parse_fields(text: str) -> dict[str, str]:
    """Splits `"field=value,field=value"`. A value may contain commas, if no `=` follows them.

    Raises:
        ValueError: if the text has another form or names a field twice.
    """
    fields: dict[str, str] = {}
    for item in re.split(r",(?=[^,=]*=)", text) if text.strip() else ():
        field, _, value = (part.strip() for part in item.partition("="))
        if not (field and value):
            raise ValueError(
                f"cannot read {item!r} in {text!r}; expected 'field=value,field=value'"
            )
        if field in fields:
            raise ValueError(f"field {field!r} is given twice in {text!r}")
        fields[field] = value
    return fields


def fields_of(target: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Returns the fields of a factory or dataclass by name, each with its type and its default."""
    found = {}
    for name, parameter in _parameters(target).items():
        if not dataclasses.is_dataclass(settings := parameter.default):
            found[name] = parameter
            continue
        for field in dataclasses.fields(settings):
            default = getattr(settings, field.name)
            found[field.name] = inspect.Parameter(
                field.name, parameter.kind, default=default, annotation=field.type
            )
    return found


def arguments(spec: Spec, target: Callable[..., Any], others: Iterable[str] = ()) -> dict[str, Any]:
    """Returns the values of the fields that a spec names, for `call`.

    Args:
        spec: the spec.
        target: the factory or dataclass that has the fields.
        others: fields that are read elsewhere, offered in place of one that is misspelt.

    Raises:
        ValueError: for an unknown or missing field, or a value that is not of the field's type.
    """
    fields = fields_of(target)
    for name in spec.fields:
        if name not in fields:
            near = [other for other in others if hint(name, [other])]
            raise ValueError(f"{spec.name}: " + unknown("field", name, [*fields, *near]))
    for name, field in fields.items():
        if field.default is inspect.Parameter.empty and name not in spec.fields:
            raise ValueError(f"{spec.name} needs a value for {name!r}: '{spec.name}:{name}=...'")
    return {
        name: _convert(f"{spec.name}:{name}", value, fields[name].annotation)
        for name, value in spec.fields.items()
    }


def call(factory: Callable[..., Any], env: Any, values: Mapping[str, Any]) -> Any:
    """Returns the result of a factory for a game, with the values of `arguments`.

    Raises:
        ValueError: for a value out of range, or a game that does not fit.
    """
    given = dict(values)
    for name, parameter in _parameters(factory).items():
        if dataclasses.is_dataclass(settings := parameter.default):
            own = {f.name for f in dataclasses.fields(settings)} & given.keys()
            changed = {field: given.pop(field) for field in own}
            given[name] = dataclasses.replace(settings, **changed)  # type: ignore[type-var]
    return factory(env, **given)


def _parameters(target: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Returns the parameters of a dataclass, or the keyword-only ones of a factory."""
    return {
        parameter.name: parameter
        for parameter in inspect.signature(target, eval_str=True).parameters.values()
        if dataclasses.is_dataclass(target) or parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def _convert(where: str, text: str, hint: Any) -> Any:
    """Returns `text` as a value of the type `hint`."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        choices = typing.get_args(hint)
        if type(None) in choices and text == "none":
            return None
        if any(typing.get_origin(choice) is tuple for choice in choices) and "," in text:
            return tuple(part.strip() for part in text.split(","))
        return _convert(where, text, choices[0])
    if typing.get_origin(hint) is Literal:
        if text not in typing.get_args(hint):
            raise ValueError(f"{where}: " + unknown("value", text, typing.get_args(hint)))
        return text
    if hint is bool:
        if text not in _TRUTH:
            raise ValueError(f"{where}={text} is not of type bool: write true or false")
        return _TRUTH[text]
    if hint is Any:
        raise ValueError(f"{where} cannot be given as text, only in Python")
    try:
        value = hint(text)
    except ValueError:
        raise ValueError(f"{where}={text} is not of type {hint.__name__}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where}={text} is not a finite number")
    if isinstance(value, float) and abs(value) > MOST:
        raise ValueError(f"{where}={text} must be from {-MOST} to {MOST}")
    if isinstance(value, int) and abs(value) > MOST:
        raise ValueError(f"{where}={text} must be from {-MOST} to {MOST}")
    return value
