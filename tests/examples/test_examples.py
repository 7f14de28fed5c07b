"""Every example runs, on a small size, and does what its text says."""

import functools
import http.server
import json
import re
import shlex
import shutil
import subprocess
import threading

import jax.numpy as jnp
import pytest

from examples import (
    animate_a_game,
    evaluate_an_agent,
    external_player,
    network_in_the_browser,
    ppo_selfplay,
    search_your_game,
)
from jaxgames import testing
from tests.agents.play.browser import chromium, new_page
from tests.locations import CHECKOUT
from train import alphazero
from train.export import functions

PAGE = (CHECKOUT / "examples" / "two_machines.md").read_text()


def test_every_program_has_a_test_and_a_page():
    programs = {path.stem for path in (CHECKOUT / "examples").glob("[a-z]*.py")}
    here = (CHECKOUT / "tests" / "examples" / "test_examples.py").read_text()
    assert programs == set(re.findall(r"\b(\w+)\.main\(", here))
    pages = set(re.findall(r"examples/(\w+)\.md", (CHECKOUT / "mkdocs.yml").read_text()))
    assert pages == programs | {"two_machines"}


def test_ppo_learns_from_its_games(capsys):
    score = ppo_selfplay.main(["--minutes=0", "--games=32", "--plies=8"])
    assert 0 <= score <= 1
    assert f"iteration 0: {score:.1%}" in capsys.readouterr().out


def test_ppo_fits_on_a_page():
    source = (CHECKOUT / "examples" / "ppo_selfplay.py").read_text()
    assert len(source.splitlines()) <= 150


def test_advantage_of_the_other_seat_has_the_other_sign():
    """Three plies by seats 0, 1, 1, and the last one wins: worth 1 to seat 1, -1 to seat 0."""
    nothing = jnp.zeros((3, 1))
    plies = ppo_selfplay.Ply(
        *(nothing,) * 4,
        value=nothing,
        reward=jnp.array([[0.0], [0.0], [1.0]]),
        sign=jnp.array([[-1], [1], [0]]),
        is_ours=nothing,
    )
    gained = ppo_selfplay.advantages(plies, jnp.ones((1,)))[:, 0]
    trace = ppo_selfplay.LAMBDA
    assert jnp.allclose(gained, jnp.array([-(trace**2), trace, 1.0]))


def test_the_run_that_the_page_shows_beat_random_play_within_ten_minutes():
    printed = (CHECKOUT / "examples" / "outputs" / "ppo_selfplay.txt").read_text()
    rows = re.findall(r"(\d+) s, iteration \d+: ([\d.]+)%", printed)
    assert any(int(seconds) <= 600 and float(score) > 90 for seconds, score in rows)
    assert float(rows[-1][1]) > 90


@pytest.mark.slow
def test_ppo_beats_random_play_in_minutes():
    assert ppo_selfplay.main(["--minutes=4"]) > 0.9


def test_game_of_ones_own_conforms_and_its_search_does_not_lose():
    testing.check_rules(search_your_game.TicTacToe())
    won, _, lost = search_your_game.main(["--games=40", "--simulations=32"])
    assert won > 0.7 and lost < 0.1


def test_agent_of_ones_own_beats_random_play():
    assert evaluate_an_agent.main(["--games=40"]).mean > 0.75


def test_animation_is_a_picture_of_the_game(tmp_path):
    output = tmp_path / "game.svg"
    states = animate_a_game.main(["--simulations=4", "--plies=4", f"--output={output}"])
    assert [int(state.step_count) for state in states] == [0, 1, 2, 3, 4]
    assert output.read_text().startswith("<svg")


def test_gymnasium_loop_counts_the_games_that_end():
    pytest.importorskip("gymnasium")
    from examples import versus_in_gymnasium

    reward = versus_in_gymnasium.main(["--games=16", "--steps=40", "--simulations=0"])
    assert -1 < reward < 1


@pytest.mark.slow  # it installs a package of 150 MB
def test_a_network_thinks_in_the_browser_as_it_does_here(tmp_path):
    pytest.importorskip("jax2onnx", reason="pip install 'jaxgames[export]'")
    if shutil.which("npm") is None:
        pytest.skip("needs npm, which installs onnxruntime-web")
    folder = network_in_the_browser.main([str(tmp_path)])
    subprocess.run(["npm", "install", "--silent", "onnxruntime-web"], cwd=folder, check=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with chromium() as browser:
        page = new_page(browser)
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        for number in range(2):
            page.locator("#moves li").first.wait_for()
            told = page.locator("#chance").text_content()
            assert told.endswith(chance_here(folder, number)), (number, told)
            page.click("#next")
            page.wait_for_timeout(1000)
        assert page.faults == []
    server.shutdown()


def chance_here(folder, number):
    """Returns the chance to win of a position in words, by the network of the library."""
    position = json.loads((folder / "positions.json").read_text())[number]
    planes = jnp.array(position["planes"]).reshape(1, *position["shape"])
    _, values = functions.load("onitama")(planes)
    return f"{50 * (1 + float(values[0, 0])):.1f}%"


def test_player_in_another_process_answers_with_its_move(monkeypatch, capsys):
    questions = [
        {"type": "start"},
        {"type": "move", "seat": 0, "board": "", "legal_moves": ["a", "c", "b"]},
    ]
    monkeypatch.setattr("sys.stdin", map(json.dumps, questions))
    external_player.main()
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answers == [{"type": "ready"}, {"type": "move", "move": "c"}]


def test_player_in_another_process_asks_a_model(monkeypatch):
    query = {"seat": 1, "board": "board", "legal_moves": ["a", "b", "c"]}
    monkeypatch.setenv("MODEL_COMMAND", "echo b")
    assert external_player.choose(query) == "b"
    monkeypatch.setenv("MODEL_COMMAND", "echo none of them")
    assert external_player.choose(query) == "c"


def test_player_in_another_process_fits_on_a_screen():
    source = (CHECKOUT / "examples" / "external_player.py").read_text()
    assert len(source.splitlines()) <= 40


def test_commands_for_several_machines_are_those_of_the_program():
    commands = re.findall(r"-m train\.alphazero ((?:\\\n|[^\n'&])*)", PAGE)
    assert len(commands) == 5
    for command in commands:
        words = shlex.split(command.replace("\\\n", " ").replace("$id", "1"))
        assert alphazero.COMMAND.settings(alphazero.COMMAND.take_apart(words)).distributed
