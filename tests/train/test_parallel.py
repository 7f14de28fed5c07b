"""Devices and processes of a training."""

import dataclasses
import json

import jax
import pytest

from configs.alphazero import AlphaZeroConfig, LearnerConfig, SelfPlayConfig
from jaxgames.internal import devices
from train import parallel


def test_size_that_does_not_divide_is_refused_with_the_nearest_ones():
    mesh = jax.sharding.AbstractMesh((8,), ("data",))
    assert parallel.check_divisible("selfplay.lanes", 16, mesh) == 2
    with pytest.raises(ValueError, match=r"selfplay.lanes .*\(8\), got 20; nearest: 16 or 24"):
        parallel.check_divisible("selfplay.lanes", 20, mesh)
    with pytest.raises(ValueError, match="got 5; nearest: 8"):
        parallel.check_divisible("learner.batch_size", 5, mesh)


def test_one_process_decides_alone():
    assert parallel.any_process(True) is True
    assert parallel.any_process(False) is False


@pytest.mark.parametrize(
    ("lanes", "batch", "cores", "number"),
    [(128, 512, 2, 2), (128, 512, 6, 4), (128, 512, 64, 8), (24, 512, 2, 1), (48, 500, 3, 2)],
)
def test_new_run_has_a_device_for_each_core_that_it_can_keep_busy(
    tmp_path, monkeypatch, lanes, batch, cores, number
):
    config = make_config(tmp_path, lanes, batch)
    assert devices_of(config, cores, monkeypatch) == number
    distributed = dataclasses.replace(config, distributed=True)
    assert devices_of(distributed, cores, monkeypatch) == 1
    assert devices_of(dataclasses.replace(config, cpu_devices=5), cores, monkeypatch) == 5


@pytest.mark.parametrize("platform", ["cpu", "gpu"])
def test_run_goes_on_with_the_devices_that_it_has(tmp_path, monkeypatch, platform):
    config = make_config(tmp_path, 128, 512)
    record = {"run": {"devices.platform": platform, "devices.count": 4}, "sessions": []}
    (tmp_path / "record.json").write_text(json.dumps(record))
    assert devices_of(config, 2, monkeypatch) == (4 if platform == "cpu" else 2)


def make_config(folder, lanes: int, batch: int) -> AlphaZeroConfig:
    return AlphaZeroConfig(
        game="onitama",
        run_dir=str(folder),
        selfplay=SelfPlayConfig(lanes=lanes),
        learner=LearnerConfig(batch_size=batch),
    )


def devices_of(config, cores: int, monkeypatch) -> int:
    """Returns the number of devices that a CPU with so many cores is divided into."""
    chosen: list[int] = []
    monkeypatch.setattr(devices, "num_cores", lambda: cores)
    monkeypatch.setattr(devices, "use_cpu_devices", chosen.append)
    parallel.use_cpu_devices(config)
    return chosen[0]
