"""The public face of `jaxgames.search`: its example runs, and its names are found on first use."""

import inspect
import subprocess
import sys
import textwrap
import types

import jax.numpy as jnp
import pytest

from jaxgames import search
from jaxgames.search.evaluators.uniform import Uniform
from tests.turn_nim import TurnNim


def test_example_of_the_documentation_decides_a_batch_of_games():
    lines = inspect.getdoc(search).splitlines()
    source = textwrap.dedent("\n".join(line for line in lines if line.startswith("    ")))
    example = types.SimpleNamespace()
    exec(source, vars(example))
    decision, games = example.decision, len(example.decision.action)
    assert example.gumbel.simulations == 64 and games > 1
    assert decision.policy.shape == (games, example.rules.num_actions)
    assert decision.values.shape == (games, 2)
    legal = example.jax.vmap(example.rules.legal_actions)(example.states)
    assert legal[jnp.arange(games), decision.action].all()
    assert jnp.allclose(decision.policy.sum(axis=1), 1, atol=1e-4)
    assert jnp.allclose(decision.values.sum(axis=1), 0, atol=1e-4)


@pytest.mark.parametrize("name", search.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert inspect.getdoc(getattr(search, name))


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'alpha_beta'"):
        search.alpha_beta  # noqa: B018


def test_importing_the_library_imports_no_search():
    program = (
        "import sys, jaxgames\n"
        "jaxgames.make\n"
        "print([name for name in sys.modules if name == 'jaxgames.search'])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_without_mctx_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mctx", None)
    monkeypatch.delitem(sys.modules, "jaxgames.search.mctx_adapter", raising=False)
    rules = TurnNim()
    with pytest.raises(ValueError, match=r"engine=mctx needs .* pip install 'jaxgames\[mctx\]'"):
        search.gumbel_search(rules, Uniform(rules), engine="mctx")
    assert search.gumbel_search(rules, Uniform(rules)).simulations == 32
