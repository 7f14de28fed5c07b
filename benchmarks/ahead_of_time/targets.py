"""What is compiled for which accelerators, with the constants of the time model.

Peak numbers are from the makers' data sheets (dense bfloat16 products, bandwidth of the main
memory, and bandwidth of a chip's links to others in one direction). Seconds for each kernel are
assumptions: the time between two small kernels of one program. Operations on elements are assumed
for TPUs (their vector units at full speed) and follow for GPUs from random play of Onitama and
Murus Gallicus on an H200.
"""

import os
from importlib import metadata
from typing import Any, NamedTuple

from jaxgames.internal.messages import unknown

PROGRAMS = (
    "init", "step", "random play, lean", "random play, full", "network", "search", "self-play",
    "learning", "evaluation", "afterstate play", "afterstate learning",
)  # fmt: skip
WHERE_ASKED = ("one position", "one position, side by side", "model search")
"""Programs that are compiled where they are asked for: real time is for games without chance, and
the search of MuZero is that of `search` with a model instead of the rules."""
OF_BATCH = PROGRAMS[:4]
"""Programs whose size is the batch of random play; a preset gives the sizes of the others."""

HERE = "here"
"""The name that stands for the devices of this machine, on which the programs also run."""
NOT_INSTALLED = "its compiler is not installed"
"""Part of the message about a target whose compiler is missing."""


class Chip(NamedTuple):
    """What the time model knows about a chip."""

    memory_bytes: float
    bytes_per_second: float  # of the main memory
    flops_per_second: float  # of products of matrices
    operations_per_second: float  # on single elements
    kernel_seconds: float  # assumed
    operations_from: str = "assumed"  # or `fitted` to random play on an H200, or `measured`
    link_bytes_per_second: float | None = None  # to other chips; None if it is used alone
    products: str = "bfloat16"  # the type of the matrices


class Target(NamedTuple):
    """Devices to compile for."""

    name: str
    platform: str
    topology: str
    num_devices: int
    chip: Chip
    environment: dict[str, str]
    """Variables that must be set before JAX starts."""


V5E = Chip(16e9, 819e9, 197e12, 6e12, 1e-6, link_bytes_per_second=200e9)
V6E = Chip(32e9, 1640e9, 918e12, 7e12, 1e-6, link_bytes_per_second=448e9)
H100 = Chip(80e9, 3352e9, 989e12, 13e12, 2.5e-6, "fitted")
H200 = Chip(141e9, 4800e9, 989e12, 13e12, 2.5e-6, "fitted")

# Compiling takes no device, so several processes may load the library of TPUs at once.
_TPU = {
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
}
_GPU = {"CUDA_VISIBLE_DEVICES": "-1"}


def _tpu(name: str, topology: str, devices: int, chip: Chip, kind: str) -> Target:
    variables = _TPU | {"TPU_ACCELERATOR_TYPE": kind}
    return Target(name, "tpu", topology, devices, chip, variables)


TARGETS = {
    target.name: target
    for target in (
        _tpu("v5e", "v5e:2x2", 1, V5E, "v5litepod-4"),
        _tpu("v5e:2x2", "v5e:2x2", 4, V5E, "v5litepod-4"),
        _tpu("v5e:4x4", "v5e:4x4", 16, V5E, "v5litepod-4"),
        _tpu("v6e", "v6e:2x2", 1, V6E, "v6e-4"),
        _tpu("v6e:2x2", "v6e:2x2", 4, V6E, "v6e-4"),
        Target("h100", "cuda", "", 1, H100, _GPU),
    )
}

# The public description of an H100 SXM with 80 GB, in the text form that XLA reads.
H100_DESCRIPTION = """
gpu_device_info {
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: 233472
  threads_per_core_limit: 2048
  core_count: 132
  fpus_per_core: 128
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000
  l2_cache_size: 52428800
  clock_rate_ghz: 1.98
  device_memory_size: 84978434048
  shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 7 }
runtime_version { major: 12 minor: 8 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""


def check(name: str) -> str:
    """Returns the name of a target.

    Raises:
        ValueError: if there is none of this name; names the nearest.
    """
    if name not in (*TARGETS, HERE):
        raise ValueError(unknown("target", name, (*TARGETS, HERE)))
    return name


def set_environment(target: Target) -> None:
    """Sets the variables of a target; call it before JAX is imported."""
    os.environ.update(target.environment)
    os.environ["JAX_PLATFORMS"] = "cpu"


def devices(target: Target) -> list[Any]:
    """Returns the devices of a target, which can be compiled for and nothing else.

    Raises:
        ValueError: if the compiler of the target is not installed.
    """
    from jax.experimental import topologies

    keywords: dict[str, Any] = {}
    if target.platform == "cuda":
        keywords = {"topology": "1x1x1", "target_config": H100_DESCRIPTION}
    try:
        found = topologies.get_topology_desc(
            platform=target.platform, topology_name=target.topology, **keywords
        )
    except Exception as error:  # of many types: no plugin, no library, an unknown topology
        reason = f"cannot compile for {target.name}: {_first_line(error)}"
        if not _is_installed(target.platform):
            reason += f"; {NOT_INSTALLED}: pip install 'jaxgames[{target.platform}]' brings it"
        raise ValueError(reason) from error
    return list(found.devices)[: target.num_devices]


def _is_installed(platform: str) -> bool:
    """Whether a package with the compiler of a platform is installed."""
    packages = {"tpu": ("libtpu",), "cuda": ("jax-cuda12-plugin", "jax-cuda13-plugin")}[platform]
    names = {name.lower() for one in metadata.distributions() if (name := one.metadata["Name"])}
    return not names.isdisjoint(packages)


def _first_line(error: Exception) -> str:
    """Returns the first line of the text of an error, or its type if it has no text."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
