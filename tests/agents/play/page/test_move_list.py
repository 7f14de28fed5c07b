"""The list of moves: pairs, chapters that fold, actions of several parts, keyboard."""

import pytest

from tests.agents.play.browser import chromium, new_page, serving

SHOW = """async (view) => {
  const { showMoves } = await import("/page/move_list.js");
  document.body.innerHTML = '<ol id="moves"></ol>';
  window.gone = [];
  window.show = (view) => showMoves(document.querySelector("#moves"), view, (at) => gone.push(at));
  show(view);
}"""
SEATS = [{"name": "Witches", "colour": "green"}, {"name": "Giants", "colour": "red"}]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("games")) as server, chromium() as browser:
        shown = new_page(browser)
        shown.goto(f"{server.url}page/style.css")  # of the server, but without a program of its own
        yield shown
        assert shown.faults == []


def view(moves, number):
    """Returns what the page is told of a line: (seat, move, chapter, whether a part follows)."""
    entries = [
        {"number": at, "seat": seat, "move": move, "chapter": chapter, "half": half}
        for at, (seat, move, chapter, half) in enumerate(moves, start=1)
    ]
    return {"line": [{"number": 0}, *entries], "seats": SEATS, "number": number}


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def test_moves_of_seats_that_alternate_are_numbered_pairs(page):
    moves = [(seat, f"m{seat}{turn}", "", False) for turn in (1, 2) for seat in (1, 0)]
    page.evaluate(SHOW, view([*moves, (1, "last", "", False)], 4))
    rows = [row.split() for row in texts(page, "#moves .pair")]
    assert rows == [["1.", "m11", "m01"], ["2.", "m12", "m02"], ["3.", "last"]]
    assert texts(page, "#moves [aria-current=step]") == ["m02"]
    assert page.locator("#moves button").first.get_attribute("aria-label") == "Giants: m11"
    page.locator("#moves button").nth(1).press("Enter")
    assert page.evaluate("gone") == [2]


def test_two_moves_of_a_seat_in_succession_are_one_turn(page):
    moves = [(0, "a1", "", False), (0, "a2", "", False), (1, "b1", "", False), (0, "a3", "", False)]
    page.evaluate(SHOW, view(moves, 0))
    assert [row.split() for row in texts(page, "#moves .pair")] == [
        ["1.", "a1", "a2", "b1"], ["2.", "a3"],
    ]  # fmt: skip


def test_the_parts_of_an_action_are_one_entry(page):
    moves = [(0, "b2", "Tick 6, A", True), (0, "attack b3", "Tick 6, A", False)]
    page.evaluate(SHOW, view([*moves, (0, "c1", "Tick 6, A", True)], 1))
    assert texts(page, "#moves button") == ["b2: attack b3", "c1"]
    assert texts(page, "#moves [aria-current=step]") == ["b2: attack b3"]
    page.click("#moves button")
    assert page.evaluate("gone") == [2], "a click leads to the position after the whole action"


def long_game(number):
    moves = [
        (turn % 2, f"r{round_} {turn}", f"Round {round_} of 6", False)
        for round_ in range(1, 7)
        for turn in range(10)
    ]
    return view(moves, number)


def test_chapters_of_a_long_game_are_folded_but_for_the_one_that_is_shown(page):
    page.evaluate(SHOW, long_game(25))
    assert texts(page, "#moves summary")[2] == "Round 3 of 6 10 moves"
    assert texts(page, "#moves details[open] > summary") == ["Round 3 of 6 10 moves"]
    assert page.locator("#moves .turn:visible").count() == 10
    assert page.locator("#moves [aria-current=step]").is_visible()
    # What a person opens stays open, and the focus stays, when another position is shown.
    page.locator("#moves summary").first.focus()
    page.keyboard.press("Enter")
    page.evaluate("show", long_game(60))
    assert len(texts(page, "#moves details[open]")) == 2
    assert "Round 1" in page.evaluate("document.activeElement.textContent")
    page.locator("#moves button").nth(59).focus()
    page.evaluate("show", long_game(59))
    assert page.evaluate("document.activeElement.textContent") == "r6 9"


def test_a_short_game_is_open(page):
    moves = [(0, "a", "Set-up", False), (1, "b", "Set-up", False), (0, "c", "Round 1 of 6", False)]
    page.evaluate(SHOW, view(moves, 0))
    assert page.locator("#moves button:visible").count() == 3
    assert page.locator("#moves .turn").count() == 3
