"""Devices and processes: one mesh with one axis, `data`; a single device is the mesh of size one.

Data of lanes (games, replay, keys) is split along the axis; parameters are on all devices.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import Array, PRNGKeyArray

from configs.training import ClusterConfig
from jaxgames import jax_modes

AXIS = "data"
SPLIT = P(AXIS)
COPIED = P()


def initialize_distributed(cluster: ClusterConfig) -> None:
    """Joins the processes of a run; must come before anything that touches a device.

    Without addresses JAX asks the cluster's environment (Slurm, Kubernetes, Cloud TPU, ...).
    """
    jax.distributed.initialize(
        coordinator_address=cluster.coordinator,
        num_processes=cluster.num_processes,
        process_id=cluster.process_id,
    )


def use_cpu_devices(number: int) -> None:
    """Divides a CPU into that many devices, unless this process has used a device already."""
    with contextlib.suppress(RuntimeError):
        jax.config.update("jax_num_cpu_devices", number)


def device_class() -> str:
    """Returns the preset that fits the machine: `cpu`, `accelerator` or `many`."""
    if jax.default_backend() == "cpu":
        return "cpu"
    return "many" if jax.device_count() > 1 else "accelerator"


def is_main_process() -> bool:
    """Returns whether this process writes logs and files."""
    return jax.process_index() == 0


def make_mesh() -> Mesh:
    """Returns the mesh of all devices of all processes, with the axis `data`."""
    # `make_mesh` defaults to explicit axes, under which ordinary indexing of game code fails.
    return jax.make_mesh((jax.device_count(),), (AXIS,), axis_types=(AxisType.Auto,))


def replicated(mesh: Mesh) -> NamedSharding:
    """Returns the sharding of arrays that every device holds in full."""
    return NamedSharding(mesh, COPIED)


def by_lane(mesh: Mesh) -> NamedSharding:
    """Returns the sharding of arrays whose leading axis is split over the devices."""
    return NamedSharding(mesh, SPLIT)


def check_divisible(name: str, value: int, mesh: Mesh) -> int:
    """Returns the share of each device.

    Raises:
        ValueError: if `value` cannot be split evenly; names the nearest values that can.
    """
    share, rest = divmod(value, mesh.size)
    if rest:
        choices = [n * mesh.size for n in (share, share + 1) if n]
        near = " or ".join(str(choice) for choice in choices)
        raise ValueError(
            f"{name} must be a multiple of the number of devices ({mesh.size}), got {value}; "
            f"nearest: {near}"
        )
    return share


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


def any_process(flag: bool) -> bool:
    """Returns whether the flag is set in any process; all processes must call it together."""
    if jax.process_count() == 1:
        return flag
    return bool(multihost_utils.process_allgather(np.asarray(flag)).any())


def to_host(tree: Any) -> Any:
    """Returns global arrays as NumPy arrays; all processes must call it together."""
    return jax.tree.map(_to_host, tree)


def _to_host(leaf: Array) -> np.ndarray:
    if leaf.is_fully_addressable or leaf.is_fully_replicated:
        return np.asarray(leaf)
    return np.asarray(multihost_utils.process_allgather(leaf, tiled=True))
