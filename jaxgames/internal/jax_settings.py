"""The settings of JAX that decide results: what runs and matches record, to go on under the same.

`RECORDED` names them as JAX does. The flags of XLA may change the last digits of results; they are
recorded as well, but a difference is only reported.
"""

import os
from typing import Any

RECORDED: dict[str, Any] = {
    "jax_default_prng_impl": "threefry2x32",
    "jax_threefry_partitionable": True,
    "jax_random_seed_offset": 0,
    "jax_enable_x64": False,
    "jax_default_matmul_precision": None,
}
"""The settings, with JAX's defaults. Records without a setting were written under its default."""

DEVICE_COUNT_FLAG = "--xla_force_host_platform_device_count"


def current() -> dict[str, Any]:
    """Returns the value of each recorded setting in this process, as JSON gives it back."""
    import jax  # here, since the table of settings is wanted without it

    return {name: getattr(jax.config, name) for name in RECORDED}


def xla_flags() -> str:
    """Returns the flags of XLA in this process, sorted, but for the number of devices."""
    flags = os.environ.get("XLA_FLAGS", "").split()
    return " ".join(sorted(flag for flag in flags if flag.partition("=")[0] != DEVICE_COUNT_FLAG))


def xla_flags_changed(before: Any) -> str | None:
    """Returns how the flags of XLA differ from those of a record; None if they are the same.

    Args:
        before: the recorded flags. Records of older versions have none, which says nothing.
    """
    now = xla_flags()
    if not isinstance(before, str) or before == now:
        return None
    return f"XLA_FLAGS {before!r} -> {now!r}"
