"""Ledgers in the writing of the online platform: every line is read, and none breaks the reader.

`ledgers/` has two recorded games as `platform_ledger.py` writes them.
"""

import random
import re
import string
from collections.abc import Callable

import jax
import numpy as np
import pytest

from benchmarks.golden.core import runner
from benchmarks.golden.core.records import Record, read_records
from benchmarks.golden.terra_mystica.recorded_game import faction_numbers, read_game
from benchmarks.golden.terra_mystica.replay import rules_of, start_of
from jaxgames import make, records
from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.ledger_replay import Played, replay
from tests.jaxgames.terra_mystica.platform_ledger import rewrite
from tests.locations import CHECKOUT, GOLDEN

COMMITTED = GOLDEN / "terra_mystica"
LEDGERS = CHECKOUT / "tests" / "jaxgames" / "terra_mystica" / "ledgers"
SEED = 1
WRITTEN = {"human29": "human", "p2_1094": "selfplay_2p_all_factions"}  # id and file of the games
FORMS = {
    "capital letters": r"BUILD [A-Z]\d",
    "small letters": r"build [a-z]\d",
    "giver": r"(?i)leech \d+ from witches",
    "giver's colour": r"(?i)leech \d+ from (brown|black|green|red)",
    "decline": r"(?i)decline \d+ from \w+",
    "priest to a spot": r"(?i)send p to \w+ for \d",
    "priest to the best spot": r"(?i)send p to \w+ ?(\.|$)",
    "favor tile": r"(?i)\+FAV\d",
    "town tile": r"(?i)\+TW\d",
    "cult step": r"(?i)\+(FIRE|WATER|EARTH|AIR)",
    "colour in front": r"(?i)^(brown|black|green|red):",
    "no colon": r"(?i)^(cultists|witches|green)\s+\w",
    "no name": r"(?i)^(build|pass|transform|upgrade) \w",
    "answer in the row of a later turn": r"(?i)leech [^.#]*\. *(build|upgrade|send|action|pass)",
    "shipping": r"(?i)advance shipping",
    "pass": r"(?i)pass BON4",
    "wait": r"(?i)wait",
    "remark": r"#",
    "dots": r"(?i)convert [^.#]*\. ?\w",
}


def record_of(name: str) -> Record:
    """Returns a committed game."""
    games = read_records(COMMITTED / f"{WRITTEN[name]}.jsonl.gz", {})
    return next(game for game in games if game["id"] == name)


def lines_of(name: str) -> list[str]:
    """Returns a ledger of the folder."""
    return (LEDGERS / f"{name}.txt").read_text().splitlines()


def play(record: Record, lines: list[str]) -> Played:
    """Returns a game that is played from a ledger."""
    rules = rules_of(record)
    return replay(rules, start_of(rules, record), lines)


def check(record: Record, seed: int) -> None:
    """Compares a game with the one of its rewritten ledger; equal decisions make equal states."""
    played = play(record, rewrite(record, seed))
    expected = [decision[:2] for decision in read_game(record).decisions]
    assert [decision[:2] for decision in played.decisions] == expected, record["id"]


@pytest.mark.parametrize(
    "name",
    [name if name == "p2_1094" else pytest.param(name, marks=pytest.mark.slow) for name in WRITTEN],
)
def test_every_line_and_every_state_of_a_ledger_is_that_of_the_recorded_game(name):
    record, lines = record_of(name), lines_of(name)
    assert lines == rewrite(record, SEED)
    original, played = play(record, read_game(record).lines), play(record, lines)
    assert [d[:2] for d in played.decisions] == [d[:2] for d in original.decisions]
    for state, expected in zip(played.states, original.states, strict=True):
        jax.tree.map(np.testing.assert_array_equal, state, expected)


def test_the_two_ledgers_have_every_form():
    lines = [line for name in WRITTEN for line in lines_of(name)]
    missing = [name for name, form in FORMS.items() if not any(re.search(form, x) for x in lines)]
    assert missing == []


# Rules are compiled for each number of players: the quick test has two.
@pytest.mark.parametrize(
    "file",
    [
        "selfplay_2p_all_factions",
        pytest.param("selfplay_3to5p", marks=pytest.mark.slow),
        pytest.param("human", marks=pytest.mark.slow),
    ],
)
def test_committed_games_are_read_from_the_writing_of_the_platform(file):
    for record in read_records(COMMITTED / f"{file}.jsonl.gz", {}):
        check(record, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_a_ledger_of_the_platform_becomes_a_record(name, tmp_path):
    recorded = record_of(name)
    env = make("terra_mystica", **rules_of(recorded).non_default_options)
    start = env.wrap(start_of(env.rules, recorded))
    path = tmp_path / "game.ledger"
    path.write_text("\n".join(lines_of(name)))
    game = records.import_game(env, path, start=start, seats=["human"] * env.num_players)
    assert len(game.moves) == len(read_game(recorded).decisions)
    (read,) = records.from_text(records.to_text(game))
    *_, last = records.positions(records.make_env(read), read)
    assert last.game.players.vp.tolist() == recorded["vp"]
    records.export_game(env, path, game)
    assert records.import_game(env, path).moves == game.moves


@pytest.mark.slow
def test_shared_games_are_read_from_the_writing_of_the_platform():
    path = runner.shared_directory("terra_mystica") / "human.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no shared golden data in {path.parent}")
    games = [
        record
        for record in read_records(path, {})
        if record["check"]["strict_order"] and not record["check"].get("host_corrections")
    ]
    assert len(games) == 49
    for record in games:
        check(record, seed=0)


def damaged(lines: list[str], rng: random.Random) -> list[str]:
    """Returns a ledger with one to four places damaged."""
    lines = list(lines)
    for _ in range(rng.randint(1, 4)):
        index = rng.randrange(len(lines))
        line = lines[index]
        place = rng.randrange(len(line) + 1)
        other = rng.choice(lines)
        odd = rng.choice([*string.printable, "", "-", "99999999999", "é", "²", "٣", "ß", "\0"])
        lines[index] = rng.choice(
            [
                line[:place] + line[place + 1 :],
                line[:place] + odd + line[place:],
                line[:place] + odd + line[place + 1 :],
                line[:place],
                line[place:],
                line[:place] + other[place:],
                f"{line}. {other.partition(':')[2]}",
                other,
                "",
            ]
        )
        if rng.random() < 0.2:
            rng.shuffle(lines)
    return lines


def refusal(call: Callable[..., object], *arguments: object) -> str | None:
    """Returns the message of the `ValueError` of a call, None if there is none."""
    try:
        call(*arguments)
    except ValueError as error:
        return str(error)
    return None


def test_damaged_ledgers_are_read_or_refused():
    rng = random.Random(0)
    for name in WRITTEN:
        ledger.read(faction_numbers(record_of(name)), lines_of(name))
    messages = [
        refusal(ledger.read, faction_numbers(record_of(name)), damaged(lines, rng))
        for name, lines in ((name, lines_of(name)) for name in WRITTEN)
        for _ in range(200)
    ]
    refused = [message for message in messages if message is not None]
    assert 200 < len(refused) < 400
    assert all(re.match(r"line \d+, ", message) for message in refused)


def test_damaged_ledgers_are_played_or_refused():
    rng = random.Random(0)
    record, lines = record_of("p2_1094"), lines_of("p2_1094")
    play(record, lines[:60])
    messages = [refusal(play, record, damaged(lines, rng)[:60]) for _ in range(40)]
    refused = [message for message in messages if message is not None]
    assert 20 < len(refused) < 40
    assert all(re.match(r"line \d+, ", message) for message in refused)
