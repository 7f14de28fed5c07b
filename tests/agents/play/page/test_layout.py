"""The board in the window: its share on a desk and a phone, zoom, turning, coordinates."""

import pathlib

import pytest

from tests.agents.play.browser import CHECKOUT, new_page, part, press, serving, words

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
GAMES = ("onitama", "murus_gallicus", "terra_mystica", "tribes")
THEMES = ("light", "dark") * 2  # colours, which change no size: one for each game
PICTURES = CHECKOUT / "docs" / "assets"  # of positions as the games draw them
DEAL = "deal=tiger,ox|elephant,horse|crab"
SEATS = "--seats", "human", "human"
# The picture itself: the ground that its renderer draws over all of it.
PICTURE = "document.querySelector('#board svg > g > rect').getBoundingClientRect().toJSON()"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    with serving(folder, "--game=onitama", f"--env-options={DEAL}", *SEATS) as running:
        yield running


def open_game(server, browser, game, viewport, **options):
    """Opens a game of Onitama whose board is replaced by the picture of a game."""
    page = new_page(browser, viewport=viewport, **options)
    markup = pathlib.Path(PICTURES / f"{game}.svg").read_text()

    def fulfil(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "board": markup})

    if game != "onitama":
        page.route("**/api/games/*?theme=*", fulfil)
    page.goto(server.url)
    words(page, "#turn", "it is your move")
    return page


@pytest.mark.parametrize(("game", "theme"), list(zip(GAMES, THEMES, strict=True)))
def test_the_board_fills_a_desk_and_all_controls_are_seen(server, browser, game, theme):
    page = open_game(server, browser, game, DESK, color_scheme=theme)
    picture = page.evaluate(PICTURE)
    assert picture["height"] >= 0.75 * DESK["height"]
    assert picture["left"] > -10 and picture["right"] < DESK["width"] - 300, "all of it is seen"
    for name in ("#undo", "#hint", "#ply", "#coordinates", "#turn", "#chosen", "#words", "#seats"):
        box = page.locator(name).bounding_box()
        assert box["y"] + box["height"] <= DESK["height"], name
        assert box["x"] + box["width"] <= DESK["width"], name
    size = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    assert page.evaluate(size) == [DESK["width"], DESK["height"]]
    page.context.close()
    assert page.faults == []


@pytest.mark.parametrize(("game", "theme"), list(zip(GAMES, THEMES[::-1], strict=True)))
def test_a_phone_shows_the_board_in_full_width_and_a_sheet(server, browser, game, theme):
    page = open_game(server, browser, game, PHONE, color_scheme=theme, has_touch=True)
    picture = page.evaluate(PICTURE)
    assert picture["left"] <= 1 and picture["right"] >= PHONE["width"] - 1
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for place in (0, 10_000):  # the sheet stays at the bottom wherever the page is scrolled to
        page.evaluate(f"window.scrollTo(0, {place})")
        sheet = page.locator("#panel").bounding_box()
        assert abs(sheet["y"] + sheet["height"] - PHONE["height"]) < 2
        for name in ("#undo", "#hint", "#turn", "#chosen"):
            box = page.locator(name).bounding_box()
            assert box["y"] >= sheet["y"] and box["y"] + box["height"] <= PHONE["height"], name
    page.context.close()
    assert page.faults == []


def middle(page, name):
    """Returns the middle and the width of a part of the board, or of a text on it."""
    place = part(page, name) if ":" in name else page.locator(f"#board text:text-is('{name}')")
    box = place.first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"]


# Two fingers on the board, which part to twice their distance.
PINCH = """([x, y]) => {
  const send = (kind, pointerId, dx) => {
    const place = { clientX: x + dx, clientY: y, bubbles: true, button: 0 };
    const event = new PointerEvent(kind, { pointerId, pointerType: "touch", ...place });
    document.elementFromPoint(x, y).dispatchEvent(event);
  };
  send("pointerdown", 1, -30);
  send("pointerdown", 2, 30);
  for (const dx of [30, 40, 50, 60]) { send("pointermove", 1, -dx); send("pointermove", 2, dx); }
  send("pointerup", 1, -60);
  send("pointerup", 2, 60);
}"""


@pytest.mark.parametrize(("game", "hex_"), [("terra_mystica", "E6"), ("tribes", "f")])
def test_large_boards_are_zoomed_and_panned(server, browser, game, hex_):
    page = open_game(server, browser, game, PHONE, has_touch=True)
    x, y, width = middle(page, hex_)
    page.evaluate(PINCH, [x, y])
    new_x, new_y, new_width = middle(page, hex_)
    assert new_width == pytest.approx(2 * width, rel=0.05)
    assert abs(new_x - x) < 12 and abs(new_y - y) < 12, "what is between the fingers stays there"
    assert page.locator(".area.chosen").count() == 0, "two fingers choose nothing"
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 25, steps=4)
    page.mouse.up()
    assert middle(page, hex_)[:2] == pytest.approx((new_x + 40, new_y + 25), abs=2)
    page.mouse.wheel(0, 4000)
    picture = page.evaluate(PICTURE)
    assert picture["left"] >= -10 and picture["right"] <= PHONE["width"] + 10, "all of it again"
    page.keyboard.press("+")
    assert page.evaluate(PICTURE)["width"] == pytest.approx(1.4 * picture["width"], rel=0.01)
    page.keyboard.press("0")
    assert page.evaluate(PICTURE)["width"] == pytest.approx(picture["width"], rel=0.01)
    page.context.close()
    assert page.faults == []


def test_a_board_is_turned_and_its_coordinates_are_hidden(server, browser):
    page = open_game(server, browser, "onitama", DESK)
    assert middle(page, "square:a1")[1] > middle(page, "square:a5")[1], "the first seat sits below"
    page.keyboard.press("f")
    page.wait_for_function("""() => {
      const area = (part) => document.querySelector(`[data-part="${part}"]`);
      const top = (part) => area(part).getBoundingClientRect().top;
      return top("square:a1") < top("square:a5");
    }""")
    press(page, "square:b5", "square:b4")
    words(page, "#ply", "1 move played")
    assert middle(page, "square:a1")[1] < middle(page, "square:a5")[1], "it stays turned"
    coordinates = page.locator("#board .coordinates").first
    assert coordinates.is_visible()
    page.click("#coordinates")
    assert not coordinates.is_visible()
    page.reload()
    words(page, "#ply", "1 move played")
    assert not page.locator("#board .coordinates").first.is_visible(), "the browser remembers it"
    assert page.locator("#coordinates").get_attribute("aria-pressed") == "false"
    page.context.close()
    assert page.faults == []


def test_the_seat_of_the_only_person_sits_below(server, browser):
    name = server.post("api/games", seats=["random", "human"])["id"]
    page = new_page(browser, viewport=DESK)
    page.goto(f"{server.url}?game={name}")
    page.locator("#board svg").wait_for()
    assert middle(page, "square:a5")[1] > middle(page, "square:a1")[1]
    words(page, "#seats", "You")
    words(page, "#seats summary", "Random player")
    page.context.close()
