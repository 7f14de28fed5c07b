"""AlphaTM is the full game: an output does what some of its commands do, fixed choices included."""

import jax
import numpy as np
import pytest

from papers.alphatm.game import outputs
from papers.alphatm.game.rules import MAX_LEGAL_OUTPUTS, AlphaTM
from papers.alphatm.tests.positions import (
    RULES,
    legal,
    play,
    play_full,
    position,
    same,
    step,
    texts,
)

RICH = {"c": 30, "w": 20, "p": 3, "pw": [0, 0, 12]}


@pytest.mark.parametrize(
    ("game", "moves", "commands"),
    [
        # A worker and a coin. Bowl III has one of three power: two are burnt.
        (
            position({"w": 0, "pw": [3, 5, 1]}),
            ["build F6"],
            ["2 x burn 1", "convert 3pw to 1w", "build F6", "decline"],
        ),
        # A spade for two workers and a dwelling for one and a coin: seven power.
        (
            position({"w": 1, "c": 0, "pw": [0, 4, 6]}),
            ["build E9"],
            ["burn 1", "2 x convert 3pw to 1w", "convert 1pw to 1c",
             "transform E9 to S", "build E9", "decline"],
        ),
        (position(), ["transform F7 to S"], ["transform F7 to S", "end"]),
        (position(), ["transform F7 to K"], ["transform F7 to K"]),
        (
            position(RICH),
            ["action ACT5", "transform E9 to S"],
            ["action ACT5", "transform E9 to S", "end"],
        ),
        (
            position(RICH),
            ["action ACT5", "build E9"],
            ["action ACT5", "transform E9 to S", "build E9", "decline"],
        ),
        # One of two spades suffices; the other is given up, at once or when it could be used.
        (
            position(RICH),
            ["action ACT6", "build E9"],
            ["action ACT6", "transform E9 to S", "end", "build E9", "decline"],
        ),
        (
            position(RICH),
            ["action ACT6", "transform E9 to S", "build E9"],
            ["action ACT6", "transform E9 to S", "end", "build E9", "decline"],
        ),
        # Two hexes.
        (
            position(RICH),
            ["action ACT6", "transform E9 to S", "transform E11 to G"],
            ["action ACT6", "transform E9 to S", "transform E11 to G", "end"],
        ),
        # Two spades, with three power for the second one's workers.
        (
            position(RICH | {"w": 1}),
            ["action ACT5", "transform E11 to S"],
            ["action ACT5", "convert 3pw to 1w", "transform E11 to S", "end"],
        ),
        (
            position(RICH),
            ["upgrade E7 to TE"],
            ["upgrade E7 to TE", "+1 FAV11", "decline"],
        ),
        (
            position(RICH | {"fav": ["FAV11"]}),
            ["upgrade E7 to TE"],
            ["upgrade E7 to TE", "+1 FAV10", "decline"],
        ),
        (position(RICH), ["send AIR 2"], ["send AIR 2"]),
        (position({"p": 0, "pw": [0, 0, 5]}), ["send AIR 1"], ["convert 5pw to 1p", "send AIR 1"]),
        (position(RICH), ["advance dig"], ["advance dig"]),
        (position(RICH), ["action card", "build E9"],
         ["action BON1", "transform E9 to S", "build E9", "decline"]),
        # Fire and water are one step from power.
        (position({"fav": ["FAV6"]}), ["action FAV6"], ["action FAV6", "+1 FIRE"]),
        # Without a key, the top of fire is out of reach.
        (
            position({"fav": ["FAV6"], "cult": [9, 5, 1, 0]}),
            ["action FAV6"],
            ["action FAV6", "+1 WATER"],
        ),
        (position({"bon": "BON2"}, {"bon": "BON1"}), ["action card"], ["action BON2", "+1 FIRE"]),
        (position(), ["action ACT1"], ["action ACT1", "bridge A11:C5"]),
        (position(), ["action ACTE"], ["action ACTE", "bridge A11:C5"]),
        (position(), ["pass BON5"], ["pass BON5"]),
        (position(round=6), ["pass BON1"], ["pass"]),
    ],
)  # fmt: skip
def test_output_is_commands(game, moves, commands):
    assert same(play(game, *moves), play_full(game, *commands))


def test_bridge_joins_own_structures_where_it_can():
    joined = position({"D": ["E10", "C5", "D6"]}, terrain={"E10": "S", "D6": "S"})
    expected = play_full(joined, "action ACTE", "bridge C5:D6")
    assert same(play(joined, "action ACTE"), expected)


def test_what_cannot_be_paid_with_all_power_is_illegal():
    assert "build F6" in texts(position({"w": 0, "c": 1, "pw": [3, 4, 1]}))
    assert "build F6" not in texts(position({"w": 0, "c": 1, "pw": [3, 3, 1]}))
    assert "build F6" not in texts(position({"w": 0, "c": 0, "pw": [3, 4, 1]}))


def test_priests_cannot_be_bought_once_all_stand_on_the_cult_board():
    spots = {"FIRE": [0] * 4, "WATER": [0, 0, 0, -1], "EARTH": [-1] * 4, "AIR": [-1] * 4}
    game = position({"p": 0, "pw": [0, 0, 12]}, spots=spots)
    assert not {text for text in texts(game) if text.startswith("send")}
    fewer = spots | {"WATER": [0, 0, -1, -1]}
    assert "send AIR 3" in texts(position({"p": 0, "pw": [0, 0, 12]}, spots=fewer))


def test_dwelling_is_built_on_the_own_terrain_only():
    mask = np.asarray(legal(position(RICH)))[: outputs.SEND].reshape(-1, outputs.PLANES_PER_HEX)
    assert mask[:, outputs.BUILD_PLANE : outputs.UPGRADE_PLANE].any(axis=0).tolist() == [
        False, False, False, False, True, False, False
    ]  # fmt: skip


def test_free_spades_are_used_before_anything_else():
    game = play(position(RICH), "action ACT6")
    moves = texts(game)
    assert moves
    assert {text.split()[0] for text in moves} == {"transform", "build"}


def test_spades_of_the_stronghold_go_to_several_hexes_and_a_dwelling_ends_them():
    game = position(halflings=RICH, seat=1)
    game = play(game, "upgrade E6 to SH")
    assert (int(game.pending.spades), int(RULES.to_move(game))) == (3, 1)
    game = play(game, "transform G5 to U")
    left = int(game.pending.spades)
    assert 0 < left < 3
    again = play(game, "build G5")
    assert int(RULES.to_move(again)) == 0


def test_town_tile_is_an_output_of_its_own():
    groups = {"D": ["E10", "F6"], "TP": ["E9", "F7"]}
    game = position(RICH | groups, terrain={"E10": "S", "E9": "S", "F7": "S"})
    game = play(game, "upgrade F6 to TP")
    assert texts(game) == {f"+1 TW{number}" for number in range(1, 6)}
    after = play(game, "+1 TW4")
    assert after.players.towns[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_spades_of_the_cult_bonus_only_terraform():
    # SCORE6: a spade for four steps on water.
    scoring = ["SCORE2", "SCORE3", "SCORE6", "SCORE4", "SCORE5", "SCORE8"]
    game = position(halflings={"passed": 1}, scoring=scoring, next_start=1)
    game = play(game, "pass BON5")
    assert int(game.players.cult_spades[0]) == 1
    assert {text.split()[0] for text in texts(game)} == {"transform"}
    assert int(play(game, "transform E9 to S").round) == 3


@pytest.mark.parametrize("name", ["legal_actions", "observe", "step"])
def test_positions_read_from_texts_need_no_jit(name):
    arguments = () if name == "legal_actions" else (np.int32(0),)
    # Traced, yet with the position's NumPy values as they are: what running it would do, sooner.
    jax.eval_shape(lambda: getattr(RULES, name)(position(), *arguments))


def test_random_games_always_have_a_legal_output_and_end():
    random = np.random.default_rng(0)
    counts, lengths = [], []
    for seed in range(2):
        game, length = jax.jit(RULES.init)(jax.random.key(seed)), 0
        while not RULES.is_over(game):
            choices = np.flatnonzero(legal(game))
            counts.append(len(choices))
            game = step(game, np.int32(random.choice(choices)))
            length += 1
        lengths.append(length)
        points = np.asarray(RULES.score(game))
        assert RULES.returns(game).tolist() == np.sign(points - points[::-1]).tolist()
    assert min(counts) > 0 and max(counts) <= MAX_LEGAL_OUTPUTS
    assert max(lengths) < RULES.max_steps / 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"factions": "engineers,witches"}, "factions must be one of 'engineers,halflings', "),
        ({"favor_planes": 11}, "favor_planes must be 10 or 12, got 11"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        AlphaTM(**options)
