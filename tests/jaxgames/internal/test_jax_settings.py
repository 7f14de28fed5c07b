"""The settings of JAX that decide results are known, with JAX's own defaults."""

import json
import os
import subprocess
import sys

import jax
import pytest

from jaxgames.internal import jax_settings
from tests.locations import CHECKOUT

SHOW = (
    "import json; from jaxgames.internal import jax_settings as s; print(json.dumps(s.current()))"
)


def test_defaults_are_those_of_jax():
    variables = {n: x for n, x in os.environ.items() if not n.startswith("JAX_")}
    shown = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=CHECKOUT, env=variables, capture_output=True, check=True
    ).stdout
    assert json.loads(shown) == jax_settings.RECORDED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("jax_default_prng_impl", "rbg"),
        ("jax_threefry_partitionable", False),
        ("jax_random_seed_offset", 5),
        ("jax_enable_x64", True),
        ("jax_default_matmul_precision", "float32"),
    ],
)
def test_each_setting_is_recorded(name, value):
    before = getattr(jax.config, name)
    try:
        jax.config.update(name, value)
        assert jax_settings.current() == {**jax_settings.RECORDED, name: value}
    finally:
        jax.config.update(name, before)


def test_changed_flags_are_named_but_for_order_and_devices(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--b=1 --xla_force_host_platform_device_count=8 --a=2")
    assert jax_settings.xla_flags() == "--a=2 --b=1"
    assert jax_settings.xla_flags_changed("--a=2 --b=1") is None
    assert jax_settings.xla_flags_changed(None) is None
    assert jax_settings.xla_flags_changed("--b=1") == "XLA_FLAGS '--b=1' -> '--a=2 --b=1'"
