"""Ledgers that are written: the platform's words, its set-up, and the same game when read again."""

import dataclasses
import re

import jax
import numpy as np
import pytest

from benchmarks.golden.core.records import read_records
from benchmarks.golden.terra_mystica.recorded_game import read_game
from benchmarks.golden.terra_mystica.replay import rules_of, start_of
from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.engine.actions import Kind, decode
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Phase
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, find_faction
from jaxgames.terra_mystica.text import (
    ledger_files,
    ledger_rows,
    ledger_setup,
    ledger_writing,
    notation,
)
from jaxgames.terra_mystica.text.ledger_replay import replay
from tests.jaxgames.terra_mystica import random_games
from tests.locations import CHECKOUT, GOLDEN

RULES = TerraMystica()
COLOURS = "yellow|brown|black|blue|green|red|gray"
HEX, CULT = r"[A-I]\d+", "(FIRE|WATER|EARTH|AIR)"
# The words of the platform: `ledger_words.md` of the specifications.
GRAMMAR = re.compile(
    r"(leech|decline) \d+ from [a-z]+"
    rf"|\+FAV\d+|\+TW\d|send p to {CULT} for [123]|\+2?{CULT}|-KEY"
    rf"|dig \d+|-\d?SPADE|-FREE_(TF|D|TP)|-\d?CONVERT_W_TO_P|transform {HEX} to ({COLOURS})"
    r"|burn \d+|convert \d+(pw to \d+[cwp]|p to \d+[cw]|w to \d+[cp]|vp to \d+c|c to \d+vp)"
    rf"|bridge {HEX}:{HEX}|connect r\d+|action (ACT[1-6ACEGNSW]|BON[12]|FAV6)"
    rf"|upgrade {HEX} to (TP|TE|SH|SA)|build {HEX}|advance (ship|dig)|pass( BON\d+)?"
)
SETUP = re.compile(
    r"option [a-z0-9-]+|player \w+|score SCORE\d(,SCORE\d){5}|delete BON\d+|setup [a-z]+"
    r"|# option (auto_end|post_conversions)=false"
)
ALL_OPTIONS = [
    {"auto_end": False, "factions": "alchemists,chaosmagicians"},
    {"mini_towns": True, "bon10": True, "score9": True, "factions": "darklings,halflings"},
    {"num_players": 3, "post_conversions": False, "errata_cultists": False},
    {"num_players": 4, "factions": "draft", "turn_order": "passing"},
    {"num_players": 5, "auto_end": False, "mini_towns": True},
]


def check(rules: TerraMystica, game: random_games.RandomGame) -> str:
    """Writes a game and reads it again; returns the ledger."""
    start = game.states[0]
    begin = notation.state_to_text(rules, start)
    text = ledger_files.write(rules, begin, (), game.moves)
    found, rows = ledger_setup.read(text.split("\n"))
    assert found is not None and ledger_files.options(text) == found.options
    jax.tree.map(np.testing.assert_array_equal, ledger_setup.begin(rules, found), start)
    chosen = rules.num_players if start.phase == Phase.FACTIONS else 0
    played = replay(rules, game.states[chosen], rows)
    assert [d[:2] for d in played.decisions] == game.moves[chosen:]
    jax.tree.map(np.testing.assert_array_equal, played.states[-1], game.states[-1])
    check_words(text)
    return text


def check_words(text: str) -> None:
    """Checks that a ledger has the platform's words only, and digs before it terraforms."""
    rows = [line.partition("  #")[0] for line in text.splitlines() if not SETUP.fullmatch(line)]
    assert rows[0] == ledger_rows.ROWS_ARE_TURNS
    for row in rows[1:]:
        name, _, commands = row.partition(": ")
        assert name in FACTION_NAMES, row
        assert [words for words in commands.split(". ") if not GRAMMAR.fullmatch(words)] == [], row


def paid_spades(game: random_games.RandomGame, seat: int) -> int:
    """Returns the spades that a seat without tunnels has paid, by what they cost."""
    paid = 0
    for before, after, (mover, action) in zip(
        game.states, game.states[1:], game.moves, strict=False
    ):
        if mover == seat and decode(action)[0] in (Kind.TERRAFORM, Kind.DIG):
            spent = int(before.players.workers[seat]) - int(after.players.workers[seat])
            # The income of a round may follow the last spade of a cult.
            if before.phase == Phase.ACTIONS:
                paid += spent // (3 - int(before.players.dig[seat]))
    return paid


@pytest.mark.parametrize("seed", range(4))
def test_a_random_game_is_written_in_the_platforms_words_and_read_as_it_was(seed):
    factions = [["witches", "giants"], ["alchemists", "cultists"]][seed % 2]
    numbers = [find_faction(name) for name in factions]
    start = setup.start(2, numbers, [7, 2, 3, 0, 5, 6], [0, 1, 2, 3, seed + 4])
    game = random_games.play(RULES, start, seed)
    text = check(RULES, game)
    for seat, name in enumerate(factions):
        rows = [row for row in text.splitlines() if row.startswith(f"{name}: ")]
        dug = [int(found) for row in rows for found in re.findall(r"dig (\d+)", row)]
        assert sum(dug) == paid_spades(game, seat), name


@pytest.mark.slow
@pytest.mark.parametrize("options", ALL_OPTIONS, ids=str)
def test_games_of_all_options_are_read_as_they_were(options):
    rules = TerraMystica(**options)
    for seed in range(10):
        start = jax.jit(rules.init)(jax.random.key(seed))
        check(rules, random_games.play(rules, start, seed))


@pytest.mark.slow
@pytest.mark.parametrize("file", ["selfplay_2p_all_factions", "selfplay_3to5p", "human"])
def test_committed_games_are_read_as_they_were(file):
    for record in read_records(GOLDEN / "terra_mystica" / f"{file}.jsonl.gz", {}):
        rules, moves = rules_of(record), [d[:2] for d in read_game(record).decisions]
        rows = ledger_writing.write(rules, start_of(rules, record), moves)
        played = replay(rules, start_of(rules, record), rows)
        assert [d[:2] for d in played.decisions] == moves, record["id"]


def test_the_last_who_passes_keeps_the_spade_of_the_cult():
    numbers = [find_faction(name) for name in ("witches", "giants")]
    start = setup.start(2, numbers, [7, 1, 2, 3, 4, 5], [0, 1, 2, 3, 7])
    rows = [
        *("witches: build C3", "giants: build D4", "giants: build D7", "witches: build F4"),
        *("giants: pass BON2", "witches: pass BON8", "witches: send p to AIR for 3"),
        "giants: pass BON3",
    ]
    own = replay(RULES, start, rows).states[-1].players
    # Nothing is left that could be converted, so that the turn ends by itself with the pass.
    workers, burnt = int(own.workers[0]), int(own.bowls[0, 1]) // 2
    power = burnt + int(own.bowls[0, 2])
    rows.append(
        f"witches: burn {burnt}. convert {power}pw to {power}c. "
        f"convert {workers}w to {workers}c. pass BON1"
    )
    state = replay(RULES, start, rows).states[-1]
    assert state.phase == Phase.CULT_SPADES and state.seat == 0
    spade, *_ = np.flatnonzero(RULES.legal_actions(state))
    words = notation.action_to_text(RULES, state, int(spade))
    assert words.startswith("transform")
    played = replay(RULES, start, [*rows, f"witches: {words}"])
    assert played.decisions[-1].action == spade and played.states[-1].round == 1


def test_a_turn_that_has_not_ended_goes_on_when_it_is_read():
    numbers = [find_faction(name) for name in ("witches", "giants")]
    start = setup.start(2, numbers, [7, 2, 3, 0, 5, 6], [0, 1, 2, 3, 4])
    moves = random_games.play(RULES, start, 1).moves
    for length in range(40, 60):
        rows = ledger_writing.write(RULES, start, moves[:length])
        assert [d[:2] for d in replay(RULES, start, rows).decisions] == moves[:length], rows[-2:]


def test_ledgers_of_earlier_versions_are_read():
    path = CHECKOUT / "tests" / "jaxgames" / "terra_mystica" / "ledgers" / "version_0_1.ledger"
    text = path.read_text()
    rules = TerraMystica(factions="witches,giants")
    start, commands = ledger_files.read(rules, text, None)
    assert text.startswith(ledger_files.START + start)
    played = replay(rules, notation.text_to_state(rules, start), text.splitlines())
    assert played.states[-1].phase == Phase.OVER and len(commands) == len(played.decisions)


PLAYED = [
    *("witches: build C3", "giants: build D4", "giants: build D7", "witches: build F4"),
    *("giants: pass BON2", "witches: pass BON8", "witches: send p to AIR for 3"),
    "giants: pass BON3",
]
ROWS = [
    *("option shipping-bonus", "option strict-leech", "player one", "player two"),
    *("score SCORE8,SCORE2,SCORE3,SCORE4,SCORE5,SCORE6", "delete BON4", "delete BON5"),
    *("delete BON6", "delete BON7", "delete BON9", "setup witches", "setup giants"),
]
COLUMNS = "20 VP\t\t15 C\t-3\t0 W\t\t0 P\t\t5/7/0 PW\t\t0/0/0/2"


def printed(columns: str) -> str:
    """Returns a ledger with comments instead of rows, and columns in front of commands."""
    tiles = (8, 2, 3, 4, 5, 6)
    rows = [tuple(row.split(": ")) for row in PLAYED]
    lines = [
        *("option shipping-bonus", "Player 1: one", "Player 2: two"),
        *(f"Round {n} scoring: SCORE{tile}, D >> 2" for n, tile in enumerate(tiles, 1)),
        *(f"Removing tile BON{card}" for card in (4, 5, 6, 7, 9)),
        *(f"{name}{columns}{commands}" for name, commands in rows[:6]),
        *(f"{name}{columns}other_income_for_faction" for name, _ in rows[:2]),
        "Round 1, turn 1",
        *(f"{name}{columns}{commands}" for name, commands in rows[6:]),
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "columns",
    [
        f"\t\t{COLUMNS}\t\t",
        f" {COLUMNS.replace(chr(9), ' ')} ",
        f"\t{COLUMNS}\t1 2\t",
        ": ",
        "\t+3\t5/7/0\t",
    ],
)
def test_a_printed_ledger_says_its_start(columns):
    rules = TerraMystica(bon10=True, errata_cultists=False)
    text = printed(columns)
    assert ledger_files.options(text) == {
        **{"num_players": 2, "bon10": True, "score9": False, "mini_towns": False},
        **{"errata_cultists": False, "turn_order": "clockwise"},
        **{"post_conversions": True, "auto_end": True},
    }
    expected = ledger_files.read(rules, "\n".join([*ROWS, *PLAYED]), None)
    assert ledger_files.read(rules, text, None) == expected
    assert [words for words in expected[1] if words != "end"] == [
        row.partition(": ")[2].replace("send p to AIR for 3", "send AIR 3") for row in PLAYED
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["score SCORE1,SCORE2,SCORE3,SCORE4,SCORE5,SCORE6,SCORE7"], "expected 6 scoring tiles"),
        (["# option auto_end=yes", *ROWS], "auto_end: expected true or false, got 'yes'"),
        ([*ROWS, "Removing tile BON5, BON6"], "expected a line to begin with one of"),
        ([*ROWS, "Round 7 scoring: SCORE1"], "expected a line to begin with one of"),
        (PLAYED, "does not say which tiles and cards are in play: give the start"),
        (ROWS[5:], r"does not say the scoring tiles of rounds 1, 2, 3, 4, 5, 6"),
        (["score SCORE8,SCORE2", *ROWS[5:]], "scoring tiles of rounds 3, 4, 5, 6"),
        (["option mini-expansion-2", *ROWS], "line 1, 'option mini-expansion-2': unknown option"),
        (["delete BON11", *ROWS], "line 1, 'delete BON11': unknown bonus card 'BON11'; available"),
        (["setup wiches", *ROWS], "line 1, 'setup wiches': unknown faction 'wiches'.*'witches'"),
        (["option temple-scoring-tile", *ROWS], "a game with score9=True, got False"),
        ([row for row in ROWS if row != "delete BON4"], "expected 5 different bonus cards for 2"),
        ([*ROWS[:-1], "setup auren"], "witches and auren have the same colour"),
        (ROWS[:-2], "does not say which factions play: expected 'setup witches'"),
    ],
    ids=str,
)
def test_a_set_up_that_cannot_be_is_refused(rows, message):
    rules = TerraMystica(bon10=True, errata_cultists=False)
    with pytest.raises(ValueError, match=message):
        ledger_files.read(rules, "\n".join(rows), None)


def test_remarks_say_nothing_of_the_set_up():
    """Those that a player writes, also behind rows, and rows that one has taken out."""
    words = (
        "score was close",
        "score SCORE1",
        "option to build",
        "setup took long",
        "setup auren",
        "delete BON1",
    )
    remarks = [f"#{space}{said}" for said in words for space in ("", " ")]
    lines = [*remarks, *(f"{row}  # so said {said}" for row in ROWS for said in words[:1])]
    assert ledger_setup.read(lines)[0] == ledger_setup.read(ROWS)[0]


@pytest.mark.parametrize("name", ["chaosmagicians", "Chaos Magicians", "CHAOS MAGICIANS two"])
def test_the_set_up_spells_factions_as_rows_do(name):
    found, _ = ledger_setup.read([*ROWS, f"setup {name}"])
    assert FACTION_NAMES[found.factions[-1]] == "chaosmagicians"


def test_only_whole_games_become_ledgers():
    rules = TerraMystica(factions="draft")
    start = jax.jit(rules.init)(jax.random.key(0))
    begin = notation.state_to_text(rules, start)
    with pytest.raises(ValueError, match="in this game some have none yet"):
        ledger_files.write(rules, begin, (), [])
    base = dataclasses.replace(RULES, bon10=True, errata_cultists=False)
    later = notation.state_to_text(base, replay(base, _start_of(base), PLAYED[:6]).states[-1])
    with pytest.raises(ValueError, match="this game begins after its set-up"):
        ledger_files.write(base, later, (), [])
    with pytest.raises(ValueError, match="seat: expected a number from 0 to 0, got 1"):
        ledger_writing.write(base, _start_of(base), [(1, 539)])


def _start_of(rules):
    found, _ = ledger_setup.read(ROWS)
    return ledger_setup.begin(rules, found)
