"""Axe finds no serious hindrance: all games, dialogs, desk, phone, light, dark."""

import pytest

from tests.agents.play.browser import new_page, serving, words
from tests.agents.play.page.test_layout import DEAL, DESK, GAMES, PHONE, SEATS, open_game

SERIOUS = ("serious", "critical")
DIALOGS = {
    "rules": "#open-rules",
    "new": "#open-new",
    "import": "#open-import",
    "change": "#open-seats",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    with serving(folder, "--game=onitama", f"--env-options={DEAL}", *SEATS) as running:
        yield running


def hindrances(page):
    """Returns the serious violations that axe finds, with the elements."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]])
        for one in found
        if one["impact"] in SERIOUS
    ]


def boards():
    """Returns every game in every view; those beyond one view a game are slow."""
    views = [(viewport, theme) for viewport in (DESK, PHONE) for theme in ("light", "dark")]
    for number, game in enumerate(GAMES):
        for place, view in enumerate(views):
            marks = () if place == number else pytest.mark.slow
            yield pytest.param(game, *view, marks=marks)


@pytest.mark.parametrize(("game", "viewport", "theme"), list(boards()))
def test_boards(server, browser, game, viewport, theme):
    page = open_game(server, browser, game, viewport, color_scheme=theme)
    assert hindrances(page) == []
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dialogs_and_the_choice_of_games(server, browser, theme):
    page = open_game(server, browser, "onitama", DESK, color_scheme=theme)
    for name, button in DIALOGS.items():
        page.click(button)
        page.locator(f"#{name}[open]").wait_for()
        assert hindrances(page) == [], name
        page.keyboard.press("Escape")
    page.context.close()
    lobby = new_page(browser, viewport=DESK, color_scheme=theme)
    lobby.goto(f"{server.url}?choose")
    words(lobby, "#lobby", "Onitama")
    assert hindrances(lobby) == []
    lobby.context.close()
