"""The tests that mctx ships in its wheel, run against our functions instead of its own.

`EXCEPTIONS` lists tests that our functions need not pass, each with the reason.
"""

import importlib.util
import sys
import types
import unittest
from pathlib import Path

import jax
import pytest

import jaxgames.search.mctx as ours
from jaxgames.search.mctx import policies, qtransforms
from jaxgames.search.tree.gumbel import halving_table

FOLDER = Path(importlib.util.find_spec("mctx").origin).parent / "_src" / "tests"
FILES = ("mctx_test", "policies_test", "qtransforms_test", "seq_halving_test", "tree_test")
EXCEPTIONS: dict[str, str] = {}
SLOW = (
    *("test_tree_gumbel_muzero_norescale", "test_tree_muzero_norescale"),
    *("test_tree_muzero_qtransform", "test_stochastic_muzero_policy"),
    "test_tree_gumbel_muzero_reward",
)
NUMBER = 23  # of tests in mctx 0.0.71


def considered_visits(max_num_considered_actions, num_simulations):
    row = halving_table(max_num_considered_actions, num_simulations)[-1]
    return tuple(row.tolist())


def our_modules():
    """Returns our functions under the names of mctx's modules."""
    private = types.ModuleType("mctx._src")
    private.policies = policies
    private.qtransforms = qtransforms
    private.seq_halving = types.SimpleNamespace(get_sequence_of_considered_visits=considered_visits)
    return {"mctx": ours, "mctx._src": private}


def load(name):
    """Returns a test module of mctx whose `mctx` is ours."""
    path = FOLDER / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"ours_{name}", path)
    module = importlib.util.module_from_spec(spec)
    is_partitionable = jax.config.jax_threefry_partitionable
    with pytest.MonkeyPatch.context() as patch:
        for replaced, by in our_modules().items():
            patch.setitem(sys.modules, replaced, by)
        spec.loader.exec_module(module)
    jax.config.update("jax_threefry_partitionable", is_partitionable)
    return module


def cases():
    for name in FILES:
        loader = unittest.defaultTestLoader
        for suite in loader.loadTestsFromModule(load(name)):
            yield from suite


def parameter(case):
    name = case.id().rsplit(".", 1)[-1]
    return pytest.param(case, id=name, marks=[pytest.mark.slow] if name in SLOW else [])


CASES = list(cases())


@pytest.mark.parametrize("case", [parameter(case) for case in CASES])
def test_mctx_test_passes_with_our_functions(case, monkeypatch):
    name = case.id().rsplit(".", 1)[-1]
    if name in EXCEPTIONS:
        pytest.skip(EXCEPTIONS[name])
    monkeypatch.chdir(FOLDER.parents[1])  # recorded trees are found from a folder beside mctx's
    before = jax.config.jax_threefry_partitionable
    jax.config.update("jax_threefry_partitionable", False)
    try:
        result = case.run()
    finally:
        jax.config.update("jax_threefry_partitionable", before)
    problems = [text for _, text in result.errors + result.failures]
    assert result.testsRun == 1 and not problems, "\n".join(problems)


def test_all_tests_are_found_and_few_are_exceptions():
    assert len(CASES) >= NUMBER
    assert len(EXCEPTIONS) <= 0.05 * len(CASES)


def test_the_tests_see_our_functions():
    assert load("policies_test").mctx is ours
    assert load("qtransforms_test").qtransforms is qtransforms
