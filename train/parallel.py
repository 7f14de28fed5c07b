"""Devices and processes of a training: who writes, which preset fits, where arrays are.

Data of lanes (games, replay, keys) is split along the axis of the mesh; parameters are on all
devices.
"""

from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jaxtyping import Array

from configs.training import ClusterConfig, TrainingConfig
from jaxgames.internal import devices
from jaxgames.internal.devices import COPIED, SPLIT
from train import run_record

LEAST_LANES = 16
"""Lanes that keep one core busy: fewer would leave most of its time to calls."""


def initialize_distributed(cluster: ClusterConfig) -> None:
    """Joins the processes of a run; must come before anything that touches a device.

    Without addresses JAX asks the cluster's environment (Slurm, Kubernetes, Cloud TPU, ...).
    """
    jax.distributed.initialize(
        coordinator_address=cluster.coordinator,
        num_processes=cluster.num_processes,
        process_id=cluster.process_id,
    )


def use_cpu_devices(config: TrainingConfig) -> None:
    """Divides a CPU into as many devices as the run has, or as fit its sizes if it is new."""
    number = config.cpu_devices or run_record.num_cpu_devices(config.directory)
    if number is None:
        # Processes that share a CPU may block each other when each has several devices.
        most = 1 if config.distributed else devices.num_cores()
        number = devices.largest_divisor(config.split_sizes, most, LEAST_LANES)
    devices.use_cpu_devices(number)


def device_class() -> str:
    """Returns the preset that fits the machine: `cpu`, `accelerator` or `many`."""
    if jax.default_backend() == "cpu":
        return "cpu"
    return "many" if jax.device_count() > 1 else "accelerator"


def is_main_process() -> bool:
    """Returns whether this process writes logs and files."""
    return jax.process_index() == 0


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


def any_process(flag: bool) -> bool:
    """Returns whether the flag is set in any process; all processes must call it together."""
    if jax.process_count() == 1:
        return flag
    return bool(multihost_utils.process_allgather(np.asarray(flag)).any())


def of_main_process(number: float) -> float:
    """Returns the number of the first process; all processes must call it together."""
    if jax.process_count() == 1:
        return number
    return float(multihost_utils.broadcast_one_to_all(np.float32(number)))


def to_host(tree: Any) -> Any:
    """Returns global arrays as NumPy arrays; all processes must call it together."""
    return jax.tree.map(_to_host, tree)


def _to_host(leaf: Array) -> np.ndarray:
    if leaf.is_fully_addressable or leaf.is_fully_replicated:
        return np.asarray(leaf)
    return np.asarray(multihost_utils.process_allgather(leaf, tiled=True))
