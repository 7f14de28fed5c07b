import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.murus_gallicus import position
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.players.murus_gallicus.evaluation import (
    HIGHEST,
    LOWEST,
    MAX_WEIGHT,
    Linear,
    LinearParameters,
    by_digit,
    parameters,
    stands,
)
from jaxgames.players.murus_gallicus.evaluation_weights import (
    FAR_ROW,
    TABLES,
    WEIGHTS,
    LinearWeights,
)
from jaxgames.search.evaluators.integer_score import MAX_SCORE
from tests.jaxgames.players.murus_gallicus import boards

DEFAULT = MurusGallicus()
NONE = LinearWeights(0, 0, 0, 0, 0, 0, 0, 0)


@functools.cache
def compiled(rules):
    return jax.jit(jax.vmap(Linear(rules), in_axes=(None, 0)))


def score_of_text(text, params, rules=DEFAULT):
    state = jaxgames.make("murus_gallicus", variant=rules.variant).text_to_state(text).game
    return int(Linear(rules)(params, state))


def plain_score(rules, game, weights, tables, uses_tables):
    """The evaluation read from the paper's list, on heights and with a list of legal moves."""
    heights = position.heights(game)
    total = 0
    for sign, board, side in ((1, heights, game), (-1, -heights[::-1], boards.exchanged(game))):
        walls, towers, catapults = ((board == stones).sum() for stones in (1, 2, 3))
        if uses_tables:
            for material in range(3):
                placed = int(tables[material][board == material + 1].sum())
                total += sign * weights[material] * placed
        total -= sign * weights.w_tw * max(0, walls - towers)
        total -= sign * weights.w_cw * max(0, walls - catapults)
        total += sign * weights.w_mob * len(position.legal_moves(rules, side))
        total += sign * weights.w_mid * (board[24:32] == 3).sum()
        total += sign * weights.w_tdiff * towers
    return total


@pytest.mark.parametrize("variant", ["default", "fire3", "fire8"])
def test_score_equals_the_plain_one(variant):
    rules = MurusGallicus(variant=variant)
    rng = np.random.default_rng(3)
    weights = LinearWeights(*rng.integers(-MAX_WEIGHT, MAX_WEIGHT + 1, 8).tolist())
    tables = rng.integers(LOWEST, HIGHEST + 1, (3, 56)).astype(np.int16)
    uses_tables = variant != "fire3"
    games = boards.games(rules)
    found = compiled(rules)(parameters(weights, tables, uses_tables), games)
    expected = [
        plain_score(rules, game, weights, tables, uses_tables) for game in boards.each(games)
    ]
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found)) > 0.7 * len(expected)


def test_each_lane_has_its_own_weights_tables_and_switch():
    games = boards.games()
    sets = [parameters("ms1", "ms1"), parameters("ms2"), parameters("ms3", uses_tables=False)]
    each = [compiled(DEFAULT)(params, games) for params in sets]
    lanes = np.arange(boards.NUM_POSITIONS) % len(sets)
    params = jax.tree.map(lambda *leaves: jnp.stack(leaves)[lanes], *sets)
    found = jax.jit(jax.vmap(Linear(DEFAULT)))(params, games)
    np.testing.assert_array_equal(found, np.choose(lanes, each))


@pytest.mark.parametrize("options", [{}, {"max_stack": 2}, {"win_timing": "delayed"}])
def test_score_turns_its_sign_with_the_sides_and_ignores_reflection(options):
    rules = MurusGallicus(**options)
    games, score = boards.games(), compiled(rules)
    found = score(parameters(), games)
    np.testing.assert_array_equal(score(parameters(), boards.exchanged(games)), -found)
    reflected = jax.vmap(rules.symmetries[0].map_state)(games)
    np.testing.assert_array_equal(score(parameters(), reflected), found)
    np.testing.assert_array_equal(score(parameters(), games.replace(seat=1 - games.seat)), found)


def test_turned_board_with_the_other_side_to_act_has_the_same_score():
    romans = score_of_text("1t6/8/3c4/8/1WTTC3/8/3T4 r", parameters())
    assert romans == score_of_text("4t3/8/3cttw1/8/4C3/8/6T1 g", parameters())
    assert romans != 0


def test_start_is_even():
    assert score_of_text("tttttttt/8/8/8/8/8/TTTTTTTT r", parameters()) == 0


# One stack of each side in a corner where it has the same table value and moves as the other's.
@pytest.mark.parametrize(
    ("text", "weights", "expected"),
    [
        ("7t/8/8/8/8/3T4/T7 r", NONE._replace(w_tower=1), 20),  # d2
        ("7t/8/8/8/4T3/8/T7 r", NONE._replace(w_tower=3), 150),  # e3
        ("7t/8/8/8/4T3/8/T7 g", NONE._replace(w_tower=3), -150),
        ("7t/8/7w/8/8/8/T7 g", NONE._replace(w_wall=7), 7 * -2),  # a3 in the frame of the Gauls
        ("7t/8/w7/8/8/W7/T7 r", NONE._replace(w_wall=1), 0),  # h3 for the Gauls, a2: both -2
        ("7t/8/8/3c4/8/8/T7 g", NONE._replace(w_cat=1), 150),  # e4 for the Gauls
        ("t7/8/8/8/8/8/TWWW4 r", NONE._replace(w_tw=400), -800),
        ("t7/8/8/8/8/8/CWWW4 r", NONE._replace(w_cw=100), -200),
        ("twww4/8/8/8/8/8/TWWWW3 g", NONE._replace(w_tw=400, w_cw=100), 500),
        ("t7/8/8/8/8/8/TT6 r", NONE._replace(w_tdiff=2000), 2000),
        ("t7/8/8/3C4/8/8/C7 r", NONE._replace(w_mid=1000), 1000),
        # a1 moves in three directions; d4 in all eight.
        ("7t/8/8/3T4/8/8/T7 r", NONE._replace(w_mob=250), 8 * 250),
    ],
)
def test_values_by_hand(text, weights, expected):
    assert score_of_text(text, parameters(weights)) == expected


def test_stack_on_the_far_row_counts_only_where_it_must_first_survive():
    weights = NONE._replace(w_wall=2)
    delayed = MurusGallicus(variant="delayed")
    text = "W6t/8/8/8/8/8/T7 g"
    assert score_of_text(text, parameters(weights), delayed) == -2 * FAR_ROW
    endless = MurusGallicus(breakthrough=False)
    assert score_of_text(text, parameters(weights), endless) == 0


def test_greatest_lead_of_all_does_not_overflow_but_would_with_larger_weights():
    rules = MurusGallicus(win_timing="delayed")
    # Own catapults everywhere, but walls of the enemy on its far row, which count for the own side.
    heights = np.repeat([-1, 3], [8, 48])
    game = DEFAULT.init(jax.random.key(0)).replace(
        own=position.to_stones(heights), other=position.to_stones(-heights[::-1])
    )
    signs = LinearWeights(-1, 1, 1, 1, 1, 1, 1, 1)
    tables = np.full((3, 56), HIGHEST, np.int16)
    params = parameters(LinearWeights(*(MAX_WEIGHT * sign for sign in signs)), tables)
    assert int(Linear(rules)(params, game)) == MAX_SCORE - 1
    assert int(Linear(rules)(params, boards.exchanged(game))) == 1 - MAX_SCORE
    larger = LinearWeights(*(jnp.int32(int(MAX_WEIGHT * 1.02) * sign) for sign in signs))
    assert int(Linear(rules)(params._replace(weights=larger), game)) < 0


def test_tables_by_digit_add_up_again():
    rng = np.random.default_rng(0)
    tables = rng.integers(LOWEST, HIGHEST + 1, (5, 3, 56)).astype(np.int16)
    words = np.asarray(by_digit(tables))
    digits = (words[..., None] >> np.arange(28, dtype=np.uint32)) & 1
    values = np.array([*(2**k for k in range(9)), -(2**9)])
    found = (digits.reshape(5, 3, 10, 56) * values[:, None]).sum(axis=2)
    np.testing.assert_array_equal(found, tables)
    beyond = by_digit(np.full((3, 56), 5000, np.int16))
    np.testing.assert_array_equal(beyond, by_digit(np.full((3, 56), HIGHEST, np.int16)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t7/8/8/8/2WWTC2/8/8 r", True),  # c, d, e, f of rank 3
        ("t7/8/8/2WTWW2/8/8/8 r", True),  # of rank 4
        ("t7/8/8/1WTWW3/8/8/8 r", False),
        ("t7/8/8/2WW4/4WW2/8/8 r", False),
        ("t7/8/2WTWW2/8/8/8/8 r", False),  # too far ahead
        ("8/8/2wtww2/8/8/8/T7 g", True),  # rank 5 is the third of the Gauls
        ("8/8/2wtww2/8/8/8/T7 r", False),  # nor do those of the enemy count
    ],
)
def test_defence_stands_on_the_four_middle_files(text, expected):
    game = jaxgames.make("murus_gallicus").text_to_state(text).game
    assert bool(stands(game.own)) == expected


def test_tables_are_mirrored_and_empty_on_the_far_row():
    for tables in TABLES.values():
        rows = tables.reshape(3, 7, 8)
        np.testing.assert_array_equal(rows, rows[:, :, ::-1])
        assert not rows[:, -1].any()
    assert TABLES["ms2"][1].reshape(7, 8)[4].tolist() == [50, 60, 90, 150, 150, 90, 60, 50]


def test_parameters_have_one_dtype_for_numbers_and_names():
    named, given = parameters("ms2", "ms2"), parameters(WEIGHTS["ms2"], TABLES["ms2"])
    assert isinstance(named, LinearParameters)
    for a, b in zip(jax.tree.leaves(named), jax.tree.leaves(given), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": "ms4"}, "unknown weights 'ms4'; available: evolved, ms1, ms2, ms3"),
        ({"tables": "ms9"}, "unknown tables 'ms9'; available: ms1, ms2"),
        ({"tables": np.zeros((6, 56))}, r"shape \(3, 56\), not \(6, 56\)"),
        ({"weights": NONE._replace(w_mob=19_569)}, "w_mob must be from -19568 to 19568, got 19569"),
        ({"weights": NONE._replace(w_tdiff=-(2**31))}, "w_tdiff must be from .*, got -2147483648"),
        ({"tables": np.full((3, 56), 600)}, "from -512 to 511, got 600 to 600"),
    ],
)
def test_bad_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        parameters(**arguments)
