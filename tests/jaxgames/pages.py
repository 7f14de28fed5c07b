"""Pages of games in the documentation."""

import re
import types

from tests.locations import CHECKOUT

ASSETS = CHECKOUT / "docs" / "assets"


def read(game: str) -> str:
    return (CHECKOUT / "docs" / "games" / f"{game}.md").read_text()


def rows(page: str, first: str) -> list[list[str]]:
    """Returns the cells of the rows whose first cell matches a pattern, in order."""
    lines = re.findall(rf"^\| (?:{first}) \|.*$", page, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def run(page: str) -> types.SimpleNamespace:
    """Returns the variables of the examples of a page after their run."""
    example = types.SimpleNamespace()
    for source in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(source, vars(example))
    return example
