"""The study of Murus Gallicus: its stored records made anew, wrong options, a small run."""

import json
import re
import shutil

import pytest

from papers import studies
from papers.murus_gallicus import study

RECORDS = studies.RECORDS / study.GAME


@pytest.mark.parametrize("part", study.TEXTS)
def test_tables_and_pictures_of_the_records_are_made_anew_from_their_numbers(part, tmp_path):
    shutil.copy(RECORDS / f"{part}.json", tmp_path)
    study.main(["--redraw", "--parts", part, f"--output={tmp_path}"])
    pages = [(folder / f"{part}.md").read_text().splitlines() for folder in (tmp_path, RECORDS)]
    made, stored = ([line for line in page if line.startswith("|")] for page in pages)
    assert made == stored
    committed = studies.PAPERS / study.GAME / "figures" / f"{part}.svg"
    words, wanted = (
        re.findall(r">([^<>]+)</text>", path.read_text())
        for path in (tmp_path / f"{part}.svg", committed)
    )
    assert words == wanted and len(words) > 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--parts", "nodes", "--positions=2"], "positions must be at least 3, got 2"),
        (["--parts", "ladder", "--games=3"], "got 3"),
        (["--parts", "nodes", "--depth=0"], "expected a whole number from 1 to 2147483647"),
        (["--parts", "ladder", "--redraw"], "there is no record"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        study.main([*arguments, f"--output={tmp_path}"])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_parts_are_played_and_values_are_equal(tmp_path, monkeypatch):
    monkeypatch.setitem(study.MATCHES, "ladder", (("negascout:depth=1", "random"),))
    arguments = ["--depth=3", "--positions=3", "--games=2", f"--output={tmp_path}"]
    study.main(["--parts", "nodes", "ladder", *arguments])
    assert "Values of all three: equal in every position." in (tmp_path / "nodes.md").read_text()
    (match,) = json.loads((tmp_path / "ladder.json").read_text())["ladder"]
    assert match["wins"] + match["draws"] + match["losses"] == 2
    assert not list(tmp_path.glob("*.npz"))
