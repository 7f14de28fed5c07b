"""A story in a browser: clicks, keys, undo, hints, other pages, a killed server."""

from tests.agents.play.browser import (
    Server,
    begin,
    new_page,
    part,
    press,
    serving,
    title,
    words,
)

DEAL = "deal=tiger,ox|elephant,horse|crab"  # Blue begins; its first legal moves lose in three
OPTIONS = "--game=onitama", "--env-options", DEAL, "--seats", "human", "first_legal"
ANALYST = "gumbel:evaluator=uniform,simulations=8"


def change_views(page, change):
    """Changes what the page is told of a position."""

    def fulfil(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), **change(response.json())})

    page.route("**/api/games/*?theme=*", fulfil)


def test_onitama(tmp_path, browser, page):
    with serving(tmp_path / "games", *OPTIONS) as server:
        play_to_the_end(server, page)
        take_back_and_branch(server, page)
        resign(server, page)
        ask_for_an_analysis(server, page)
        change_who_plays(server, page)
        choose_a_strength(server, page)
        set_up_save_and_load(server, page, tmp_path / "game.record")
        look_from_two_pages(server, page, browser)


def play_to_the_end(server, page):
    page.goto(server.url)
    words(page, "#turn", "Red, it is your move")
    press(page, "square:b1")
    words(page, "#chosen", "b1, Red student")
    assert "chosen" in part(page, "square:b1").get_attribute("class")
    page.keyboard.press("Escape")
    words(page, "#chosen", "Choose on the board")
    page.keyboard.press("/")
    page.keyboard.type("ox b1b2")
    assert page.locator("#list button").all_text_contents() == ["ox: b1 to b2"]
    page.keyboard.press("Enter")
    words(page, "#ply", "3 moves played")
    press(page, "card:elephant", "square:b2", "square:c3")
    words(page, "#ply", "5 moves played")
    part(page, "square:c3").focus()
    page.keyboard.press("Enter")
    part(page, "square:c5").focus()
    page.keyboard.press(" ")
    words(page, "#turn", "The game is over: Red won")
    assert page.locator(".area.lit").count() == 0
    page.keyboard.press("Home")
    words(page, "#ply", "0 moves played")
    page.locator("#moves button").nth(1).click()
    words(page, "#ply", "2 moves played")
    assert part(page, "square:b2").get_attribute("role") == "img"
    assert "Red student" in title(page, "square:b2")


def take_back_and_branch(server, page):
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
    assert page.locator("#branches button").all_text_contents() == ["ox: b1 to b2", "ox: a1 to a2"]


def resign(server, page):
    begin(server, page)
    press(page, "square:b1", "square:b2")
    words(page, "#ply", "3 moves played")
    words(page, "#since", "Blue")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#resign")
    words(page, "#turn", "The game is over: Red resigned, Blue won")
    assert page.locator("#resign").is_disabled()
    page.keyboard.press("u")
    words(page, "#turn", "Red, it is your move")
    assert page.locator("#ply").text_content() == "3 moves played"


def ask_for_an_analysis(server, page):
    begin(server, page)
    page.click("#other-agent summary")
    page.fill("#analyst", ANALYST)
    page.click("#analyse")
    words(page, "#search", "9 visits, plays")
    assert page.locator("#best tr.pick").count() == 5
    assert page.locator("#board .arrow path").count() == 5
    assert page.locator("#seats [role=meter]").count() == 2
    page.locator("#graph .dot").first.wait_for()
    page.locator("#best button").nth(1).focus()
    chosen = page.locator("#best button").nth(1).text_content()
    page.keyboard.press("Enter")
    assert page.locator("#board .arrow path").count() == 1
    assert page.evaluate("document.activeElement.textContent") == chosen, "the focus stays"


def change_who_plays(server, page):
    begin(server, page)
    words(page, "#turn", "it is your move")
    page.click("#open-seats")
    row = page.locator("#change .seat").nth(1)
    row.locator("select").select_option("other")
    row.locator("[list=specs]").fill("minimax:depth=99")
    page.click("#change [value=ok]")
    words(page, "#change .trouble", "depth is at most 3")
    row.locator("[list=specs]").fill("random")
    page.click("#change [value=ok]")
    words(page, "#seats", "Random player")
    assert specs_of(server, page) == ["human", "random"]


def choose_a_strength(server, page):
    begin(server, page)
    page.click("#open-seats")
    rows = page.locator("#change .seat")
    assert rows.locator("select").evaluate_all("all => all.map((one) => one.value)") == [
        "person",
        "other",
    ]
    rows.nth(1).locator("select").select_option("computer")
    slider = rows.nth(1).locator("[type=range]")
    assert slider.get_attribute("aria-valuetext").startswith("Level 3")
    slider.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext").startswith("Level 2")
    slider.press("Home")
    words(page, "#change .strength strong", "Level 1")
    page.click("#change [value=ok]")
    page.locator("#change").wait_for(state="hidden")
    assert specs_of(server, page) == ["human", "level:number=1"]
    page.click("#open-seats")
    assert rows.nth(1).locator("select").input_value() == "computer"
    assert slider.input_value() == "1"
    rows.nth(0).locator("select").select_option("computer")
    rows.nth(1).locator("select").select_option("person")
    page.click("#change [value=ok]")
    page.locator("#change").wait_for(state="hidden")
    assert specs_of(server, page) == ["level:number=3", "human"]


def specs_of(server, page):
    """Returns the spec of each seat of the game that a page shows."""
    name = page.evaluate("new URL(location.href).searchParams.get('game')")
    return [seat["spec"] for seat in server.get(f"api/games/{name}")["seats"]]


def set_up_save_and_load(server, page, path):
    page.goto(server.url)
    page.click("#open-new")
    page.click("#new .begin summary")
    for field, text, trouble in (
        ("position", "nonsense", "expected 4 fields"),
        ("seed", "many", "seed: expected a whole number"),
    ):
        page.fill(f"#new [name={field}]", text)
        page.click("#new [value=ok]")
        words(page, "#new .trouble", trouble)
    page.fill("#new [name=seed]", "")
    page.fill("#new [name=position]", "2B2/1b3/2R2/5/5 r tiger,ox|elephant,horse|crab 8")
    page.click("#new [value=ok]")
    press(page, "square:c3", "square:c5")
    words(page, "#turn", "Red won")
    with page.expect_download() as saved:
        page.click("#save")
    saved.value.save_as(path)
    page.click("#open-new")
    page.set_input_files("#new [name=record]", path)
    page.click("#new [value=ok]")
    words(page, "#ply", "1 move played")
    words(page, "#turn", "Red won")


def look_from_two_pages(server, page, browser):
    game = begin(server, page, seats=["human", "human"])
    for name in ("square:b5", "square:b4"):
        page.locator(f'.area.lit[data-part="{name}"]').focus()
        page.keyboard.press("Enter")
    words(page, "#ply", "1 move played")
    server.post(f"api/games/{game}/play", number=1, move="ox:b1b2")
    words(page, "#ply", "2 moves played")
    # The focus comes back to the board when it is lit again.
    page.wait_for_function("document.activeElement.dataset.part === 'square:b4'")
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


def test_a_killed_server_loses_nothing_and_the_page_goes_on(tmp_path, page):
    server = Server(tmp_path, *OPTIONS)
    try:
        begin(server, page)
        press(page, "square:b1", "square:b2")
        words(page, "#ply", "3 moves played")
        assert "Traceback" not in server.kill()
        words(page, "#error", "does not answer")
        server = Server(tmp_path, *OPTIONS, port=server.port)
        page.locator("#error").wait_for(state="hidden")
        press(page, "square:b2", "square:c3")
        words(page, "#ply", "5 moves played")
    finally:
        server.kill()


def test_what_one_person_knows_is_covered_and_why_an_agent_stops_is_shown(tmp_path, page):
    with serving(tmp_path, *OPTIONS) as server:
        change_views(page, lambda view: {"viewpoint": view["seat"]})
        begin(server, page, seats=["human", "human"])
        words(page, "#curtain", "The board as Blue knows it")
        assert not page.locator("aside").is_visible() and not page.locator("#board").is_visible()
        page.keyboard.press("u")
        page.click("#curtain button")
        words(page, "#turn", "Blue, it is your move")
        press(page, "square:b5", "square:b4")
        words(page, "#curtain", "The board as Red knows it")
        assert not page.locator("#list").is_visible()
        assert page.locator("#turn").text_content() == ""
        page.unroute_all(behavior="wait")
        change_views(page, lambda view: {"error": "first_legal: no network"})
        begin(server, page)
        words(page, "#error", "first_legal: no network")
        page.wait_for_timeout(300)
        assert page.locator("#error").is_visible()
