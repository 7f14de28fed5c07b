"""Animations as they look at one time."""

import xml.etree.ElementTree as ET

from jaxgames.pictures import animation

_ANIMATION = "{http://www.w3.org/2000/svg}animate"


def seen(text: str, time: float, num_games: int) -> ET.Element:
    """Returns an animation as it looks at a time, counted in frames, apart from what glides."""
    root, num_frames = ET.fromstring(text), num_games + animation.HOLD
    for parent in list(root.iter()):
        for child in list(parent):
            change = child.find(_ANIMATION)
            if change is not None:
                times = [float(value) for value in change.get("keyTimes").split(";")]
                index = max(i for i, value in enumerate(times) if value <= time / num_frames)
                if change.get("values").split(";")[index] == "hidden":
                    parent.remove(child)
            elif child.get("visibility") == "hidden":
                parent.remove(child)
    return root


def drop_areas(root: ET.Element) -> None:
    """Removes the parts that can be clicked, which only still pictures have."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("class") == "area":
                parent.remove(child)
