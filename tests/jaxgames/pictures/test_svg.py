import re
import xml.etree.ElementTree as ET

import pytest

from jaxgames.pictures import animation, svg

SVG = "{http://www.w3.org/2000/svg}"


def square(size: float, title: str = "") -> svg.Picture:
    body = svg.Group()
    body.append(svg.Rectangle(0, 0, size, size, fill="red"))
    return svg.Picture(body, size, size, title)


def groups_with(root: ET.Element, tag: str) -> list[ET.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}{tag}") is not None]


def test_saved_file_is_the_text_and_has_size_and_title(tmp_path):
    picture = square(40, "a <red> square")
    picture.save(tmp_path / "square.svg")
    text = (tmp_path / "square.svg").read_text()
    assert text == picture.as_svg() + "\n" == square(40, "a <red> square").as_svg() + "\n"
    root = ET.fromstring(text)
    assert (root.get("width"), root.get("height")) == ("40", "40")
    assert root.find(f"{SVG}title").text == "a <red> square"


def test_notebook_shows_a_picture_by_itself():
    assert ET.fromstring(square(40)._repr_svg_()).tag == f"{SVG}svg"


@pytest.mark.parametrize(
    ("columns", "places", "size"),
    [
        (None, ["0,0", "50,0", "0,50"], ("90", "90")),
        (1, ["0,0", "0,50", "0,100"], ("40", "140")),
        (9, ["0,0", "50,0", "100,0"], ("140", "40")),
    ],
)
def test_grid_places_pictures_row_by_row(columns, places, size):
    root = ET.fromstring(svg.grid([square(40), square(20), square(30)], columns, gap=10).as_svg())
    cells = [group.get("transform") for group in root.iter(f"{SVG}g") if group.get("transform")]
    assert cells == [f"translate({place})" for place in places]
    assert (root.get("width"), root.get("height")) == size


def test_each_part_is_shown_in_its_own_time_and_the_first_without_smil():
    body, timeline = svg.Group(), animation.Timeline(3, 0.5)
    for frame in range(3):
        part = svg.Group()
        timeline.show(part, [(frame, frame + 1)])
        body.append(part)
    root = ET.fromstring(svg.Picture(body, 1, 1).as_svg())
    frames = groups_with(root, "animate")
    assert [frame.get("visibility") for frame in frames] == ["visible", "hidden", "hidden"]
    animations = [frame.find(f"{SVG}animate") for frame in frames]
    assert [a.get("values") for a in animations] == [
        "visible;hidden",
        "hidden;visible;hidden",
        "hidden;visible",
    ]
    assert [a.get("keyTimes") for a in animations] == [
        "0;0.33333",
        "0;0.33333;0.66667",
        "0;0.66667",
    ]
    assert {a.get("dur") for a in animations} == {"1.5s"}


def test_part_that_is_always_seen_is_not_animated():
    part = svg.Group()
    animation.Timeline(2, 1.0).show(part, [(0, 2)])
    text = svg.Picture(part, 1, 1).as_svg()
    assert 'visibility="visible"' in text
    assert "<animate" not in text


def test_slide_glides_from_the_offset_to_the_place():
    part = svg.Group()
    animation.Timeline(4, 1.0).slide(part, 1, 1.5, dx=-60, dy=30)
    text = svg.Picture(part, 1, 1).as_svg()
    assert re.search(r'values="-60,30;-60,30;0,0;0,0"', text)
    assert re.search(r'keyTimes="0;0.25;0.375;1"', text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: svg.get_theme("blue"), "unknown theme 'blue'; available: light, dark"),
        (lambda: svg.grid([]), "at least one picture"),
        (lambda: svg.grid([square(1)], columns=0), "columns must be at least 1, got 0"),
        (lambda: animation.Timeline(0, 1.0), "at least one frame, got 0"),
        (lambda: animation.Timeline(1, 0), "the seconds for each move must be .* 1.0, got 0"),
        (lambda: animation.Timeline(1, "1"), "must be a positive number such as 1.0, got '1'"),
        (lambda: animation.Timeline(1, float("nan")), "must be a positive number .*, got nan"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
