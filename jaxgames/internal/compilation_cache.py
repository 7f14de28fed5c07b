"""JAX's persistent cache of compiled programs, set in one way by every command.

The programs of the large games take up to minutes to compile. The cache keeps them in a folder, and
the next start of a command loads them.
"""

import contextlib
import contextvars
import functools
import os
import pathlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from jaxgames.internal import files

VARIABLE = "JAXGAMES_COMPILATION_CACHE"
"""Environment variable: a folder, or `off`."""
OFF = "off"
LONG_SECONDS = 5.0  # a compilation that takes longer is announced
_LOWERED = "/jax/core/compile/jaxpr_to_mlir_module_duration"  # the step before compiling


def default_folder() -> pathlib.Path:
    """Returns the folder of a user's caches, by the conventions of the operating system."""
    if sys.platform == "win32":
        base = pathlib.Path(os.environ.get("LOCALAPPDATA", pathlib.Path.home() / "AppData/Local"))
    elif sys.platform == "darwin":
        base = pathlib.Path.home() / "Library/Caches"
    else:
        base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return base / "jaxgames" / "compiled"


def folder_of(choice: str | None) -> pathlib.Path | None:
    """Returns the folder of an option, else the folder of the environment, else the default.

    Args:
        choice: the value of the option: a folder, `off`, or None.

    Returns:
        The folder; None if the cache is off, or JAX's own variable has chosen one.
    """
    if choice is None and os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return None  # JAX reads it itself
    chosen = choice or os.environ.get(VARIABLE) or str(default_folder())
    return None if chosen == OFF else pathlib.Path(chosen).expanduser()


def enable(choice: str | None = None) -> pathlib.Path | None:
    """Sets JAX's cache for this process; call it before the first compilation.

    JAX itself is not imported: if it is not loaded yet, it reads its settings from the environment.

    Args:
        choice: a folder, `off`, or None for the environment's or the default folder.

    Returns:
        The folder, or None if JAX's own settings stay in force. If nobody has chosen a folder and
        the default one cannot be written, a line says so and nothing is kept.

    Raises:
        ValueError: if a chosen folder cannot be made or written.
    """
    folder = folder_of(choice)
    if folder is None:
        if choice == OFF or (choice is None and os.environ.get(VARIABLE) == OFF):
            _set("jax_enable_compilation_cache", False)
        return None
    try:
        files.make_folder("compilation cache", folder)
        files.check_writable("compilation cache", folder / "entry")
    except (OSError, ValueError) as error:
        if not choice and not os.environ.get(VARIABLE):
            print(f"compiled programs are not kept: cannot write to {folder}", file=sys.stderr)
            return None
        raise ValueError(
            f"compilation cache: cannot write to {folder} ({error}); name another folder, or "
            f"switch the cache off with --compilation-cache={OFF}"
        ) from error
    _set("jax_compilation_cache_dir", str(folder))
    return folder


def _set(name: str, value: Any) -> None:
    """Sets an option of JAX, whether JAX is loaded or not."""
    os.environ[name.upper()] = str(value)
    if "jax" in sys.modules:
        sys.modules["jax"].config.update(name, value)


class Purpose:
    """What the programs of a thread are for, at the moment."""

    def __init__(self, text: str, tell: Callable[[float], None] | None = None) -> None:
        self.text = text
        self.seconds: float | None = None
        """About how long the compilation takes; None: not known."""
        self.tell = tell
        """Receives these seconds once they are known."""


_purpose: contextvars.ContextVar[Purpose | None] = contextvars.ContextVar("purpose", default=None)


@contextlib.contextmanager
def purpose(text: str, tell: Callable[[float], None] | None = None) -> Iterator[None]:
    """Names what is compiled in a block, in the words of a person: `"self-play of onitama"`.

    Of blocks inside each other the outermost one counts. An empty text names nothing.

    Args:
        text: the words.
        tell: receives about how many seconds a compilation takes, before it begins.
    """
    if not text or _purpose.get() is not None:
        yield
        return
    token = _purpose.set(Purpose(text, tell))
    try:
        yield
    finally:
        _purpose.reset(token)


def expect(seconds: float) -> None:
    """Says about how long the next compilation of this block takes; a short one is not told."""
    current = _purpose.get()
    if current is not None and seconds > LONG_SECONDS:
        current.seconds = seconds
        if current.tell is not None:
            current.tell(seconds)


class _Announcer:
    """Prints a line when a compilation takes long, so that the program does not seem to hang."""

    def __init__(self) -> None:
        self._timers = threading.local()
        self._announced: set[str] = set()

    def __call__(self, event: str, duration_secs: float, **details: str | int) -> None:
        """Receives two events of JAX: the last step before a compilation, and the end of it."""
        del duration_secs
        timer: threading.Timer | None = getattr(self._timers, "current", None)
        if timer is not None:
            timer.cancel()
            self._timers.current = None
        if event == _LOWERED:
            current = _purpose.get() or Purpose(str(details.get("fun_name", "a program")))
            timer = threading.Timer(LONG_SECONDS, self._announce, [current])
            timer.daemon = True
            self._timers.current = timer
            timer.start()

    def _announce(self, current: Purpose) -> None:
        if current.text not in self._announced:
            self._announced.add(current.text)
            print(announcement(current), file=sys.stderr, flush=True)


def announcement(current: Purpose) -> str:
    """Returns the line that tells of a long compilation."""
    import jax

    about = "a while"
    if current.seconds is not None:
        about = f"about {_round(current.seconds)} s"
    folder = getattr(jax.config, "jax_compilation_cache_dir", None)
    kept = f", once: it is kept in {folder}" if folder else ""
    return f"compiling {current.text}, {about}{kept}"


def _round(seconds: float) -> int:
    """Returns seconds as they are told: no estimate is better than 10 s."""
    return max(10, round(seconds / 10) * 10)


@functools.cache
def announce_long_compilations() -> None:
    """Prints a line on standard error for each compilation of more than `LONG_SECONDS`."""
    from jax import monitoring

    monitoring.register_event_duration_secs_listener(_Announcer())
