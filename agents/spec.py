"""Spec strings: `"minimax:depth=2"` is a name and fields, typed by the factory they are meant for.

A factory is a function `factory(env, *, field: type = default, ...)`. Its keyword-only parameters
are the fields of the spec; one without a default must be given. Types may be `bool`, `int`,
`float`, `str`, a `Literal` of strings, or one of these or `None`, written `none`.
"""

import difflib
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

_TRUTH = {"true": True, "false": False}


class Spec(NamedTuple):
    """A parsed spec string; the values are still text."""

    name: str
    fields: Mapping[str, str]


def parse(text: str) -> Spec:
    """Splits `"name:field=value,field=value"`; the part from `:` on may be missing.

    Raises:
        ValueError: if the text has another form or names a field twice.
    """
    name, colon, rest = text.strip().partition(":")
    fields: dict[str, str] = {}
    for item in rest.split(",") if colon else ():
        field, equals, value = (part.strip() for part in item.partition("="))
        if not (field and equals and value):
            raise ValueError(
                f"agent {text!r}: expected 'name:field=value,field=value', cannot read {item!r}"
            )
        if field in fields:
            raise ValueError(f"agent {text!r}: field {field!r} is given twice")
        fields[field] = value
    if not name:
        raise ValueError(f"agent {text!r} has no name; expected 'name:field=value,field=value'")
    return Spec(name, fields)


def arguments(spec: Spec, factory: Callable[..., Any]) -> dict[str, Any]:
    """Returns the fields of a spec as keyword arguments of `factory`.

    Raises:
        ValueError: for an unknown or missing field, or a value that is not of the field's type.
    """
    hints = typing.get_type_hints(factory)
    parameters = {
        parameter.name: parameter
        for parameter in inspect.signature(factory).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
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


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """Returns the message for a name that is none of `choices`; offers the nearest one."""
    choices = sorted(choices)
    nearest = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"unknown {kind} {name!r}; available: {', '.join(choices) or 'none'}{hint}"


def _convert(where: str, text: str, hint: Any) -> Any:
    """Returns `text` as a value of the type `hint`."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        (inner,) = (choice for choice in typing.get_args(hint) if choice is not type(None))
        return None if text == "none" else _convert(where, text, inner)
    if typing.get_origin(hint) is Literal:
        if text not in typing.get_args(hint):
            raise ValueError(f"{where}: " + unknown("value", text, typing.get_args(hint)))
        return text
    if hint is bool:
        if text.lower() not in _TRUTH:
            raise ValueError(f"{where}={text} is not a bool: write true or false")
        return _TRUTH[text.lower()]
    try:
        value = hint(text)
    except ValueError:
        raise ValueError(f"{where}={text} is not of type {hint.__name__}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where}={text} is not a finite number")
    return value
