"""Static values and functions as texts that are equal in two processes if the values are.

A program is determined by its sources, its static values and the shapes of its arguments. A value
whose text would not say all of it, such as an open file, has no identity; programs that depend on
one are not kept.
"""

import dataclasses
import enum
import functools
import hashlib
import sys
import types
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
DEEPEST = 64  # nested values beyond this are taken for a cycle


class NoIdentity(Exception):
    """A value cannot be told from others by a text; says which."""


class Identities:
    """Texts of values, and the modules whose sources decide what the values do."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def of(self, value: Any, depth: int = 0) -> str:
        """Returns the text of a value.

        Raises:
            NoIdentity: if it has none.
        """
        if depth > DEEPEST:
            raise NoIdentity("values are nested without end")
        if type(value) in _PLAIN:
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, types.ModuleType):
            self.modules.add(value.__name__)
            return f"module {value.__name__}"
        if path := self._path_of(value):
            return path
        inner = functools.partial(self.of, depth=depth + 1)
        if isinstance(value, enum.Enum):
            return f"{inner(type(value))}.{value.name}"
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            return _array_text(value)
        if isinstance(value, np.dtype):
            return f"dtype {value.str}"
        if isinstance(value, tuple | list):
            return f"{inner(type(value))}[{','.join(map(inner, value))}]"
        if isinstance(value, set | frozenset):
            return f"{inner(type(value))}[{','.join(sorted(map(inner, value)))}]"
        if isinstance(value, Mapping):
            pairs = (f"{inner(k)}:{inner(v)}" for k, v in value.items())
            return f"{inner(type(value))}[{','.join(pairs)}]"
        if isinstance(value, functools.partial):
            return f"partial[{inner((value.func, value.args, value.keywords))}]"
        if isinstance(value, types.MethodType):
            return f"method[{inner((value.__self__, value.__func__))}]"
        if isinstance(value, types.FunctionType):
            return self._function(value, depth)
        if isinstance(getattr(value, "__wrapped__", None), types.FunctionType):
            return f"{type(value).__name__}[{inner(value.__wrapped__)}]"
        return self._object(value, depth)

    def _path_of(self, value: Any) -> str | None:
        """Returns the import path of a class, function or the like; None if it has none."""
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not (isinstance(module, str) and isinstance(name, str)):
            return None
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not value:
            return None
        self.modules.add(module)
        return f"path {module}:{name}"

    def _function(self, function: types.FunctionType, depth: int) -> str:
        """Returns the text of a function that was made inside another one."""
        self.modules.add(function.__module__)
        try:
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
        except ValueError as error:
            raise NoIdentity(f"{function.__qualname__} is not complete yet") from error
        parts = self.of((function.__defaults__, function.__kwdefaults__, cells), depth + 1)
        code = hashlib.sha256(_code_text(function.__code__).encode()).hexdigest()
        return f"function {function.__module__}:{function.__qualname__} {code} {parts}"

    def _object(self, value: Any, depth: int) -> str:
        """Returns the text of an object: its class and its fields or attributes."""
        kind = type(value)
        if isinstance(value, type):
            raise NoIdentity(f"the class {value.__qualname__} has no import path")
        if dataclasses.is_dataclass(value):
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        elif not hasattr(value, "__dict__") or _extends_builtin(kind):
            raise NoIdentity(f"a value of type {kind.__name__}")
        else:
            fields = {
                name: member
                for name, member in vars(value).items()
                if not isinstance(getattr(kind, name, None), functools.cached_property)
            }
        return f"{self.of(kind, depth + 1)}({self.of(fields, depth + 1)})"


def _extends_builtin(kind: type) -> bool:
    """Returns whether objects of a class hold more than their attributes, such as a text."""
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__ if base is not object}
    return not packages.isdisjoint({"builtins", "jax", "jaxlib", "numpy"})


def _array_text(array: Any) -> str:
    if isinstance(array, jax.core.Tracer):
        raise NoIdentity("a traced value")
    if isinstance(array, jax.Array) and jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
        return f"key {jax.random.key_impl(array)} {_array_text(jax.random.key_data(array))}"
    values = np.asarray(array)
    if values.dtype.hasobject:
        raise NoIdentity("an array of objects")
    digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
    return f"{type(array).__name__} {values.dtype} {values.shape} {digest}"


def _code_text(code: types.CodeType) -> str:
    """Returns what a function does: its instructions and constants, without line numbers."""
    return f"{code.co_code.hex()} {code.co_names} {_constant_text(code.co_consts)}"


def _constant_text(value: Any) -> str:
    if isinstance(value, types.CodeType):
        return _code_text(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_constant_text, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_constant_text, value)))}}}"
    return repr(value)
