"""Photographs the page for the documentation: `python -m docs.assets.photograph_page`.

Two levels of each game play against each other; the page shows a position of their game, and for
the moving picture a whole game of Terra Mystica with its review. It takes some minutes, most of
them to compile; needs Chromium, `.[dev]`.
"""

import io
import pathlib
import sys
import tempfile
from typing import NamedTuple

import jax
from PIL import Image
from playwright.sync_api import Browser, Page

from jaxgames.matches import recording
from jaxgames.matches.match import match
from jaxgames.players import registry
from jaxgames.records import text as record_text
from tests.agents.play.browser import Server, chromium, serving

PLAYERS = ("level:number=5", "level:number=4")
WAIT = 900_000  # milliseconds
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
FOLDER = pathlib.Path(__file__).parent


class Photograph(NamedTuple):
    """A picture of the page."""

    name: str
    game: str
    share: float  # of the moves of the game that have been played
    theme: str = "light"
    is_phone: bool = False


PHOTOGRAPHS = (
    Photograph("play_onitama", "onitama", 0.6),
    Photograph("play_murus_gallicus", "murus_gallicus", 0.5, theme="dark"),
    Photograph("play_terra_mystica", "terra_mystica", 0.7),
    Photograph("play_tribes", "tribes", 0.5),
    Photograph("play_phone", "onitama", 0.4, theme="dark", is_phone=True),
)
FILM = "play"
FRAMES = 22
FRAME_SIZE = (960, 600)
FRAME_MILLISECONDS = 900
QUALITY = 50


def record_of(game: str) -> str:
    """Returns the record of a game of two levels, as text."""
    env = registry.make_env(game)
    result = match(env, PLAYERS, jax.random.key(1), 2, record=True)
    return record_text.to_text(*recording.of_match(env, PLAYERS, result, {}, 1))


def opened(browser: Browser, server: Server, shot: Photograph, game: str) -> Page:
    """Returns a page that shows a game."""
    size = PHONE if shot.is_phone else DESK
    context = browser.new_context(
        viewport=size, color_scheme=shot.theme, device_scale_factor=2 if shot.is_phone else 1
    )
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"{server.url}?game={game}")
    page.locator("#board svg").wait_for()
    return page


def go_to(server: Server, game: str, share: float) -> None:
    """Shows a position of a game after a share of its moves."""
    line = server.get(f"api/games/{game}")["line"]
    number = line[round(share * (len(line) - 1))]["number"]
    server.post(f"api/games/{game}/go", number=number)


def photograph(browser: Browser, server: Server, shot: Photograph, folder: pathlib.Path) -> None:
    """Writes one picture, with a hint on the board."""
    game = server.post("api/games", record=record_of(shot.game))["id"]
    page = opened(browser, server, shot, game)
    go_to(server, game, shot.share)
    view = server.get(f"api/games/{game}")
    # One person only: where facts are hidden, a second one would cover the board.
    seats = ["human" if seat == view["seat"] else "random" for seat in range(len(view["seats"]))]
    server.post(f"api/games/{game}/seats", seats=seats)
    page.locator("#turn", has_text="your move").wait_for()
    page.click("#hint")
    page.locator("#coach", has_text="Hint: ").wait_for()
    page.wait_for_timeout(1000)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(128).save(folder / f"{shot.name}.png", optimize=True)
    page.context.close()


def film(browser: Browser, server: Server, folder: pathlib.Path) -> None:
    """Writes a moving picture of a game of Terra Mystica, with the review of its moves."""
    game = server.post("api/games", record=record_of("terra_mystica"))["id"]
    page = opened(browser, server, Photograph(FILM, "terra_mystica", 1), game)
    page.click("#review button")
    page.locator("#review", has_text="a move").wait_for()
    page.mouse.move(0, 0)  # away from what has a tooltip
    frames = []
    for at in range(FRAMES):
        go_to(server, game, at / (FRAMES - 1))
        page.wait_for_timeout(1500)
        page.locator("#graph").scroll_into_view_if_needed()
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(FRAME_SIZE))
    frames[0].save(
        folder / f"{FILM}.webp",
        save_all=True,
        append_images=frames[1:],
        duration=[*[FRAME_MILLISECONDS] * (FRAMES - 1), 4 * FRAME_MILLISECONDS],
        quality=QUALITY,
        method=6,
    )
    page.context.close()


def main(folder: pathlib.Path, names: list[str]) -> None:
    """Writes the pictures of these names, by default all."""
    with (
        tempfile.TemporaryDirectory() as games,
        chromium() as browser,
        serving(pathlib.Path(games)) as server,
    ):
        for shot in PHOTOGRAPHS:
            if not names or shot.name in names:
                photograph(browser, server, shot, folder)
        if not names or FILM in names:
            film(browser, server, folder)


if __name__ == "__main__":
    main(FOLDER, sys.argv[1:])
