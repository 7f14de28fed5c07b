"""Whose knowledge a page shows, and when the memory of an agent is used."""

import types

import pytest

from agents.play.session.session import GameSession, Remembered


class Line:
    """A game in which seats move in turns, without branches."""

    def __init__(self, is_hidden=True, is_over=False):
        rules = types.SimpleNamespace(perfect_information=not is_hidden)
        self.env = types.SimpleNamespace(rules=rules)
        self.current = 5
        self._is_over = is_over

    def is_over(self, number):
        return self._is_over

    def path(self, number):
        return list(range(number + 1))

    def seat(self, number):
        return number % 3


def session(*seats, **options):
    return GameSession("0" * 16, Line(**options), list(seats), 0.0)


@pytest.mark.parametrize(
    ("seats", "options", "asked", "number", "expected"),
    [
        (("human", "random", "random"), {}, None, 5, 0),
        (("human", "random", "random"), {}, 1, 5, 0),  # an agent's seat shows nothing
        (("random", "human", "human"), {}, 2, 4, 2),
        (("random", "human", "human"), {}, None, 4, 1),  # who is to move
        (("random", "human", "human"), {}, None, 6, 2),  # who has moved last
        (("random", "random", "human"), {}, None, 0, 2),  # who has not moved yet
        (("random", "random", "random"), {}, None, 5, None),
        (("human", "human", "human"), {"is_over": True}, None, 5, None),
        (("human", "human", "human"), {"is_hidden": False}, 1, 5, None),
    ],
)
def test_a_page_sees_what_one_person_knows(seats, options, asked, number, expected):
    assert session(*seats, **options).viewpoint(asked, number) == expected


def test_a_memory_serves_the_same_agent_on_the_line_of_its_decision():
    played = session("human", "rhea", "rhea:budget=9")
    played.memories[1] = Remembered("rhea", 2, "plan")
    assert played.remembered(1, 4) == "plan"
    assert played.remembered(1, 7) is None, "somebody else has moved at 4"
    assert played.remembered(1, 0) is None, "the decision has been taken back"
    assert played.remembered(2, 4) is None
    played.seats[1] = "rhea:budget=9"
    assert played.remembered(1, 4) is None
