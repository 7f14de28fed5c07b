"""Checks of JSON documents: what passes, and what an error says."""

import pytest

from jaxgames.internal import checks

NAMES = ("farm", "mine", "port")


def test_values_within_their_limits_are_returned():
    checks.keys({"a": 1, "b": 2}, ("a",), "place", optional=("b",))
    assert checks.number(3, 0, 3, "place") == 3
    assert checks.numbers([1, 2], 2, 0, 3, "place") == [1, 2]
    assert checks.index("mine", NAMES, "place") == 1
    assert checks.indices(["port", "farm"], NAMES, "place") == [2, 0]
    assert checks.indices(["port", "port"], NAMES, "place", repeats=2) == [2, 2]


@pytest.mark.parametrize(
    ("check", "arguments", "message"),
    [
        (checks.keys, ([], (), "here"), r"here: expected an object, got \[\]"),
        (checks.keys, ({"aa": 1}, ("ab",), "here"), "unknown key 'aa'; did you mean 'ab'"),
        (checks.keys, ({}, ("ab",), "here"), "here: key 'ab' is missing"),
        (checks.number, (4, 0, 3, "here"), "here: expected a number from 0 to 3, got 4"),
        (checks.number, (True, 0, 3, "here"), "here: expected a number from 0 to 3, got True"),
        (
            checks.numbers,
            ([1], 2, 0, 3, "here"),
            r"here: expected a list of 2 numbers, got \[1\]",
        ),
        (checks.index, ("part", NAMES, "here"), "unknown name 'part'; did you mean 'port'"),
        (checks.index, (["port"], NAMES, "here"), r"here: unknown name \['port'\]"),
        (checks.index, ("", "fmp", "here"), "here: unknown name ''; did you mean"),
        (checks.index, (1, "fmp", "here"), "here: unknown name 1"),
        (checks.indices, ("port", NAMES, "here"), "here: expected a list of names, got 'port'"),
        (checks.indices, (["port"] * 2, NAMES, "here"), "here: port may occur once, got 2"),
        (checks.indices, (["port"] * 3, NAMES, "here", 2), "port may occur 2 times, got 3"),
    ],
)
def test_other_values_are_refused_with_place_and_expectation(check, arguments, message):
    with pytest.raises(ValueError, match=message):
        check(*arguments)


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', '[{"c": {"a": 1, "a": 1}}]'])
def test_key_that_stands_twice_is_refused(text):
    with pytest.raises(ValueError, match="position: key 'a' stands twice in one object"):
        checks.parsed(text)


def test_number_too_long_to_be_read_is_refused():
    with pytest.raises(ValueError, match=r"position: not JSON .*limit"):
        checks.parsed("1" * 5000)
