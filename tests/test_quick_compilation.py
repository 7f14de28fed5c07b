"""Settings of XLA that come and go with its releases stand in few files, for those that know them.

That the installed release knows the flags is shown by every test: `conftest.py` sets them.
"""

import re

import jax
import jax.numpy as jnp

from tests import quick_compilation
from tests.locations import CHECKOUT

ROOTS = ("agents", "benchmarks", "configs", "examples", "jaxgames", "papers", "tests", "train")
OF_A_BACKEND = re.compile(r"xla_(cpu|gpu|llvm|tpu)_\w+")


def test_no_other_file_names_a_setting_of_a_backend():
    files = [path for root in ROOTS for path in (CHECKOUT / root).rglob("*.py")]
    files.append(CHECKOUT / "conftest.py")
    naming = {path for path in files if OF_A_BACKEND.search(path.read_text("utf-8"))}
    # The mark of one kernel is no setting: a release that does not know it passes over it.
    marks = {"one_kernel.py", "test_one_kernel.py"}
    assert {path.name for path in naming} == {"quick_compilation.py", *marks}


def test_installed_release_knows_the_options():
    add_one = jax.jit(lambda x: x + 1, compiler_options=quick_compilation.NEWER_FUSIONS)
    assert add_one(jnp.int32(1)) == 2
