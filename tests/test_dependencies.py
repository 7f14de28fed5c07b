"""The page of dependencies lists those of `pyproject.toml`: all, each with its bound and extras."""

import re
import tomllib

from tests.locations import CHECKOUT

REQUIREMENT = re.compile(r"(?P<name>[\w-]+)(\[[\w,]+\])?>=(?P<bound>[\w.]+)")
ROW = re.compile(
    r"\| `([\w-]+)` \| ([\w.]+) \| ([\w`, ]+) \| [\w.]+ \| 20\d\d-(?:0[1-9]|1[0-2]) \| \S.* \|"
)


def required():
    """Returns bound and extras of each package; packages without an upper bound, as all are."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    lists = {"always": project["dependencies"], **project["optional-dependencies"]}
    found = {}
    for extra, requirements in lists.items():
        for text in requirements:
            if text.startswith("jaxgames["):
                continue
            match = REQUIREMENT.fullmatch(text)
            assert match, f"{text}: expected a lower bound and no upper one"
            found.setdefault((match["name"], match["bound"]), []).append(extra)
    return {key: ", ".join(extras) for key, extras in found.items()}


def test_the_table_has_each_package_with_its_bound_and_its_extras():
    page = (CHECKOUT / "docs" / "dependencies.md").read_text("utf-8")
    table = page.partition("| --- | --- | --- | --- | --- | --- |\n")[2].partition("\n\n")[0]
    rows = [ROW.fullmatch(line) for line in table.splitlines()]
    assert all(rows), table.splitlines()[rows.index(None)]
    listed = {(row[1], row[2]): row[3].replace("`", "") for row in rows}
    assert listed == required()
    names = [row[1].lower() for row in rows]
    assert names == sorted(names)
