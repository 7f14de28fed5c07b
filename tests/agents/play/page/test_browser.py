"""One story a game in a browser: clicks, keys, drags, undo, hints, other pages, a killed server."""

import pytest

from tests.agents.play import positions
from tests.agents.play.browser import Server, chromium, new_page, part, press, serving, words

DEAL = "deal=tiger,ox|elephant,horse|crab"  # Blue begins; its first legal moves lose in three
OPTIONS = "--game=onitama", "--env-options", DEAL, "--seats", "human", "first_legal"
ANALYST = "gumbel:evaluator=uniform,simulations=8"
# The Roman tower on d4 can strike the Gallic wall on d5.
STRIKE = "tttttt1t/8/3w4/3T4/8/8/TTTTTTT1 r 20"


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser):
    shown = new_page(browser, viewport={"width": 1500, "height": 1000})
    yield shown
    shown.context.close()
    assert shown.faults == []


def begin(server, page, **body):
    name = server.post("api/games", **body)["id"]
    page.goto(f"{server.url}?game={name}")
    return name


def title(page, name):
    return part(page, name).get_attribute("aria-label")


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


CHOICES = """async () => {
  const { choose, click } = await import("/page/chooser.js");
  const { clickWords } = await import("/page/choice.js");
  const move = (text, parts, more = [], asks = false) =>
    ({ text, words: text, paths: [[parts, more, asks]] });
  const moves = [
    move("one", ["square:a", "square:b"], ["card:x"]),
    move("two", ["square:a", "square:b"], ["card:y"]),
    move("back", ["square:b", "square:a"], ["card:y"]),
    move("end", []),
    move("pass", ["tile:z"], [], true),
    move("build", ["hex:q"]),
    move("dig", ["hex:r"]),
    move("fill", ["hex:r"]),
    move("c4", ["hex:c4"]),
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
    look(["tile:z"]),
    ["square:a", "tile:z", "hex:q", "hex:r", "hex:c4"].map((part) => clickWords(moves, [], part)),
    clickWords(moves, ["square:a"], "hex:q"),
  ];
}"""


def test_murus_gallicus_and_clicks_among_moves_with_equal_parts(tmp_path, page):
    with serving(tmp_path, "--game=murus_gallicus", "--seats", "human", "human") as server:
        begin(server, page, position=STRIKE)
        words(page, "#turn", "Romans, it is your move")
        assert page.evaluate(CHOICES) == [
            [
                ["card:x", "card:y", "hex:c4", "hex:q", "hex:r", "square:a", "square:b", "tile:z"],
                ["one", "two", "back", "end", "pass", "build", "dig", "fill", "c4"],
                [],
                None,
            ],
            [["card:x", "card:y"], ["one", "two"], ["one", "two"], None],
            [["square:a"], ["one"], [], None],
            [[], ["one"], ["one"], "one"],
            [],
            [],
            ["square:b"],
            [[], ["pass"], ["pass"], None],  # a button must be pressed
            [
                "",
                "A click offers: pass.",
                "A click plays: build.",
                "A click offers: dig, fill.",
                "",
            ],
            "",
        ]
        assert "wall of the Gauls" in title(page, "cell:d5")
        drag(page, "cell:d4", "cell:d5")
        words(page, "#turn", "Gauls, it is your move")
        assert page.locator("#moves button").all_text_contents() == ["d4-d5"]
        assert title(page, "cell:d5") == "d5"
        begin(server, page)
        words(page, "#turn", "Romans, it is your move")
        drag(page, "cell:b1", "cell:g5")  # to nowhere: the stack stays chosen
        words(page, "#ply", "0 moves played")
        assert page.locator("#moves button").count() == 0
        drag(page, "cell:b1", "cell:b3")
        words(page, "#ply", "1 move played")
        press(page, "cell:c7", "cell:c5")
        words(page, "#ply", "2 moves played")


def drag(page, start, end):
    boxes = [part(page, name).bounding_box() for name in (start, end)]
    places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=5)
    page.mouse.up()


@pytest.mark.slow  # the rules compile for minutes
def test_terra_mystica(tmp_path, page):
    page.set_default_timeout(600_000)
    options = f"--env-options={positions.TERRA_MYSTICA_OPTIONS}"
    seats = "--seats", "human", "human"
    with serving(tmp_path, "--game=terra_mystica", options, *seats) as server:
        begin(server, page, position=positions.TERRA_MYSTICA)
        words(page, "#turn", "Mermaids, it is your move")
        press(page, "hex:B2")
        words(page, "#chosen", "B2, brown")
        page.click("#menu button:text-is('Transform B2 to blue')")
        words(page, "#ply", "1 move played")
        words(page, ".heading", "build on B2")
        press(page, "hex:B2")
        words(page, "#moves .turn", "Build a dwelling on B2")
        assert title(page, "hex:B2") == "B2, blue, dwelling"
        page.click("#menu button:text-is('Done (end)')")
        words(page, "#turn", "Nomads, it is your move")
        assert page.locator("#menu button").all_text_contents() == [
            "Take power (leech)",
            "Decline the power",
        ]
        page.click("#menu button:text-is('Decline the power')")
        words(page, "#moves button", "Decline the power")
        page.click("#undo")
        words(page, "#turn", "Nomads, it is your move")
        page.click("#menu button:text-is('Take power (leech)')")
        words(page, "#moves button", "Take power (leech)")
        page.keyboard.press("<")
        words(page, "#branches", "Tried here")


@pytest.mark.slow
def test_tribes_under_fog(tmp_path, page):
    page.set_default_timeout(600_000)
    options = f"--env-options={positions.TRIBES_OPTIONS}"
    with serving(tmp_path, "--game=tribes", options, "--seats", "human", "rule_based") as server:
        name = begin(server, page, position=positions.TRIBES)
        words(page, "#turn", "Xin-Xi, it is your move")
        choices = page.locator("#menu button").all_text_contents()
        assert choices == ["Level up: workshop", "Level up: explorer"]
        page.click("#menu button:text-is('Level up: workshop')")
        words(page, "#ply", "1 move played")
        assert "warrior of Bardur, 10 of 10 HP" in title(page, "tile:b3")
        press(page, "tile:b2")
        words(page, "#chosen", "Chosen: b2")
        page.keyboard.press("Escape")
        words(page, "#ply", "1 move played")
        press(page, "tile:b2", "tile:b3")
        words(page, "#moves button", "b2: attack b3")
        assert "warrior of Bardur, 10 of 10 HP" not in title(page, "tile:b3")
        page.click("#menu button:text-is('End the turn')")
        words(page, "#turn", "Xin-Xi, it is your move")
        words(page, "#moves summary", "Bardur")
        # Nothing that the page gets names what the fog hides.
        view = server.get(f"api/games/{name}?seat=1")
        assert view["viewpoint"] == 0 and view["position"] is None
        assert {entry["move"] for entry in view["line"][1:] if entry["seat"] == 1} == {"…"}
        assert title(page, "tile:g7") == "g7: fog"
        assert "Bardur" not in title(page, "tile:h7")
        assert page.locator("#copy").is_disabled() and page.locator("#save").is_disabled()
