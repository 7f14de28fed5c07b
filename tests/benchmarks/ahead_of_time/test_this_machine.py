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


@pytest.mark.parametrize(
    ("kind", "chip"),
    [("NVIDIA H100 80GB HBM3", H100), ("NVIDIA H200", H200), ("TPU v5 lite", V5E)],
)
def test_a_known_chip_has_the_constants_of_its_maker(chip_of, kind, chip):
    assert chip_of(kind) == chip


@pytest.mark.parametrize(
    "kind",
    ["NVIDIA GH200 480GB", "NVIDIA H100 PCIe", "NVIDIA H100 NVL", "NVIDIA H100 80GB HBM3 MIG 1g"],
)
def test_a_chip_with_a_similar_name_is_measured(chip_of, kind):
    chip = chip_of(kind, "gpu", {"bytes_limit": 5e9})
    assert chip.operations_from == "measured"
    assert (chip.memory_bytes, chip.bytes_per_second) == (5e9, 3e9)
    assert (chip.flops_per_second, chip.products) == (2e12, "bfloat16")


def test_a_cpu_has_the_memory_of_the_machine_and_products_of_float32(chip_of):
    chip = chip_of("cpu", "cpu")
    assert chip.memory_bytes == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert (chip.flops_per_second, chip.products) == (1e12, "float32")


def test_a_device_that_does_not_say_its_memory_has_none_invented(chip_of):
    assert chip_of("some chip").memory_bytes == math.inf
