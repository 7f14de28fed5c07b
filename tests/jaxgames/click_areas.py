"""The parts of a picture that can be clicked."""

import xml.etree.ElementTree as ET

TITLE = "{http://www.w3.org/2000/svg}title"


def areas(picture) -> dict[str, str]:
    """Returns the label of each part; fails if two parts have one name."""
    found: dict[str, str] = {}
    for element in ET.fromstring(picture.as_svg()).iter():
        if element.get("class") == "area":
            name = element.get("data-part")
            assert name not in found, name
            assert element.get("fill") == "none" and element.get("pointer-events") == "all"
            found[name] = element.find(TITLE).text
    return found


def effects_of(picture) -> dict[str, str]:
    """Returns what each part does, in words; empty where nothing is said."""
    return {
        element.get("data-part"): element.get("data-effect", "")
        for element in ET.fromstring(picture.as_svg()).iter()
        if element.get("class") == "area"
    }
