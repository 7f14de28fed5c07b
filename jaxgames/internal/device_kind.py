"""Whether a program is traced for a CPU, where what is fast on a CPU is slow on an accelerator.

The results are the same on all devices. A CPU computes what few games of a batch need in small
groups, and small values before the loops that use them. An accelerator computes a few operations
for all games in less time than it takes to start another kernel or to look whether a loop goes on.
"""

import contextlib
import contextvars
from collections.abc import Iterator

import jax

MOST_CONCATENATED = 8
"""Arrays that XLA on a CPU computes inside of their concatenation; of more, each costs a kernel of
its own before it."""
_ASSUMED: contextvars.ContextVar[str | None] = contextvars.ContextVar("assumed", default=None)


def is_cpu() -> bool:
    """Returns whether what is traced now will run on a CPU: JAX's default, or what is assumed."""
    return _platform() == "cpu"


def is_tpu() -> bool:
    """Returns whether what is traced now will run on a TPU."""
    return _platform() == "tpu"


def _platform() -> str:
    return _ASSUMED.get() or jax.default_backend()


@contextlib.contextmanager
def assumed(platform: str) -> Iterator[None]:
    """Traces for another platform than JAX's default, to compile for devices that are not here.

    A function that JAX has traced before stays as it is.

    Args:
        platform: `"cpu"`, `"cuda"`, `"tpu"` or another name of JAX.
    """
    token = _ASSUMED.set(platform)
    try:
        yield
    finally:
        _ASSUMED.reset(token)
