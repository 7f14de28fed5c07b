"""The boards of the other games in a browser: clicks among moves with equal parts, drags, fog."""

import pytest

from tests.agents.play import positions
from tests.agents.play.browser import begin, part, press, serving, title, words

# The Roman tower on d4 can strike the Gallic wall on d5.
STRIKE = "tttttt1t/8/3w4/3T4/8/8/TTTTTTT1 r 20"


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
