"""The constants of this machine's device."""

import math
import os

import pytest

from benchmarks import limits
from benchmarks.ahead_of_time import this_machine
from benchmarks.ahead_of_time.targets import H100, H200, V5E


class Device:
    """A device of JAX."""

    def __init__(self, kind: str, platform: str = "gpu", stats: dict | None = None):
        self.device_kind = kind
        self.platform = platform
        self.memory_stats = lambda: stats


@pytest.fixture
def chip_of(monkeypatch):
    """Returns the function from a device to its constants; nothing is measured."""
    speeds = {"float32": 1e12, "bfloat16": 2e12}
    monkeypatch.setattr(limits, "measure_limits", lambda: limits.Limits(3e9, 4e9))
    monkeypatch.setattr(this_machine, "_products_per_second", speeds.__getitem__)

    def chip(*device):
        monkeypatch.setattr(this_machine, "device", lambda: Device(*device))
        return this_machine.chip()

    return chip


# The device, and some of its constants: those of the maker, or measured ones.
GPU = ("gpu", {"bytes_limit": 5e9})
MEASURED = {
    "operations_from": "measured", "memory_bytes": 5e9, "bytes_per_second": 3e9,
    "flops_per_second": 2e12, "products": "bfloat16",
}  # fmt: skip
CHIPS = [
    (("NVIDIA H100 80GB HBM3",), H100._asdict()),
    (("NVIDIA H200",), H200._asdict()),
    (("TPU v5 lite",), V5E._asdict()),
    (("NVIDIA GH200 480GB", *GPU), MEASURED),
    (("NVIDIA H100 PCIe", *GPU), MEASURED),
    (("NVIDIA H100 NVL", *GPU), MEASURED),
    (("NVIDIA H100 80GB HBM3 MIG 1g", *GPU), MEASURED),
    (
        ("cpu", "cpu"),
        {
            "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "flops_per_second": 1e12,
            "products": "float32",
        },
    ),
    (("some chip",), {"memory_bytes": math.inf}),
]


@pytest.mark.parametrize(("device", "constants"), CHIPS)
def test_a_chip_has_the_constants_of_its_maker_or_measured_ones(chip_of, device, constants):
    assert constants.items() <= chip_of(*device)._asdict().items()
