"""The page on which people choose a game, and the way from there to the first move."""

import pytest

from tests.agents.play.browser import chromium, new_page, press, serving, words

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


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
            page.click("nav a:has-text('All games')")
            page.click("#covers a:has-text('Murus Gallicus')")
            words(page, "#turn", "Romans, it is your move")
            press(page, "cell:b1", "cell:b3")
            words(page, "#moves", "1. b1-b3")
            page.click("nav a:has-text('All games')")
            page.click("#begun a:has-text('Murus Gallicus')")
            words(page, "#ply", "moves played")
            page.context.close()
            assert page.faults == []


def test_a_game_that_cannot_begin_says_why_and_leaves_the_choice(tmp_path, browser):
    with serving(tmp_path) as server:
        page = new_page(browser, viewport=DESK)
        page.goto(f"{server.url}?new=go")
        words(page, "#error", "unknown game 'go'")
        assert page.locator("#covers a").count() == 4
        page.context.close()
