"""The notebooks run as scripts, and are those of the scripts beside them."""

import json
import runpy

import pytest

from tests.locations import CHECKOUT

FOLDER = CHECKOUT / "examples" / "notebooks"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def run(name, folder, monkeypatch):
    """Runs a notebook as a script on a small size; returns its variables."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("JAXGAMES_QUICK", "1")
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def test_first_steps_end_with_a_board_a_film_and_an_analysis(tmp_path, monkeypatch):
    names = run("first_steps", tmp_path, monkeypatch)
    assert names["state"]._repr_svg_().startswith("<svg")
    assert len(names["positions"]) == 20


@pytest.mark.slow  # a training, which tests/train cover
def test_a_trained_network_plays(tmp_path, monkeypatch):
    names = run("train_onitama", tmp_path, monkeypatch)
    assert names["curve"]._repr_png_().startswith(b"\x89PNG")
    assert names["state"].step_count == 0


def test_searches_of_models_find_what_theory_says(tmp_path, monkeypatch):
    names = run("search_your_model", tmp_path, monkeypatch)
    assert names["steps"] == 9
    won = names["stones"] % 4 != 0
    assert (names["found"].action + 1 == names["stones"] % 4)[won].all()


def test_the_worst_move_of_a_game_is_found(tmp_path, monkeypatch):
    names = run("watch_and_review", tmp_path, monkeypatch)
    review, move = names["review"], names["move"]
    assert move.loss == max(move.loss for move in review.moves)
    assert f">{move.best}<" in review._repr_html_()
    assert f"plays {move.best}" in names["review"].analyses[names["worst"]]._repr_html_()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_has_the_cells_of_its_script_and_no_outputs(script):
    notebook = json.loads(script.with_suffix(".ipynb").read_text("utf-8"))
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    assert notebook["cells"][1]["source"][-1].startswith("%pip install -q")
    jupytext = pytest.importorskip("jupytext", reason="pip install 'jaxgames[dev]'")
    cells = [
        [(cell.cell_type, cell.source) for cell in jupytext.read(path).cells]
        for path in (script, script.with_suffix(".ipynb"))
    ]
    assert cells[0] == cells[1], f"jupytext --to ipynb {script.relative_to(CHECKOUT)}"
