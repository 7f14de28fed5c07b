"""Games and searches on split arrays: they run on automatic axes, and refuse explicit ones."""

import os
import subprocess
import sys

from tests.locations import CHECKOUT


def test_split_arrays_are_taken_on_automatic_axes_and_refused_on_explicit_ones():
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    environment = os.environ | {"XLA_FLAGS": flags, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.jaxgames.mesh_program"],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    automatic, explicit = done.stdout.split("== Explicit")
    lines = automatic.splitlines()[1:]
    assert lines and all(line.endswith(" ok") for line in lines), automatic
    refused = explicit.strip().splitlines()
    message = "ValueError an array is on a mesh whose axis 'games' is explicit"
    assert len(refused) == len(lines) and all(message in line for line in refused), explicit
    assert all("axis_types=(AxisType.Auto,)" in line for line in refused)
