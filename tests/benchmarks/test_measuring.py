"""Result files are strict JSON and replaced as a whole; mistakes become messages."""

import argparse
import json
import math
import os

import pytest

from benchmarks import environment, measuring


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def test_numbers_that_are_not_finite_are_written_as_null(tmp_path):
    spread = measuring.Spread(1.0, -math.inf, math.inf)
    numbers = {"a": [math.nan, 2, {"b": spread}], "c": True, "d": None, "e": "inf"}
    measuring.write_result(tmp_path / "new" / "x.md", "text", numbers)
    text = (tmp_path / "new" / "x.json").read_text()
    found = json.loads(text, parse_constant=refuse)
    assert found == {"a": [None, 2, {"b": [1.0, None, None]}], "c": True, "d": None, "e": "inf"}


@pytest.mark.parametrize("path", sorted(environment.RESULTS.rglob("*.json")), ids=lambda p: p.stem)
def test_saved_results_are_strict_json(path):
    json.loads(path.read_text(), parse_constant=refuse)


def test_results_that_cannot_be_written_leave_the_old_ones_whole(tmp_path, monkeypatch):
    output, picture = tmp_path / "x.md", tmp_path / "x.png"
    measuring.write_result(output, "old", {}, {picture: b"old"})
    written = []

    def no_space(handle):
        written.append(handle)
        if len(written) == 3:  # the last of the three files
            raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="no space left"):
        measuring.write_result(output, "new", {}, {picture: b"new"})
    assert output.read_text() == picture.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("error", [ValueError("no game x"), PermissionError(13, "denied", "/x")])
def test_a_mistake_ends_with_its_message_and_status_2(error, capsys):
    with pytest.raises(SystemExit) as stop, measuring.user_errors(argparse.ArgumentParser()):
        raise error
    assert stop.value.code == 2
    assert str(error) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("4294967295", 2**32 - 1), ("4294967296", None), ("-1", None)]
)
def test_seeds_have_32_bits(text, number):
    if number is None:
        with pytest.raises(argparse.ArgumentTypeError, match=f"from 0 to 4294967295, got '{text}'"):
            measuring.seed(text)
    else:
        assert measuring.seed(text) == number
