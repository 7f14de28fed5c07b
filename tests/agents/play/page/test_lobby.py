"""The page on which people choose a game, and the way from there to the first move."""

from tests.agents.play.browser import new_page, press, serving, words

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

SHORT_CLOCK = "(name) => import('/page/clock.js').then((clock) => clock.setClock(name, 0.02))"


def test_one_click_begins_a_game_and_another_game_needs_no_restart(tmp_path, browser):
    with serving(tmp_path) as server:
        for viewport, theme in ((DESK, "light"), (PHONE, "dark")):
            page = new_page(browser, viewport=viewport, color_scheme=theme)
            page.goto(server.url)
            pictures = page.locator("#covers img")
            pictures.nth(3).wait_for()
            for picture in pictures.all():
                assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)")
                assert theme in picture.evaluate("(image) => image.currentSrc")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= viewport["width"]
            page.click("#covers a:has-text('Onitama')")
            words(page, "#turn", "it is your move")
            assert "game=onitama-" in page.url and "new=" not in page.url
            page.locator(".area.lit").first.wait_for()
            page.click("nav a:has-text('Games')")
            page.click("#covers a:has-text('Murus Gallicus')")
            words(page, "#turn", "Romans, it is your move")
            press(page, "cell:b1", "cell:b3")
            words(page, "#moves", "1. b1-b3")
            page.click("nav a:has-text('Games')")
            page.click("#begun a:has-text('Murus Gallicus')")
            words(page, "#ply", "moves played")
            page.context.close()
            assert page.faults == []


def test_options_are_chosen_in_a_form_that_explains_them(tmp_path, browser):
    with serving(tmp_path) as server:
        page = new_page(browser, viewport=PHONE)
        page.goto(server.url)
        page.click("#covers button >> nth=1")
        words(page, "#new h2", "New game of Onitama")
        words(page, "#new .option", "The game is drawn after this many moves; 1 to 255.")
        page.fill("#option-max_plies", "300")
        page.click("#new [value=ok]")
        assert page.locator("#option-max_plies").evaluate("(one) => one.validity.rangeOverflow")
        page.fill("#option-max_plies", "9")
        page.fill("#option-deck", "nonsense")
        page.click("#new [value=ok]")
        words(page, "#new .trouble", "deck")
        page.fill("#option-deck", "expansion")
        page.click("#new [value=ok]")
        words(page, "#turn", "move")
        about = server.get(f"api/games/{page.url.partition('game=')[2]}/about")
        assert about["options"] == {"deck": "expansion", "max_plies": "9"}
        page.click("#open-new")
        assert page.locator("#option-deck").input_value() == "expansion", "as it is played"
        page.click("#new [value=cancel]")
        page.goto(f"{server.url}?choose")
        page.click("#covers button >> nth=2")
        words(page, "#new h2", "New game of Terra Mystica")
        assert page.locator("#new .roles select:visible").count() == 0
        page.select_option("#option-num_players", "4")
        page.select_option("#option-factions", "chosen one by one")
        assert page.locator("#new .roles select:visible").count() == 4
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.context.close()
        assert page.faults == []


def test_a_clock_runs_for_persons_and_ends_the_game(tmp_path, browser):
    with serving(tmp_path, "--game=onitama", "--seats", "human", "human") as server:
        page = new_page(browser, viewport=DESK)
        page.goto(server.url)
        words(page, "#turn", "it is your move")
        assert not page.locator("#clock").is_visible()
        page.click("#open-new")
        page.fill("#minutes", "1")
        page.click("#new [value=ok]")
        words(page, "#clock .runs", "0:5")
        page.reload()
        words(page, "#clock .runs", "0:5")
        name = server.post("api/games")["id"]
        page.goto(f"{server.url}?game={name}")
        words(page, "#turn", "it is your move")
        page.evaluate(SHORT_CLOCK, name)
        page.reload()
        words(page, "#turn", "resigned")
        page.context.close()
        assert page.faults == []


def test_a_game_that_cannot_begin_says_why_and_leaves_the_choice(tmp_path, browser):
    with serving(tmp_path) as server:
        page = new_page(browser, viewport=DESK)
        page.goto(f"{server.url}?new=go")
        words(page, "#error", "unknown game 'go'")
        assert page.locator("#covers a").count() == 4
        page.context.close()
