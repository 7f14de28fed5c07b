"""Onitama in a browser: clicks, undo, hint, reload, two pages, a killed server."""

import pytest

from tests.agents.play.browser import Server, chromium, new_page, part, press, serving, words

DEAL = "deal=tiger,ox|elephant,horse|crab"  # Blue begins; its first legal moves lose in three
OPPONENT = "first_legal"
ANALYST = "gumbel:evaluator=uniform,simulations=8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("games")


@pytest.fixture(scope="module")
def server(folder):
    options = "--env-options", DEAL, "--seats", "human", OPPONENT
    with serving(folder, *options) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser):
    shown = new_page(browser)
    yield shown
    shown.context.close()
    assert shown.faults == []


def begin(server, page, **body):
    name = server.post("api/games", **body)["id"]
    page.goto(f"{server.url}?game={name}")
    return name


def test_a_game_is_won_by_clicks_and_can_be_looked_at_again(server, page):
    page.goto(server.url)
    page.click("#new button[value=ok]")
    words(page, "#turn", "Red, it is your move")
    press(page, "square:b1", "square:b2")
    words(page, "#ply", "3 moves played")
    press(page, "card:elephant", "square:b2", "square:c3")
    words(page, "#ply", "5 moves played")
    press(page, "square:c3", "square:c5")
    words(page, "#turn", "The game is over: Red wins")
    assert page.locator(".area.lit").count() == 0
    page.keyboard.press("Home")
    words(page, "#ply", "0 moves played")
    page.locator("#moves button").nth(1).click()
    words(page, "#ply", "2 moves played")
    assert part(page, "square:b2").get_attribute("aria-label") is None
    assert "Red student" in part(page, "square:b2").locator("title").text_content()


def test_clicks_choose_among_moves_with_equal_parts(server, page):
    page.goto(server.url)
    choices = page.evaluate(
        """async () => {
          const { choose, click } = await import("/page/chooser.js");
          const move = (text, parts, refinements = []) => ({ text, paths: [[parts, refinements]] });
          const moves = [
            move("one", ["square:a", "square:b"], ["card:x"]),
            move("two", ["square:a", "square:b"], ["card:y"]),
            move("back", ["square:b", "square:a"], ["card:y"]),
            move("end", []),
          ];
          const look = (clicked) => {
            const { next, left, menu, decided } = choose(moves, clicked);
            const texts = (found) => [...found].map((one) => one.text);
            return [[...next].sort(), texts(left), texts(menu), decided?.text ?? null];
          };
          const follow = (...parts) => parts.reduce((done, part) => click(moves, done, part), []);
          return [
            look([]),
            look(["square:a", "square:b"]),
            look(["card:x"]),
            look(["card:x", "square:a", "square:b"]),
            follow("square:a", "square:a"),
            follow("square:a", "card:z"),
            follow("card:x", "square:b"),
          ];
        }"""
    )
    assert choices == [
        [["card:x", "card:y", "square:a", "square:b"], ["one", "two", "back", "end"], [], None],
        [["card:x", "card:y"], ["one", "two"], ["one", "two"], None],
        [["square:a"], ["one"], [], None],
        [[], ["one"], ["one"], "one"],
        [],
        [],
        ["square:b"],
    ]


def test_what_is_chosen_is_shown_and_taken_back(server, page):
    begin(server, page)
    press(page, "square:b1")
    words(page, "#chosen", "b1, Red student")
    assert "chosen" in part(page, "square:b1").get_attribute("class")
    page.keyboard.press("Escape")
    words(page, "#chosen", "Choose on the board")
    press(page, "square:b1", "square:b2")
    words(page, "#ply", "3 moves played")


def test_undo_takes_back_the_answer_too_and_redo_repeats_both(server, page):
    begin(server, page)
    press(page, "square:b1", "square:b2")
    words(page, "#ply", "3 moves played")
    page.keyboard.press("u")
    words(page, "#ply", "1 move played")
    page.keyboard.press("r")
    words(page, "#ply", "3 moves played")
    page.click("#undo")
    words(page, "#ply", "1 move played")
    press(page, "square:a1", "square:a2")  # another branch
    words(page, "#ply", "3 moves played")
    page.keyboard.press("<")
    page.keyboard.press("<")
    words(page, "#branches", "Tried here")
    assert page.locator("#branches button").all_text_contents() == ["ox:b1b2", "ox:a1a2"]


def test_a_hint_shows_moves_with_values_and_arrows(server, page):
    begin(server, page)
    page.fill("#analyst", ANALYST)
    page.click("#hint")
    words(page, "#search", "9 visits, plays")
    assert page.locator("#best tr.pick").count() == 5
    assert page.locator("#board .arrow path").count() == 5
    page.locator("#best tr.pick").first.click()
    assert page.locator("#board .arrow path").count() == 1
    assert page.locator("#seats [role=meter]").count() == 2
    page.locator("#graph .dot").first.wait_for()


def change_views(page, change):
    """Changes what the page is told of a position."""

    def fulfil(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), **change(response.json())})

    page.route("**/api/games/*?theme=*", fulfil)


def test_what_one_person_knows_is_covered_as_a_whole(server, page):
    change_views(page, lambda view: {"viewpoint": view["seat"]})
    begin(server, page, seats=["human", "human"])
    words(page, "#curtain", "The board as Blue knows it")
    assert not page.locator("aside").is_visible() and not page.locator("#board").is_visible()
    page.keyboard.press("u")
    page.click("#curtain button")
    words(page, "#turn", "Blue, it is your move")
    press(page, "square:b5", "square:b4")
    words(page, "#curtain", "The board as Red knows it")
    assert not page.locator("#list").is_visible() and page.locator("#turn").text_content() == ""


def test_why_an_agent_does_not_move_is_shown(server, page):
    change_views(page, lambda view: {"error": "first_legal: no network"})
    begin(server, page)
    words(page, "#error", "first_legal: no network")
    page.wait_for_timeout(300)
    assert page.locator("#error").is_visible()


def test_best_moves_are_picked_by_keys_and_the_focus_stays(server, page):
    begin(server, page)
    page.fill("#analyst", ANALYST)
    page.click("#hint")
    words(page, "#search", "9 visits, plays")
    page.locator("#best button").nth(1).focus()
    chosen = page.locator("#best button").nth(1).text_content()
    page.keyboard.press("Enter")
    assert page.locator("#board .arrow path").count() == 1
    assert page.evaluate("document.activeElement.textContent") == chosen


def test_the_focus_comes_back_to_the_board_when_it_is_lit_again(server, page):
    game = begin(server, page, seats=["human", "human"])
    for name in ("square:b5", "square:b4"):
        page.locator(f'.area.lit[data-part="{name}"]').focus()
        page.keyboard.press("Enter")
    words(page, "#ply", "1 move played")
    server.post(f"api/games/{game}/play", number=1, move="ox:b1b2")
    words(page, "#ply", "2 moves played")
    page.wait_for_function("document.activeElement.dataset.part === 'square:b4'")


def test_moves_are_found_by_words_and_by_keys_alone(server, page):
    begin(server, page)
    words(page, "#turn", "it is your move")
    page.keyboard.press("/")
    page.keyboard.type("ox b1b2")
    assert page.locator("#list button").all_text_contents() == ["ox:b1b2"]
    page.keyboard.press("Enter")
    words(page, "#ply", "3 moves played")
    part(page, "square:b2").focus()
    page.keyboard.press("Enter")
    part(page, "square:c3").focus()
    assert part(page, "square:c3").get_attribute("aria-label") == "c3"
    page.keyboard.press(" ")
    words(page, "#ply", "5 moves played")


def test_a_reload_keeps_the_game_and_two_pages_show_the_same(server, page, browser):
    begin(server, page)
    press(page, "square:b1", "square:b2")
    words(page, "#ply", "3 moves played")
    page.reload()
    words(page, "#ply", "3 moves played")
    other = new_page(browser, color_scheme="dark", viewport={"width": 390, "height": 800})
    other.goto(page.url)
    words(other, "#ply", "3 moves played")
    press(other, "square:b2", "square:c3")
    words(page, "#ply", "5 moves played")
    wide = other.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390, "a phone need not scroll sideways"
    other.context.close()
    assert other.faults == []


def test_the_strength_of_an_agent_can_be_changed(server, page):
    begin(server, page)
    words(page, "#turn", "it is your move")
    page.click("#open-seats")
    page.locator("#change [name=seat]").nth(1).fill("minimax:depth=99")
    page.click("#change [value=ok]")
    words(page, "#change .trouble", "depth is at most 3")
    page.locator("#change [name=seat]").nth(1).fill("random")
    page.click("#change [value=ok]")
    words(page, "#seats", "random")


def test_a_position_is_set_up_and_a_record_saved_and_loaded(server, page, tmp_path):
    page.goto(server.url)
    page.fill("#new [name=position]", "nonsense")
    page.click("#new [value=ok]")
    words(page, "#new .trouble", "expected 4 fields")
    page.fill("#new [name=seed]", "many")
    page.click("#new [value=ok]")
    words(page, "#new .trouble", "seed: expected a whole number")
    page.fill("#new [name=seed]", "")
    page.fill("#new [name=position]", "2B2/1b3/2R2/5/5 r tiger,ox|elephant,horse|crab 8")
    page.click("#new [value=ok]")
    press(page, "square:c3", "square:c5")
    words(page, "#turn", "Red wins")
    with page.expect_download() as saved:
        page.click("#save")
    path = tmp_path / "game.record"
    saved.value.save_as(path)
    page.click("#open-new")
    page.set_input_files("#new [name=record]", path)
    page.click("#new [value=ok]")
    words(page, "#ply", "1 move played")
    words(page, "#turn", "Red wins")


def test_a_killed_server_loses_nothing_and_the_page_goes_on(folder, browser):
    page = new_page(browser)
    server = Server(folder, "--seats", "human", OPPONENT, "--env-options", DEAL)
    try:
        begin(server, page)
        press(page, "square:b1", "square:b2")
        words(page, "#ply", "3 moves played")
        assert "Traceback" not in server.kill()
        words(page, "#error", "does not answer")
        options = "--seats", "human", OPPONENT, "--env-options", DEAL
        server = Server(folder, *options, port=server.port)
        page.locator("#error").wait_for(state="hidden")
        press(page, "square:b2", "square:c3")
        words(page, "#ply", "5 moves played")
    finally:
        server.kill()
        page.context.close()
    assert page.faults == []
