"""Draws the pictures of the page anew: `python -m docs.assets.make_play_pictures [NAME...]`.

Needs a browser, as the tests of the page do. Run it from the root of the checkout.
"""

import io
import pathlib
import sys
import tempfile
from typing import Any

from PIL import Image

from tests.agents.play import positions
from tests.agents.play.browser import Server, chromium, new_page, press, serving, words

FOLDER = pathlib.Path(__file__).parent
COLOURS = 128  # of a picture: fewer make smaller files
WIDE = {"viewport": {"width": 1360, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 1180}, "device_scale_factor": 2}
DARK = {"color_scheme": "dark"}

ONITAMA = "1bB1b/3b1/1b1r1/2R2/rr2r r ox,tiger|boar,crab|dragon 14"
MURUS = "7t/1t1ttw2/1t1wc3/4T3/4CTT1/3W3W/TT6 r 20"
START = "bbBbb/5/5/5/rrRrr r elephant,goose|monkey,rooster|dragon 0"
MOVES = """
    goose:e1d2 monkey:b5a4 elephant:a1b2 goose:a5b4 dragon:b2d3 elephant:a4b3 goose:d2c2
    rooster:b3a3 elephant:c1d2 goose:b4a4 monkey:b1a2 elephant:a4b4 rooster:a2b3 dragon:b4d3
"""
FRAME_MS, LAST_MS = 900, 2500


def main(names: list[str]) -> None:
    """Draws all pictures, or those of some names."""
    pictures = {
        "onitama": onitama,
        "phone": phone,
        "murus_gallicus": murus_gallicus,
        "terra_mystica": terra_mystica,
        "tribes": tribes,
        "game": moving_picture,
    }
    with chromium() as browser:
        for name in names or pictures:
            with tempfile.TemporaryDirectory() as folder:
                pictures[name](browser, pathlib.Path(folder))


def begin(server: Server, browser: Any, options: dict[str, Any], **body: Any) -> Any:
    """Returns a page with a new game."""
    page = new_page(browser, **options)
    page.set_default_timeout(900_000)
    name = server.post("api/games", **body)["id"]
    page.goto(f"{server.url}?game={name}")
    words(page, "#turn", "it is your move")
    return page


def save(page: Any, name: str) -> None:
    """Writes what the page shows."""
    page.locator("#progress").wait_for(state="hidden")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(page.screenshot()))
    small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(FOLDER / f"play_{name}.png", optimize=True)
    page.context.close()


def onitama(browser: Any, folder: pathlib.Path) -> None:
    """Draws a hint in the middle of a game."""
    with serving(folder) as server:
        page = begin(server, browser, WIDE, position=START, seats=["human", "human"])
        name = page.url.partition("game=")[2]
        for number, move in enumerate(MOVES.split()):
            server.post(f"api/games/{name}/play", number=number, move=move)
        page.click("#fill")
        count = 2 * (len(MOVES.split()) + 1)
        page.locator("#graph .dot").nth(count - 1).wait_for()
        page.click("#hint")
        words(page, "#search", "plays")
        save(page, "onitama")


def phone(browser: Any, folder: pathlib.Path) -> None:
    """Draws a chosen piece on a small screen."""
    with serving(folder) as server:
        page = begin(server, browser, PHONE, position=ONITAMA, seats=["human", "human"])
        press(page, "square:c2")
        save(page, "phone")


def murus_gallicus(browser: Any, folder: pathlib.Path) -> None:
    """Draws a chosen tower and its targets."""
    with serving(folder, "--game=murus_gallicus") as server:
        page = begin(server, browser, WIDE, position=MURUS, seats=["human", "human"])
        page.click("#hint")
        words(page, "#search", "plays")
        press(page, "cell:e4")
        save(page, "murus_gallicus")


def terra_mystica(browser: Any, folder: pathlib.Path) -> None:
    """Draws a hex with what can be done there."""
    options = f"--env-options={positions.TERRA_MYSTICA_OPTIONS}"
    with serving(folder, "--game=terra_mystica", options, "--seats", "human", "human") as server:
        page = begin(server, browser, WIDE, position=positions.TERRA_MYSTICA)
        press(page, "hex:B2")
        save(page, "terra_mystica")


def tribes(browser: Any, folder: pathlib.Path) -> None:
    """Draws the targets of a unit under fog."""
    options = f"--env-options={positions.TRIBES_OPTIONS}"
    with serving(folder, "--game=tribes", options, "--seats", "human", "random") as server:
        page = begin(server, browser, WIDE | DARK, position=positions.TRIBES)
        page.click("#menu button >> nth=0")
        words(page, "#ply", "1 move played")
        press(page, "tile:b2")
        words(page, "#chosen", "Chosen: b2")
        save(page, "tribes")


def moving_picture(browser: Any, folder: pathlib.Path) -> None:
    """Draws a game that is won by clicks, as an animation."""
    frames: list[Image.Image] = []

    def shoot(page: Any) -> None:
        page.wait_for_timeout(300)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        small = picture.resize(
            (picture.width * 2 // 3, picture.height * 2 // 3), Image.Resampling.LANCZOS
        )
        frames.append(small)

    deal = "--env-options=deal=tiger,ox|elephant,horse|crab"
    with serving(folder, deal, "--seats", "human", "first_legal") as server:
        page = begin(server, browser, {"viewport": {"width": 1180, "height": 800}})
        page.click("#hint")
        words(page, "#search", "plays")
        shoot(page)
        for clicks in (
            ("square:b1", "square:b2"),
            ("square:b2", "square:c3"),
            ("square:c3", "square:c5"),
        ):
            press(page, clicks[0])
            shoot(page)
            press(page, clicks[1])
            page.wait_for_timeout(700)
            if clicks[1] != "square:c5":
                page.click("#hint")
                words(page, "#search", "plays")
            shoot(page)
        page.context.close()
    first, *others = [frame.quantize(64, dither=Image.Dither.NONE) for frame in frames]
    times = [FRAME_MS] * len(others) + [LAST_MS]
    first.save(FOLDER / "play.gif", save_all=True, append_images=others, duration=times, loop=0)


if __name__ == "__main__":
    main(sys.argv[1:])
