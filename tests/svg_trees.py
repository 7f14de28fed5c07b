"""Pictures as trees of elements: what tests look for in them, and animations at one time."""

import collections
import xml.etree.ElementTree as ET

from jaxgames.pictures import animation

SVG = "{http://www.w3.org/2000/svg}"


def tree(picture) -> ET.Element:
    return ET.fromstring(picture.as_svg())


def words(root: ET.Element) -> list[str]:
    return [text.text for text in root.iter(f"{SVG}text") if text.text]


def having(root: ET.Element, *classes: str) -> list[ET.Element]:
    """Returns the elements that have all of some classes."""
    return [e for e in root.iter() if set(classes) <= set((e.get("class") or "").split())]


def starts(film: ET.Element) -> list[tuple[float, float]]:
    """Returns where gliding parts come from, as pixels beside their places."""
    values = [a.get("values").split(";")[0] for a in film.iter(f"{SVG}animateTransform")]
    return sorted(tuple(float(number) for number in value.split(",")) for value in values)


def seen(text: str, time: float, num_games: int) -> ET.Element:
    """Returns an animation as it looks at a time, counted in frames, apart from what glides."""
    root, num_frames = ET.fromstring(text), num_games + animation.HOLD
    for parent in list(root.iter()):
        for child in list(parent):
            change = child.find(f"{SVG}animate")
            if change is not None:
                times = [float(value) for value in change.get("keyTimes").split(";")]
                index = max(i for i, value in enumerate(times) if value <= time / num_frames)
                if change.get("values").split(";")[index] == "hidden":
                    parent.remove(child)
            elif child.get("visibility") == "hidden":
                parent.remove(child)
    return root


def content(root: ET.Element) -> collections.Counter:
    """Returns texts, classes and titles of all parts; a still picture without its areas."""
    found = collections.Counter(words(root))
    parts = [e for e in root.iter() if e.get("class") not in (None, "area")]
    found.update(e.get("class") for e in parts)
    found.update(title.text for part in parts for title in part.findall(f"{SVG}title"))
    return found


def check_film(renderer, rules, games) -> str:
    """Returns an animation, after a check that each of its frames is the picture of its game."""
    text = renderer.animate(rules, games, seconds_per_move=2).as_svg()
    for frame, (before, game) in enumerate(zip([None, *games], games, strict=False)):
        still = content(tree(renderer.render(rules, game, before)))
        assert content(seen(text, frame + 0.9, len(games))) == still, frame
    rest = len(games) + animation.HOLD - 0.1
    last = content(tree(renderer.render(rules, games[-1], games[-2])))
    assert content(seen(text, rest, len(games))) == last
    assert f'dur="{2 * (len(games) + animation.HOLD)}s"' in text
    return text
