"""The coach in a browser: a hint with reasons, a review with another try, games from elsewhere."""

import pytest

from tests.agents.play.browser import press, serving, words

GAME = ("--game=onitama", "--seats", "human", "human")
# The red master stands two squares in front of the temple: the tiger takes it there at once.
WIN_IN_ONE = "2B2/1b3/2R2/5/5 r tiger,crab|ox,horse|crane 8"
ONI = "11.11\n..3..\n.....\n..2..\n00.00\nbxlut\nBRS lhl\nTvL\n"
DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    const how = { dataTransfer: files, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent(kind, how));
  }
}"""
PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""
PLACES = """async () => {
  const { place } = await import("/page/curve.js");
  const placed = [];
  for (let at = 0; at < 60; at++) for (const seat of [0, 1, 2]) {
    placed.push(place({ seat, x: at * 2.5, y: 50 + (at % 7) }, placed, 7));
  }
  const gaps = placed.flatMap((one, i) => placed.slice(0, i)
    .filter((other) => other.seat !== one.seat)
    .map((other) => Math.hypot(one.x - other.x, one.y - other.y)));
  return Math.min(...gaps);
}"""


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.slow)],
    ids=["quick", "own"],
)
def server(tmp_path_factory, request):
    """A server with quick agents; in slow tests with those of the game."""
    folder = tmp_path_factory.mktemp("games")
    with serving(folder, *GAME, own_agents=request.param) as running:
        yield running


def test_a_hint_is_one_mark_and_gives_its_reasons_when_asked(server, page):
    name = server.post("api/games", position=WIN_IN_ONE)["id"]
    page.goto(f"{server.url}?game={name}")
    page.click("#hint")
    words(page, "#coach", "Hint: tiger: c3 to c5")
    assert page.locator("#board .arrow path").count() == 1
    assert page.locator("#coach li").count() == 0
    page.click("#coach button:text-is('Why?')")
    words(page, "#coach", "It wins 100% of the games.")
    words(page, "#coach", "instead costs")
    page.click("#coach button:text-is('Close')")
    assert not page.locator("#coach").is_visible()


def test_a_review_marks_a_missed_win_and_lets_a_person_try_again(server, page):
    name = server.post("api/games", position=WIN_IN_ONE)["id"]
    for number, move in enumerate(("crab:c3a3", "ox:b4b3")):
        server.post(f"api/games/{name}/play", number=number, move=move)
    page.goto(f"{server.url}?game={name}")
    page.click("#review button:text-is('Review the game')")
    words(page, "#review", "1 blunder")
    assert page.locator("#moves .mark.blunder").count() == 1
    assert page.locator("#graph .dot.blunder").count() == 1
    page.reload()
    words(page, "#review", "1 blunder")
    page.click("#review button:text-is('Previous mistake')")
    words(page, "#review .said", "crab: c3 to a3 is a blunder: it costs")
    words(page, "#review .said", "Best is tiger: c3 to c5: 100%")
    page.click("#review button:text-is('Try again here')")
    words(page, "#turn", "Red, it is your move")
    words(page, "#ply", "0 moves played")
    words(page, "#retry", "Find a better move than crab: c3 to a3.")
    assert page.locator("#board .arrow path, #best tr, #review .said").count() == 0, "no spoiler"
    press(page, "square:c3", "square:c2")
    words(page, "#retry", "tiger: c3 to c2 still costs")
    page.click("#review button:text-is('Previous mistake')")
    page.click("#review button:text-is('Try again here')")
    press(page, "square:c3", "square:c5")
    words(page, "#retry", "tiger: c3 to c5 is the best move.")
    words(page, "#turn", "The game is over: Red won.")
    assert page.locator("#board .arrow path").count() == 0


def test_a_file_that_is_dropped_on_the_page_of_another_game_is_reviewed(server, page):
    name = server.post("api/games", game="murus_gallicus")["id"]
    page.goto(f"{server.url}?game={name}")
    words(page, "#turn", "it is your move")
    page.evaluate(DROP, ["game.oni", ONI])
    words(page, "#title", "Onitama")
    words(page, "#ply", "3 moves played")
    words(page, "#review", "a move")
    page.evaluate(DROP, ["game.txt", "no game at all"])
    words(page, "#error", "this is no game or position that can be read")


def test_a_text_that_is_pasted_or_typed_is_opened(server, page):
    page.goto(f"{server.url}?choose")
    page.locator("#covers a").first.wait_for()
    page.evaluate(PASTE, WIN_IN_ONE)
    words(page, "#title", "Onitama")
    words(page, "#turn", "Red, it is your move")
    page.click("#open-import")
    page.fill("#import textarea", "11.11 and so on")
    page.click("#import [value=ok]")
    words(page, "#import .trouble", "this is no game or position")
    page.fill("#import textarea", ONI)
    page.click("#import [value=ok]")
    words(page, "#ply", "3 moves played")


def test_dots_of_two_seats_never_cover_each_other(server, page):
    page.goto(f"{server.url}page/style.css")
    assert page.evaluate(PLACES) >= 7
