"""Checks of JSON documents: what passes, and what an error says."""

import pytest

from jaxgames.internal import validation

NAMES = ("farm", "mine", "port")


def test_values_within_their_limits_are_returned():
    validation.keys({"a": 1, "b": 2}, ("a",), "place", optional=("b",))
    assert validation.number(3, 0, 3, "place") == 3
    assert validation.numbers([1, 2], 2, 0, 3, "place") == [1, 2]
    assert validation.index("mine", NAMES, "place") == 1
    assert validation.indices(["port", "farm"], NAMES, "place") == [2, 0]
    assert validation.indices(["port", "port"], NAMES, "place", repeats=2) == [2, 2]


@pytest.mark.parametrize(
    ("check", "arguments", "message"),
    [
        (validation.keys, ([], (), "here"), r"here: expected an object, got \[\]"),
        (validation.keys, ({"aa": 1}, ("ab",), "here"), "unknown key 'aa'; did you mean 'ab'"),
        (validation.keys, ({}, ("ab",), "here"), "here: key 'ab' is missing"),
        (validation.number, (4, 0, 3, "here"), "here: expected a number from 0 to 3, got 4"),
        (validation.number, (True, 0, 3, "here"), "here: expected a number from 0 to 3, got True"),
        (
            validation.numbers,
            ([1], 2, 0, 3, "here"),
            r"here: expected a list of 2 numbers, got \[1\]",
        ),
        (validation.index, ("part", NAMES, "here"), "unknown name 'part'; did you mean 'port'"),
        (validation.index, (["port"], NAMES, "here"), r"here: unknown name \['port'\]"),
        (validation.index, ("", "fmp", "here"), "here: unknown name ''; did you mean"),
        (validation.index, (1, "fmp", "here"), "here: unknown name 1"),
        (validation.indices, ("port", NAMES, "here"), "here: expected a list of names, got 'port'"),
        (validation.indices, (["port"] * 2, NAMES, "here"), "here: port may occur once, got 2"),
        (validation.indices, (["port"] * 3, NAMES, "here", 2), "port may occur 2 times, got 3"),
    ],
)
def test_other_values_are_refused_with_place_and_expectation(check, arguments, message):
    with pytest.raises(ValueError, match=message):
        check(*arguments)


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', '[{"c": {"a": 1, "a": 1}}]'])
def test_key_that_stands_twice_is_refused(text):
    with pytest.raises(ValueError, match="position: key 'a' stands twice in one object"):
        validation.parsed(text)


def test_number_too_long_to_be_read_is_refused():
    with pytest.raises(ValueError, match=r"position: not JSON .*limit"):
        validation.parsed("1" * 5000)
