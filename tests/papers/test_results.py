"""Records of studies are in one folder, their pictures beside the page of the paper."""

import os

import pytest

from papers import results


def test_pictures_of_the_project_s_records_are_beside_the_page():
    folder = results.figures_of(results.RECORDS / "tribes" / "other.md", "tribes")
    assert folder == results.PAPERS / "tribes" / "figures"
    assert (folder.parent / "README.md").is_file()


def test_pictures_of_other_records_are_beside_the_record(tmp_path):
    output = tmp_path / "study.md"
    assert results.figures_of(output, "tribes") == tmp_path
    assert results.link(tmp_path / "study.png", output) == "study.png"


@pytest.mark.parametrize("record", sorted(results.RECORDS.rglob("*.md")), ids=lambda p: p.stem)
def test_records_show_pictures_that_exist(record):
    for line in record.read_text().splitlines():
        if line.startswith("!["):
            path = line.partition("](")[2].removesuffix(")")
            assert (record.parent / path).is_file()
            assert results.link(record.parent / path, record) == path


def test_a_record_is_recognised_by_any_path(monkeypatch):
    monkeypatch.chdir(results.PAPERS)
    relative = os.path.relpath(results.RECORDS / "tribes" / "study.md")
    assert results.figures_of(results.PAPERS / relative, "tribes") == results.figures("tribes")
