"""Murus Gallicus in a browser: moves and a capture by drag, and by touch of two cells."""

import pytest

from tests.agents.play.browser import chromium, new_page, part, press, serving, words

# The Roman tower on d4 can strike the Gallic wall on d5.
POSITION = "tttttt1t/8/3w4/3T4/8/8/TTTTTTT1 r 20"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = "--game=murus_gallicus", "--seats", "human", "human"
    with serving(tmp_path_factory.mktemp("games"), *options) as running:
        yield running


@pytest.fixture(scope="module")
def page(server):
    with chromium() as browser:
        shown = new_page(browser)
        yield shown
        assert shown.faults == []


def drag(page, start, end):
    boxes = [part(page, name).bounding_box() for name in (start, end)]
    places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=5)
    page.mouse.up()


def begin(server, page, **body):
    name = server.post("api/games", **body)["id"]
    page.goto(f"{server.url}?game={name}")
    words(page, "#turn", "Romans, it is your move")


def test_a_wall_is_captured_by_drag(server, page):
    begin(server, page, position=POSITION)
    assert "wall of the Gauls" in part(page, "cell:d5").locator("title").text_content()
    drag(page, "cell:d4", "cell:d5")
    words(page, "#turn", "Gauls, it is your move")
    assert page.locator("#moves button").all_text_contents() == ["1. d4-d5"]
    assert part(page, "cell:d5").locator("title").text_content() == "d5"


def test_a_drag_to_nowhere_leaves_the_stack_chosen(server, page):
    begin(server, page)
    drag(page, "cell:b1", "cell:g5")
    words(page, "#ply", "0 moves played")
    assert page.locator("#moves button").count() == 0
    drag(page, "cell:b1", "cell:b3")
    words(page, "#ply", "1 move played")
    press(page, "cell:c7", "cell:c5")
    words(page, "#ply", "2 moves played")
