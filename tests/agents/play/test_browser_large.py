"""Terra Mystica and Tribes in a browser: compound actions by clicks, decisions of others, fog."""

import pytest

from tests.agents.play import positions
from tests.agents.play.browser import chromium, new_page, part, press, serving, words

pytestmark = pytest.mark.slow  # the rules of both games compile for minutes


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser):
    shown = new_page(browser, viewport={"width": 1500, "height": 1000})
    shown.set_default_timeout(600_000)
    yield shown
    shown.context.close()
    assert shown.faults == []


def begin(server, page, position):
    name = server.post("api/games", position=position)["id"]
    page.goto(f"{server.url}?game={name}")
    return name


def title(page, name):
    return part(page, name).locator("title").text_content()


def test_terraform_and_build_then_the_neighbour_takes_power(tmp_path, page):
    options = f"--env-options={positions.TERRA_MYSTICA_OPTIONS}"
    seats = "--seats", "human", "human"
    with serving(tmp_path, "--game=terra_mystica", options, *seats) as server:
        begin(server, page, positions.TERRA_MYSTICA)
        words(page, "#turn", "Mermaids, it is your move")
        press(page, "hex:B2")
        words(page, "#chosen", "B2, brown")
        page.click("#menu button:text-is('transform B2 to B')")
        words(page, "#ply", "1 move played")
        words(page, ".heading", "build on B2")
        press(page, "hex:B2")
        words(page, "#moves", "2. build B2")
        assert title(page, "hex:B2") == "B2, blue, dwelling"
        page.click("#menu button:text-is('end')")
        words(page, "#turn", "Nomads, it is your move")
        assert page.locator("#menu button").all_text_contents() == ["leech", "decline"]
        page.click("#menu button:text-is('decline')")
        words(page, "#moves", "4. decline")
        page.click("#undo")
        words(page, "#turn", "Nomads, it is your move")
        page.click("#menu button:text-is('leech')")
        words(page, "#moves", "4. leech")
        page.keyboard.press("<")
        words(page, "#branches", "Tried here")


def test_level_up_fight_and_end_of_turn_under_fog(tmp_path, page):
    options = f"--env-options={positions.TRIBES_OPTIONS}"
    with serving(tmp_path, "--game=tribes", options, "--seats", "human", "rule_based") as server:
        name = begin(server, page, positions.TRIBES)
        words(page, "#turn", "Xin-Xi, it is your move")
        choices = page.locator("#menu button").all_text_contents()
        assert choices == ["level_up workshop", "level_up explorer"]
        page.click("#menu button:text-is('level_up workshop')")
        words(page, "#ply", "1 move played")
        assert "warrior of Bardur, 10 of 10 HP" in title(page, "tile:b3")
        press(page, "tile:b2")
        words(page, "#chosen", "Chosen: b2")
        page.keyboard.press("Escape")
        words(page, "#ply", "1 move played")
        press(page, "tile:b2", "tile:b3")
        words(page, "#moves", "attack b3")
        assert "warrior of Bardur, 10 of 10 HP" not in title(page, "tile:b3")
        page.click("#menu button:text-is('end_turn')")
        words(page, "#turn", "Xin-Xi, it is your move")
        words(page, "#moves", "5. …")
        # Nothing that the page gets names what the fog hides.
        view = server.get(f"api/games/{name}?seat=1")
        assert view["viewpoint"] == 0 and view["position"] is None
        assert {entry["move"] for entry in view["line"][1:] if entry["seat"] == 1} == {"…"}
        assert title(page, "tile:g7") == "g7: fog"
        assert "Bardur" not in title(page, "tile:h7")
        assert page.locator("#copy").is_disabled() and page.locator("#save").is_disabled()
