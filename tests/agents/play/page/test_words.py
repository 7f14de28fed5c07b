"""What parts and moves are, in words: the panel and the tooltip, by mouse, keyboard and touch."""

import pytest

from tests.agents.play.browser import new_page, part, serving

DEAL = "deal=tiger,ox|elephant,horse|crab"
POSITION = "bbBbb/5/5/5/rrRrr r tiger,ox|elephant,horse|crab 0"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = "--game=onitama", "--env-options", DEAL, "--seats", "human", "human"
    with serving(tmp_path_factory.mktemp("games"), *options) as running:
        yield running


def opened(server, browser, **options):
    page = new_page(browser, **options)
    name = server.post("api/games", position=POSITION)["id"]
    page.goto(f"{server.url}?game={name}")
    page.locator(".area.lit").first.wait_for()
    return page


def panel(page):
    return page.inner_text("#part-name"), page.inner_text("#part-effect")


def test_a_mouse_shows_parts_that_cannot_be_chosen_too(server, browser):
    page = opened(server, browser)
    assert page.locator("#tip").is_hidden()
    part(page, "card:crab").hover()  # the side card
    name, effect = panel(page)
    assert name == "crab, side card"
    assert "From c3 to c4, a3 or e3." in effect
    page.wait_for_selector("#tip:visible")
    assert page.inner_text("#tip").startswith("crab, side card\nMoves a piece by one of: 1 ahead")
    box, card = page.locator("#tip").bounding_box(), part(page, "card:crab").bounding_box()
    assert box["y"] >= card["y"] + card["height"] or box["y"] + box["height"] <= card["y"]
    part(page, "square:c1").hover()
    name, effect = panel(page)
    assert name == "c1, Red master" and "Temple of Red" in effect
    part(page, "square:b3").hover()
    assert panel(page) == ("b3", ""), "an empty square has a name only"
    page.wait_for_timeout(700)
    assert page.locator("#tip").is_hidden()
    assert page.faults == []
    page.context.close()


def test_the_keyboard_walks_over_all_parts_and_tells_them(server, browser):
    page = opened(server, browser)
    page.locator(".area.lit").first.focus()
    part(page, "square:c1").focus()
    page.keyboard.press("Shift+ArrowUp")
    assert page.evaluate("document.activeElement.dataset.part") == "square:c2"
    assert page.evaluate("document.activeElement.getAttribute('role')") == "img"
    for _ in range(3):
        page.keyboard.press("Shift+ArrowUp")
    assert panel(page)[0] == "c5, Blue master"
    page.wait_for_selector("#tip:visible")
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    page.keyboard.press("ArrowDown")
    assert "lit" in page.evaluate("document.activeElement.getAttribute('class')")
    described = page.evaluate("document.activeElement.getAttribute('aria-description')")
    assert described == panel(page)[1] != ""
    assert page.faults == []
    page.context.close()


def test_names_in_moves_are_explained(server, browser):
    page = opened(server, browser)
    page.locator("#words summary").focus()
    page.keyboard.press("Enter")
    page.locator("#list button", has_text="tiger: c1 to c3").focus()
    assert panel(page) == (
        "tiger: c1 to c3 (tiger:c1c3)",
        "Moves a piece by one of: 2 ahead; 1 back.",
    )
    page.context.close()


def test_a_tap_tells_and_chooses(server, browser):
    page = opened(server, browser, viewport={"width": 390, "height": 844}, has_touch=True)
    part(page, "card:elephant").tap()  # of the other side
    assert panel(page)[0] == "elephant, card of Blue"
    page.wait_for_selector("#tip:visible")
    box = page.locator("#tip").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    part(page, "square:c1").tap()
    assert panel(page)[0] == "c1, Red master"
    assert "chosen" in part(page, "square:c1").get_attribute("class")
    assert page.locator("#tip").is_hidden(), "it would hide the squares to choose next"
    assert page.faults == []
    page.context.close()


def test_no_tooltip_comes_under_a_mouse_that_rests_while_the_board_changes(server, browser):
    page = opened(server, browser)
    box = part(page, "square:c1").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.wait_for_selector("#tip:visible")
    page.mouse.down()
    page.mouse.up()
    page.evaluate("document.querySelector('#board').innerHTML += ''")  # drawn anew
    page.wait_for_timeout(700)
    assert page.locator("#tip").is_hidden()
    page.mouse.move(box["x"] + 25, box["y"] + 25)
    page.wait_for_selector("#tip:visible")
    page.context.close()
