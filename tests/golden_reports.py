"""What the tests of all games against golden data share."""

import functools
import pathlib

import pytest

from benchmarks.golden.core import runner
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import FileReport, Status

ALL = CheckSettings()


def shared_directory(game: str) -> pathlib.Path:
    """Returns the folder of a game's whole golden data; skips the test where there is none."""
    path = runner.shared_directory(game)
    if not path.is_dir():
        pytest.skip(f"no shared golden data in {path}; {runner.VARIABLE} names another place")
    return path


@functools.cache
def check(game: str, path: pathlib.Path, file: str, settings: CheckSettings = ALL) -> FileReport:
    """Returns the report of one file, read once; others are not read."""
    (report,) = runner.check_directory(game, path, settings, files=(file,))
    return report


def agree(report: FileReport) -> tuple[int, int]:
    """Returns how many records are equal and not checked; shows the first difference if any."""
    assert not report.remark
    assert report.first_difference() is None
    return report.count(Status.EQUAL), report.count(Status.NOT_CHECKED)
