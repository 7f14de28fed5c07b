"""Packages that `jaxgames new` writes: their names, and that nothing of the template is left."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from agents.new import package
from tests.locations import CHECKOUT


def test_a_package_has_the_name_of_its_game_everywhere(tmp_path):
    folder = package.write("game_2048", tmp_path)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    modules = ("__init__", "board", "evaluation", "notation", "presets", "rules")
    assert files == {
        "README.md",
        "pyproject.toml",
        "tests/test_game_2048.py",
        *(f"game_2048/{module}.py" for module in modules),
    }
    texts = {name: (folder / name).read_text("utf-8") for name in files}
    assert not [name for name in files if re.search("my.?game", texts[name], re.IGNORECASE)]
    assert "class Game2048Rules(Rules[Game2048State])" in texts["game_2048/rules.py"]
    assert texts["README.md"].startswith("# Game 2048\n")
    for name in files:
        if name.endswith(".py"):
            compile(texts[name], name, "exec")


def test_an_installed_package_is_found_by_its_entry_points(tmp_path):
    folder = package.write("connect_four", tmp_path)
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"] == {
        "jaxgames": {"connect_four": "connect_four"},
        "jaxgames.presets": {"connect_four": "connect_four.presets"},
    }
    known = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = project["dependencies"]
    extras = re.fullmatch(r"jaxgames\[(.+)\]", needed)[1].split(",")
    assert set(extras) <= set(known["optional-dependencies"])
    assert project["requires-python"] == known["requires-python"]


PLAYED = """
import jax, jaxgames, connect_four

env = jaxgames.make("connect_four", ranks=2, files=3, row=2)
state = env.init(jax.random.key(0))
for move in ("a1", "b2", "c1"):
    state = env.step(state, env.text_to_action(state, move))
print(env.state_to_text(state), [path.parts for path in env.click_paths(state)])
print(env.render(state).as_svg().count("<circle"), jaxgames.player("best", env).name)
state = env.step(state, env.text_to_action(state, "c2"))
print(state.terminated, state.rewards.tolist())
"""


def test_the_game_of_the_template_is_played_and_drawn(tmp_path):
    folder = package.write("connect_four", tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", PLAYED],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "1o1/x1x [('square:b1',), ('square:a2',), ('square:c2',)]",
        "3 best",
        "True [-1.0, 1.0]",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Connect Four", "did you mean 'connect_four'?"),
        ("connect-four", "did you mean 'connect_four'?"),
        ("../escape", "did you mean 'escape'?"),
        ("", "expected the name of a Python package"),
        ("4chess", "expected the name of a Python package in lower-case letters"),
        ("chess_", "did you mean 'chess'?"),
        ("_chess", "did you mean 'chess'?"),
        ("schach\n", "did you mean 'schach'?"),
        ("größe", "expected the name of a Python package"),
        ("class", "expected the name of a Python package"),
        ("onitama", "exists already; choose another name than murus_gallicus, onitama"),
        ("numpy", "is the name of another Python package; choose one that is free"),
        ("jaxgames", "is the name of another Python package"),
        (
            "test",
            "is the name of another Python package; choose one that is free, such as test_game",
        ),
        ("tests", "is the name of another Python package"),
    ],
)
def test_names_that_no_package_can_have_are_refused(name, message, tmp_path):
    with pytest.raises(ValueError, match=r"^game ") as found:
        package.write(name, tmp_path)
    assert message in str(found.value)
    assert not list(tmp_path.iterdir())


def test_nothing_that_is_there_is_written_over(tmp_path):
    folder = package.write("connect_four", tmp_path)
    (folder / "README.md").write_text("mine")
    with pytest.raises(ValueError, match="connect_four exists already"):
        package.write("connect_four", tmp_path)
    assert (folder / "README.md").read_text() == "mine"
    with pytest.raises(ValueError, match="there is no directory"):
        package.write("connect_four", tmp_path / "nowhere")
