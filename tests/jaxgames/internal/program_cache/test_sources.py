"""Digests of sources: every change of a file that may be traced is another digest."""

import pathlib

import pytest

from jaxgames.internal.program_cache import sources
from jaxgames.internal.program_cache.identities import NoIdentity

LATER = 1e12  # after any change


def test_an_edit_of_a_file_is_another_digest(tmp_path: pathlib.Path) -> None:
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    digests = set()
    for texts in (("1", "2"), ("1", "3"), ("12", ""), ("", "12")):
        first.write_text(texts[0])
        second.write_text(texts[1])
        digests.add(sources.files_digest([first, second], LATER))
    assert len(digests) == 4


def test_a_file_that_was_edited_after_it_was_loaded_has_none(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("1")
    with pytest.raises(NoIdentity, match="changed after"):
        sources.files_digest([file], file.stat().st_mtime - 1)


def test_a_module_without_a_file_has_none() -> None:
    with pytest.raises(NoIdentity, match="unknown"):
        sources.digest(["no_such_module"])


def test_of_installed_packages_the_version_counts() -> None:
    assert sources.digest(["pytest"]) != sources.digest([])
