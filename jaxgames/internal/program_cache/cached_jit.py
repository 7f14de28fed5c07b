"""`jit`: `jax.jit` for programs that are traced once and found again by later processes.

What the library computes from a position is the same in every process, but tracing it takes up to
half a minute in the large games. A program of `jit` is exported when it is first traced, to the
folder `programs` in that of JAX's compilation cache, and read from there by the next process. Its
key is a digest of everything that decides what is traced: sources, static values, shapes and types
of the arguments, versions and settings of JAX, and the kind of device.

It behaves as `jax.jit` wherever that does not fit: without a folder, without the package
`flatbuffers`, while another function is traced, for arrays on several devices, and for static
values or results that cannot be written down.
"""

import functools
import hashlib
import importlib.util
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast

import jax

from jaxgames.internal import compilation_cache
from jaxgames.internal.program_cache import sources, store, tree_texts
from jaxgames.internal.program_cache.identities import Identities, NoIdentity

ResultT = TypeVar("ResultT")
Flat = Callable[..., Sequence[Any]]
BYTES_A_SECOND = 15_000  # of an exported program, compiled on one core: measured, a rough guess
# Settings that a caller may change between two calls; those of a whole process count in the key.
_SETTINGS = (
    "jax_enable_x64",
    "jax_numpy_dtype_promotion",
    "jax_numpy_rank_promotion",
    "jax_default_matmul_precision",
    "jax_default_prng_impl",
    "jax_threefry_partitionable",
    "jax_debug_nans",
    "jax_debug_infs",
    "jax_enable_checks",
    "jax_disable_jit",
)
# Words in the names of settings that decide nothing that is traced.
_WITHOUT_EFFECT = (
    *("cache", "dump", "log", "platform", "profile", "thread", "timeout", "traceback", "transfer"),
)


def jit(
    function: Callable[..., ResultT],
    *,
    static_argnames: str | Sequence[str] = (),
    donate_argnames: str | Sequence[str] = (),
    label: Callable[..., str] | str = "",
) -> "CachedProgram[ResultT]":
    """Returns a compiled function, whose traced programs are kept on disk.

    Args:
        function: a pure function; it may depend on the values that it was made with, if these can
            be told by a text (`identities.py`).
        static_argnames: as for `jax.jit`.
        donate_argnames: as for `jax.jit`.
        label: what the program is for, in messages: a text, or a function of the static arguments,
            given by name, that returns one.
    """
    return CachedProgram(function, _names(static_argnames), _names(donate_argnames), label)


class CachedProgram(Generic[ResultT]):
    """The result of `jit`; whatever else it is asked for is answered by that of `jax.jit`."""

    def __init__(
        self,
        function: Callable[..., ResultT],
        static: tuple[str, ...],
        donated: tuple[str, ...],
        label: Callable[..., str] | str,
    ) -> None:
        functools.update_wrapper(cast(Any, self), function)
        self._function = function
        self._static, self._donated, self._label = static, donated, label
        self._signature = inspect.signature(function)

        # JAX keeps programs by the function: one of its own makes them go with this object.
        @functools.wraps(function)
        def own(*args: Any, **kwargs: Any) -> ResultT:
            return function(*args, **kwargs)

        self._plain: Any = jax.jit(own, static_argnames=static, donate_argnames=donated)
        self._programs: dict[Any, _Program | None] = {}
        self._lock = threading.RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> ResultT:
        """Returns the result of the function."""
        call = self._call_of(args, kwargs)
        with compilation_cache.purpose(self._text(call)):
            program = None if call is None else self._program(call)
            if call is None or program is None:
                return cast(ResultT, self._plain(*args, **kwargs))
            return cast(ResultT, program.tree.unflatten(program.run(*call.leaves)))

    def copy(self) -> "CachedProgram[ResultT]":
        """Returns the same function with compiled programs of its own, which are freed with it."""
        return CachedProgram(self._function, self._static, self._donated, self._label)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_plain":
            raise AttributeError(name)
        return getattr(self._plain, name)

    def _text(self, call: "_Call | None") -> str:
        if isinstance(self._label, str) or call is None:
            return self._label if isinstance(self._label, str) else ""
        return self._label(**call.static)

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "_Call | None":
        """Returns what a call asks for; None if it is none that can be kept."""
        if not is_on():
            return None
        given = self._signature.bind(*args, **kwargs).arguments
        static = {name: given.pop(name) for name in self._static if name in given}
        leaves, tree = jax.tree.flatten(given)
        types = tuple(map(_type_of, leaves))
        if None in types:
            return None
        return _Call(static, given, leaves, tree, types, _settings())

    def _program(self, call: "_Call") -> "_Program | None":
        """Returns the program of a call, traced or read; None if it cannot be kept."""
        key = (tuple(call.static.items()), call.tree, call.types, call.settings)
        with self._lock:
            if key not in self._programs:
                self._programs[key] = self._make(call)
            return self._programs[key]

    def _make(self, call: "_Call") -> "_Program | None":
        folder = store.folder()
        assert folder is not None, "see `is_on`"
        try:
            path = folder / f"{self._key(call)}{store.SUFFIX}"
        except NoIdentity:
            return None
        name = self._text(call) or self._function.__qualname__
        if entry := store.read(path, name):
            try:
                exported = jax.export.deserialize(bytearray(entry.program))
                tree: Any = jax.tree.structure(tree_texts.read(entry.result))
                if tree.num_leaves != len(exported.out_avals):
                    raise ValueError("its result has another structure")
            # What another version has written makes flatbuffers answer with many types of error.
            except Exception as error:
                store.tell_damaged(path, name, error)
            else:
                return self._compiled(call, exported, tree)
        return self._traced(call, path)

    def _traced(self, call: "_Call", path: Any) -> "_Program | None":
        """Returns a program that is traced now, and writes it."""
        results = []

        def flat(*leaves: Any) -> Sequence[Any]:
            given = {**call.static, **call.tree.unflatten(leaves)}
            bound = inspect.BoundArguments(self._signature, given)
            result: Any = self._function(*bound.args, **bound.kwargs)
            results.append(tree_texts.write(result))
            return jax.tree.leaves(result)

        shapes = [jax.ShapeDtypeStruct(*_shape(leaf)) for leaf in call.leaves]
        flat.__name__ = self._function.__name__
        try:
            exported = jax.export.export(jax.jit(flat))(*shapes)
            program = bytes(exported.serialize())
        # What the function raises, the plain program raises again. What JAX cannot export, such as
        # calls of host functions, it says with several types of error.
        except Exception:
            return None
        result = results[0]
        tree = jax.tree.structure(tree_texts.read(result))
        store.write(path, store.Entry(program, result))
        # A program that was read is most likely compiled already, and takes a moment.
        compilation_cache.expect(len(program) / BYTES_A_SECOND)
        return self._compiled(call, exported, tree)

    def _compiled(self, call: "_Call", exported: Any, tree: Any) -> "_Program":
        def run(*leaves: Any) -> Any:
            return exported.call(*leaves)

        run.__name__ = self._function.__name__
        numbers: list[int] = []
        first = 0
        for name in sorted(call.given):  # the order of the leaves of a dictionary
            count = len(jax.tree.leaves(call.given[name]))
            if name in self._donated:
                numbers += range(first, first + count)
            first += count
        return _Program(jax.jit(run, donate_argnums=tuple(numbers)), tree)

    def _key(self, call: "_Call") -> str:
        """Returns the digest of all that decides what is traced.

        Raises:
            NoIdentity: if something cannot be told by a text, or a source is not known.
        """
        structure = call.tree.unflatten([0] * len(call.leaves))
        return key_of(self._function, call.static, self._donated, structure, call.types)


class _Call(NamedTuple):
    """What a call asks for."""

    static: dict[str, Any]
    given: dict[str, Any]  # the other arguments
    leaves: list[Any]
    tree: Any  # structure of `given`
    types: tuple[Any, ...]  # of the leaves
    settings: tuple[Any, ...]


class _Program(NamedTuple):
    """A compiled program of flat arrays."""

    run: Flat
    tree: Any  # structure of its result


def key_of(*values: Any) -> str:
    """Returns the digest of values and of all else that decides what is traced of them.

    Raises:
        NoIdentity: if something cannot be told by a text, or a source is not known.
    """
    identities = Identities()
    parts = [
        identities.of(values),
        repr(_all_settings()),
        f"{jax.default_backend()} {jax.devices()[0].device_kind} {jax.device_count()}",
        sources.digest(identities.modules),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_on() -> bool:
    """Returns whether programs are kept: there are a folder and the package that writes them."""
    config: Any = jax.config
    return _can_export() and store.folder() is not None and not config.jax_disable_jit


@functools.cache
def _can_export() -> bool:
    return importlib.util.find_spec("flatbuffers") is not None


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _type_of(leaf: Any) -> tuple[Any, ...] | None:
    """Returns shape and type of an argument; None if programs with such a one are not kept."""
    if isinstance(leaf, jax.core.Tracer):
        return None
    if isinstance(leaf, jax.Array):
        devices: Any = leaf.sharding.device_set
        if getattr(leaf, "weak_type", False) or len(devices) != 1:
            return None
        if next(iter(devices)).platform != jax.default_backend():
            return None
    elif not hasattr(leaf, "dtype"):  # a number of Python, whose type gives way to others
        return None
    return tuple(map(str, _shape(leaf)))


def _shape(leaf: Any) -> tuple[Any, Any]:
    """Returns shape and type that JAX gives an array."""
    return leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype, allow_extended_dtype=True)


def _settings() -> tuple[Any, ...]:
    return tuple(getattr(jax.config, name) for name in _SETTINGS)


def _all_settings() -> dict[str, str]:
    """Returns all settings of JAX but those that say what is told, or kept where."""
    return {
        name: str(value)
        for name, value in sorted(jax.config.values.items())
        if not any(word in name for word in _WITHOUT_EFFECT)
    }
