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
from docs.source_map import source_map
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
    source, _ = python_blocks("README.md")
    example = types.SimpleNamespace()
    exec(source, vars(example))
    assert example.state.step_count.tolist() == [1] * 1024
    assert not example.state.truncated.any()


def test_quick_start_runs_and_every_random_game_ends(tmp_path, monkeypatch, capsys):
    source = "\n".join(python_blocks("docs/quickstart.md")).replace("4096", "1024")
    example = run_as_module(source, tmp_path, monkeypatch)
    assert example.final.terminated.all()
    assert 0.45 < jnp.mean(example.final.rewards[:, 0] > 0) < 0.55
    assert example.rewards.shape == (100, 1024)
    position, move = capsys.readouterr().out.splitlines()[-2:]
    assert example.env.state_to_text(example.env.text_to_state(position)) == position
    assert example.env.text_to_action(example.state, move) == example.action


def test_searches_of_the_guide_decide_in_all_ways(tmp_path, monkeypatch):
    example = run_as_module("\n".join(python_blocks("docs/search.md")), tmp_path, monkeypatch)
    for found in (example.output.action_weights, example.found.policy):
        assert found.shape == (32, 4)
        assert jnp.allclose(found.sum(axis=1), 1, atol=1e-5)
    assert example.found.values.shape == (32, 3)
    assert (example.output.search_tree.summary().visit_counts.sum(axis=1) == 16).all()
    legal = jax.vmap(example.rules.legal_actions)(example.states)
    for found in (example.decision, example.choice):
        assert legal[jnp.arange(8), found.action].all()


@pytest.mark.parametrize("number", range(len(python_blocks("docs/wrappers.md"))))
def test_snippets_of_the_wrappers_run(number, tmp_path, monkeypatch):
    source = python_blocks("docs/wrappers.md")[number].replace("1024", "8")
    if "import jaxmarl" in source:
        pytest.importorskip("jaxmarl", reason="pip install 'jaxgames[jaxmarl]'")
    example = run_as_module(source, tmp_path, monkeypatch)
    assert {"reached", "rewards", "reward", "timestep", "state"} & set(vars(example))


@pytest.mark.parametrize(
    "game",
    [
        "onitama",
        pytest.param("murus_gallicus", marks=pytest.mark.slow),
        pytest.param("terra_mystica", marks=pytest.mark.slow),
        pytest.param("tribes", marks=pytest.mark.slow),
    ],
)
def test_page_of_a_game_begins_with_a_batch_of_games(game, tmp_path, monkeypatch):
    source = python_blocks(f"docs/games/{game}.md")[0].replace("1024", "8")
    assert source.count("jax.jit(jax.vmap(") == 3
    example = run_as_module(source, tmp_path, monkeypatch)
    assert example.state.step_count.tolist() == [1] * 8


@pytest.mark.slow
def test_agents_of_the_guide_meet(tmp_path, monkeypatch):
    first, own, *_ = python_blocks("docs/agents.md")
    example = run_as_module(first, tmp_path, monkeypatch)
    assert example.result.scores[0].mean > 0.8
    assert example.analysis.move
    assert run_as_module(own, tmp_path, monkeypatch).result.names == ("minimax:depth=1", "Mine")


def test_citation_names_the_last_release_of_the_changelog():
    citation = (CHECKOUT / "CITATION.cff").read_text()
    changelog = (CHECKOUT / "CHANGELOG.md").read_text()
    version, date = re.search(r"^## \[([\d.]+)\] - (\S+)$", changelog, re.MULTILINE).groups()
    assert f"\nversion: {version}\ndate-released: {date}\n" in citation
    assert jaxgames.__version__ == version or "dev" in jaxgames.__version__


PAGES = [
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    *sorted((CHECKOUT / "papers").rglob("*.md")),
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
]


MOST_WORDS = {
    "README.md": 600,
    "docs/architecture.md": 2500,
    "docs/dependencies.md": 1600,  # a table, which grows with the packages
}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(CHECKOUT).as_posix())
def test_pages_are_short(page):
    if page.parent.name == "games":
        pytest.skip("the rules of a game take as long as they take")
    most = MOST_WORDS.get(page.relative_to(CHECKOUT).as_posix(), 1200)
    assert len(page.read_text().split()) <= most


def test_the_source_map_says_what_each_module_is():
    page = source_map(CHECKOUT)
    assert "## `jaxgames/search/tree/`" in page
    assert not re.findall(r"\| `\S+` \|  \|", page), "a module without a docstring"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(CHECKOUT).as_posix())
def test_modules_and_files_that_pages_name_exist(page):
    text = page.read_text()
    for module in set(re.findall(r"python -m ((?:agents|train|benchmarks|papers)[\w.]*)", text)):
        assert importlib.util.find_spec(module.rstrip(".")) is not None, module
    pattern = r"`((?:jaxgames|agents|train|configs|benchmarks|papers|tests|docs)/[\w./-]+)`"
    for path in set(re.findall(pattern, text)):
        assert (CHECKOUT / path).exists(), path
