"""Spec strings: `"minimax:depth=2"` is a name with fields, the arguments of a factory.

A factory is a function `factory(env, *, field: type = default, ...)`, whose keyword-only parameters
are the fields, or a dataclass such as a game's rules. Its annotations give the types of the fields.
A field without a default must be given. A type is `bool`, `int`, `float`, `str` or a `Literal` of
strings. It may be in a union with `None`, written `none`, or with a tuple of strings, written with
commas.
"""

import dataclasses
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from jaxgames.internal.checks import MOST
from jaxgames.internal.messages import unknown

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


def arguments(spec: Spec, target: Callable[..., Any]) -> dict[str, Any]:
    """Returns the fields of a spec as keyword arguments of a factory or dataclass.

    Raises:
        ValueError: for an unknown or missing field, or a value that is not of the field's type.
    """
    hints = typing.get_type_hints(target)
    parameters = {
        parameter.name: parameter
        for parameter in inspect.signature(target).parameters.values()
        if dataclasses.is_dataclass(target) or parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    for field in spec.fields:
        if field not in parameters:
            raise ValueError(f"{spec.name}: " + unknown("field", field, parameters))
    for field, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and field not in spec.fields:
            raise ValueError(f"{spec.name} needs a value for {field!r}: '{spec.name}:{field}=...'")
    return {
        field: _convert(f"{spec.name}:{field}", value, hints[field])
        for field, value in spec.fields.items()
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
