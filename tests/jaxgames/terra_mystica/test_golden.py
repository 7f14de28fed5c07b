"""Terra Mystica agrees with the golden games: what is committed, and all of it where found."""

import pathlib

import pytest

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import FileReport
from tests.golden_reports import agree, check, shared_directory
from tests.locations import GOLDEN

GAME = "terra_mystica"
COMMITTED = GOLDEN / GAME
TWO_PLAYERS = ("selfplay_2p_engineers_halflings.jsonl.gz", "selfplay_2p_all_factions.jsonl.gz")
MORE_PLAYERS = ("selfplay_3to5p.jsonl.gz", "human.jsonl.gz")
DECISIONS = "decisions.jsonl.gz"
# Engineers against halflings; darklings, alchemists, giants and others. Rules are compiled for each
# number of players and set of options, so the quick tests have two players, and one game of three.
NAMES = (
    *("evh1031", "evh1048", "p2_1116", "p2_1250", "p2_1251", "p2_1109", "p2_1189", "p2_1088"),
    *("p2_1258", "p2_1094", "p2_1112", "p2_1178"),
)
UNORDERED = "human68"


def check_file(path: pathlib.Path, file: str, names: tuple[str, ...] = ()) -> FileReport:
    return check(GAME, path, file, CheckSettings(names=names))


@pytest.mark.parametrize(("file", "games"), [(TWO_PLAYERS[0], 2), (TWO_PLAYERS[1], 10)])
def test_committed_games_of_two_are_equal(file, games):
    assert agree(check_file(COMMITTED, file)) == (games, 0)


def test_committed_legal_actions_of_two_are_equal():
    assert agree(check_file(COMMITTED, DECISIONS, NAMES)) == (12, 0)


@pytest.mark.parametrize(
    "file", [MORE_PLAYERS[0], pytest.param(MORE_PLAYERS[1], marks=pytest.mark.slow)]
)
def test_committed_games_of_more_are_equal(file):
    assert agree(check_file(COMMITTED, file)) == (1, 0)


@pytest.mark.slow
def test_committed_legal_actions_are_equal():
    assert agree(check_file(COMMITTED, DECISIONS)) == (14, 0)


@pytest.mark.slow
@pytest.mark.parametrize("file", [*TWO_PLAYERS, *MORE_PLAYERS, DECISIONS])
def test_shared_games_are_all_equal(file):
    report = check_file(shared_directory(GAME), file)
    unordered = [r["id"] for r in report.records if r["id"] == UNORDERED]
    assert agree(report) == (len(report.records) - len(unordered), len(unordered))
