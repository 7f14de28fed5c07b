"""Work that is divided among devices: one mesh with one axis, `data`, that splits the games.

A single device is the mesh of size one. Each device works on its own part by itself and draws from
a random key of its own, so results depend on the number of devices, and on nothing else about them.
"""

import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P
from jaxtyping import PRNGKeyArray

from jaxgames.internal import jax_modes, jax_settings

AXIS = "data"
SPLIT = P(AXIS)
COPIED = P()


def num_cores() -> int:
    """Returns the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_cpu_devices(number: int) -> None:
    """Divides a CPU into that many devices.

    XLA computes a convolution of one device on one core, so several devices keep all cores busy.
    Nothing changes if this process has used a device already, or if `XLA_FLAGS` sets the number.
    """
    if jax_settings.DEVICE_COUNT_FLAG in os.environ.get("XLA_FLAGS", ""):
        return
    with contextlib.suppress(RuntimeError):
        jax.config.update("jax_num_cpu_devices", number)


def largest_divisor(sizes: Sequence[int], most: int, least_share: int = 1) -> int:
    """Returns the largest number of devices, up to `most`, that divides all sizes.

    Args:
        sizes: the sizes that are split.
        most: the devices that there are.
        least_share: the least part of the first size that keeps a device busy.
    """
    fitting = (
        number
        for number in range(most, 1, -1)
        if sizes[0] >= number * least_share and not any(size % number for size in sizes)
    )
    return next(fitting, 1)


def make_mesh(devices: Sequence[jax.Device] | None = None) -> Mesh:
    """Returns the mesh of the devices, by default all of all processes, with the axis `data`."""
    # `make_mesh` defaults to explicit axes, under which ordinary indexing of game code fails.
    chosen = jax.devices() if devices is None else devices
    return jax.make_mesh((len(chosen),), (AXIS,), axis_types=(AxisType.Auto,), devices=chosen)


def on_each_device(
    function: Callable[..., Any], mesh: Mesh, in_specs: Any, out_specs: Any
) -> Callable[..., Any]:
    """Returns `function` run by every device on its own part (`SPLIT`) or on all of it (`COPIED`).

    Varying-axis checks are off: the loops of mctx start from values that do not vary.
    """
    return jax.shard_map(
        jax_modes.standard(function),
        mesh=mesh,
        in_specs=in_specs,
        out_specs=out_specs,
        check_vma=False,
    )


def device_key(key: PRNGKeyArray) -> PRNGKeyArray:
    """Returns this device's own key; for functions under `on_each_device`."""
    return jax.random.fold_in(key, jax.lax.axis_index(AXIS))
