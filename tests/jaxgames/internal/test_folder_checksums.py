"""Checksums tell when a folder is not the one that was written."""

import pytest

from jaxgames.internal import folder_checksums


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "12" / "inner").mkdir(parents=True)
    (tmp_path / "12" / "one").write_text("first")
    (tmp_path / "12" / "inner" / "two").write_text("second")
    folder_checksums.write(tmp_path / "12", 12)
    return tmp_path / "12"


def test_an_untouched_folder_is_whole(folder):
    assert folder_checksums.exist(folder)
    assert folder_checksums.problem(folder, 12) is None
    folder_checksums.write(folder, 12)
    assert folder_checksums.problem(folder, 12) is None


def test_a_folder_of_another_number_is_named(folder):
    assert folder_checksums.problem(folder, 13) == "it is that of 12"


def test_changed_new_and_missing_files_are_named(folder):
    (folder / "inner" / "two").write_text("Second")
    assert folder_checksums.problem(folder, 12) == "changed: inner/two"
    (folder / "three").touch()
    (folder / "one").unlink()
    assert folder_checksums.problem(folder, 12) == "changed: inner/two, one, three"


def test_every_flipped_bit_of_the_checksums_is_noticed(folder):
    path = folder / folder_checksums.FILE_NAME
    content = path.read_bytes()
    for place in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            assert folder_checksums.problem(folder, 12) is not None


@pytest.mark.parametrize("content", ["", "[]", "7", '{"sha256": 3, "number": 12}', "{}"])
def test_other_content_is_damage(folder, content):
    (folder / folder_checksums.FILE_NAME).write_text(content)
    assert folder_checksums.problem(folder, 12) == "checksums.json is damaged"
