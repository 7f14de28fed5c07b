"""Mesh, keys and numbers of devices, on however many devices the process has."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType

from jaxgames.internal import devices


@pytest.fixture(scope="module")
def mesh():
    return devices.make_mesh()


def test_mesh_has_one_automatic_axis_over_all_devices(mesh):
    assert mesh.axis_names == ("data",)
    assert mesh.size == jax.device_count()
    assert mesh.axis_types == (AxisType.Auto,)


def test_each_device_has_its_own_key_that_depends_on_nothing_else(mesh):
    own_key = devices.on_each_device(
        lambda key: devices.device_key(key)[None], mesh, devices.COPIED, devices.SPLIT
    )
    key = jax.random.key(5)
    wanted = jax.vmap(lambda i: jax.random.fold_in(key, i))(jnp.arange(mesh.size))
    assert (jax.jit(own_key)(key) == wanted).all()


def test_cpu_is_not_divided_once_a_device_was_used_or_if_a_flag_divides_it(monkeypatch):
    before = jax.config.jax_num_cpu_devices
    assert jax.devices()
    devices.use_cpu_devices(7)
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=3")
    devices.use_cpu_devices(7)
    assert jax.config.jax_num_cpu_devices == before


@pytest.mark.parametrize(
    ("sizes", "most", "least_share", "number"),
    [([12], 8, 1, 6), ([12, 8], 8, 1, 4), ([7], 4, 1, 1), ([64], 8, 16, 4), ([1], 1, 1, 1)],
)
def test_largest_number_of_devices_divides_all_sizes(sizes, most, least_share, number):
    assert devices.largest_divisor(sizes, most, least_share) == number


def test_a_process_has_a_core():
    assert devices.num_cores() >= 1
