"""The code that the documentation shows does what it says."""

import importlib.util
import pathlib
import re
import sys
import types

import jax
import jax.numpy as jnp
import pytest

import jaxgames
from jaxgames import testing
from jaxgames.env import Env
from tests.locations import CHECKOUT


def python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (CHECKOUT / name).read_text(), re.DOTALL)


def run_as_module(source: str, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    path = folder / "example.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("documentation_example", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "documentation_example", module)
    spec.loader.exec_module(module)
    return module


def test_readme_example_steps_a_batch_of_games():
    (source,) = python_blocks("README.md")
    example = types.SimpleNamespace()
    exec(source, vars(example))
    assert example.state.step_count.tolist() == [1] * 1024
    assert not example.state.truncated.any()


def test_quick_start_runs_and_every_random_game_ends(tmp_path, monkeypatch, capsys):
    example = run_as_module("\n".join(python_blocks("docs/quickstart.md")), tmp_path, monkeypatch)
    assert example.final.terminated.all()
    assert 0.45 < jnp.mean(example.final.rewards[:, 0] > 0) < 0.55
    position, move = capsys.readouterr().out.splitlines()[-2:]
    assert example.env.state_to_text(example.env.text_to_state(position)) == position
    assert example.env.text_to_action(example.state, move) == example.action


def test_nim_of_the_guide_conforms_and_the_last_stone_wins(tmp_path, monkeypatch):
    nim = run_as_module(python_blocks("docs/adding_a_game.md")[0], tmp_path, monkeypatch)
    testing.check_rules(nim.Nim())
    env = Env("nim", nim.Nim())
    step = jax.jit(env.step)
    state = env.init(jax.random.key(0))
    for key in jax.random.split(jax.random.key(1), nim.Nim.max_steps):
        mover = int(state.current_player)
        state = step(state, env.sample_action(state, key))
        if state.terminated:
            break
    assert state.terminated
    assert int(state.rewards[mover]) == 1
    assert float(state.rewards.sum()) == 0


def test_citation_names_the_version_of_the_package():
    citation = (CHECKOUT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == jaxgames.__version__
