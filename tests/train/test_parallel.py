"""Mesh, keys and placement of data, on however many devices the process has."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType

from train import parallel


@pytest.fixture(scope="module")
def mesh():
    return parallel.make_mesh()


def test_mesh_has_one_automatic_axis_over_all_devices(mesh):
    assert mesh.axis_names == ("data",)
    assert mesh.size == jax.device_count()
    assert mesh.axis_types == (AxisType.Auto,)


def test_each_device_has_its_own_key_that_depends_on_nothing_else(mesh):
    own_key = parallel.on_each_device(
        lambda key: parallel.device_key(key)[None], mesh, parallel.COPIED, parallel.SPLIT
    )
    key = jax.random.key(5)
    wanted = jax.vmap(lambda i: jax.random.fold_in(key, i))(jnp.arange(mesh.size))
    assert (jax.jit(own_key)(key) == wanted).all()


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
