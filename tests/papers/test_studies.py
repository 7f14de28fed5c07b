"""Records of studies are in one folder, their pictures beside the page of the paper."""

import os

import pytest

from papers import studies


def test_pictures_of_the_project_s_records_are_beside_the_page_others_beside_the_record(
    tmp_path, monkeypatch
):
    folder = studies.PAPERS / "tribes" / "figures"
    monkeypatch.chdir(studies.PAPERS)
    relative = os.path.relpath(studies.RECORDS / "tribes" / "study.md")
    for output in (studies.RECORDS / "tribes" / "other.md", studies.PAPERS / relative):
        assert studies.figures_of(output, "tribes") == folder
    assert studies.figures_of(tmp_path / "study.md", "tribes") == tmp_path
    assert studies.link(tmp_path / "study.png", tmp_path / "study.md") == "study.png"


@pytest.mark.parametrize("record", sorted(studies.RECORDS.rglob("*.md")), ids=lambda p: p.stem)
def test_records_show_pictures_that_exist(record):
    for line in record.read_text().splitlines():
        if line.startswith("!["):
            path = line.partition("](")[2].removesuffix(")")
            assert (record.parent / path).is_file()
            assert studies.link(record.parent / path, record) == path
