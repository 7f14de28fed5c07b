"""The review of a game in a file: as text, as JSON, and as one HTML file without a server."""

import json
import pathlib
import re
import sys

import pytest

import jaxgames
from agents.analyse import __main__ as program
from agents.analyse import review_sheet
from configs.analysis import AnalysisConfig
from jaxgames import records
from tests.agents.play.browser import chromium, new_page

AGENT = "--agent=gumbel:evaluator=uniform,simulations=16"
# The red master stands two squares in front of the temple: the tiger takes it there at once.
WIN_IN_ONE = "2B2/1b3/2R2/5/5 r crab,tiger|horse,ox|crane 8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a game in which Red missed a win, and its review in all formats."""
    folder = tmp_path_factory.mktemp("review")
    env = jaxgames.make("onitama")
    moves = ["crab:c3a3", "ox:b4b3"]
    record = records.from_moves(env, env.text_to_state(WIN_IN_ONE), moves, ["human", "random"])
    records.write(folder / "game.jsonl", record)
    outputs = [str(folder / f"review{kind}") for kind in (".html", ".json", ".txt")]
    arguments = [f"--file={folder / 'game.jsonl'}", AGENT, "--output", *outputs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["analyse", *arguments])
        assert program.main() == 0
    return folder


def test_the_text_tells_what_each_move_lost(folder):
    text = (folder / "review.txt").read_text()
    assert text.startswith("Onitama, 2 moves, by gumbel:evaluator=uniform,simulations=16\n")
    assert "Red (human): loses" in text and "1 blunder" in text
    (row,) = [line for line in text.splitlines() if "crab:c3a3" in line]
    assert "tiger:c3c5" in row and "blunder" in row


def test_the_document_has_every_position_with_its_analysis(folder):
    told = json.loads((folder / "review.json").read_text())
    assert [entry["number"] for entry in told["line"]] == [0, 1, 2]
    assert told["line"][0]["position"] == WIN_IN_ONE
    assert [position["seat"] for position in told["positions"]] == [0, 1, 0]
    assert told["review"]["moves"]["1"]["mark"] == "blunder"
    assert told["seats"][0]["marks"] == {"inaccuracy": 0, "mistake": 0, "blunder": 1}
    assert told["unit"] == "chance"


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_page_shows_boards_curve_and_marks_without_a_server(folder, size):
    with chromium() as browser:
        page = new_page(browser, viewport={"width": size[0], "height": size[1]})
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((folder / "review.html").as_uri())
        page.locator("#board svg").wait_for()
        assert page.locator("#ply").text_content() == "move 0 of 2"
        assert page.locator("#moves .mark.blunder").count() == 1
        page.keyboard.press("ArrowRight")
        assert page.locator("#ply").text_content() == "move 1 of 2"
        assert "crab:c3a3 is a blunder" in page.locator("#review .said").text_content()
        page.click("[data-step=last]")
        assert page.locator("#moves [aria-current=step]").text_content() == "2. ox:b4b3"
        page.locator("#graph .dot.blunder").click()
        assert page.locator("#ply").text_content() == "move 1 of 2"
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert {address.split(":")[0] for address in asked} <= {"file", "data"}
        assert page.faults == []


def test_data_cannot_end_their_place_in_the_page():
    assert "</script" not in review_sheet._inside(json.dumps("</script><script>"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"output": (pathlib.Path("x.pdf"),)}, "output must end in one of .html, .json, .txt"),
        ({"output": (pathlib.Path("x.html"),)}, "output takes the review of a game"),
        ({"last": True}, "last belongs to a file of a game"),
    ],
)
def test_mistakes_are_answered_before_anything_is_compiled(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        AnalysisConfig(**arguments)
