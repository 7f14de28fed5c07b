"""`onitama_report` is the same game as `onitama`, in the report's encoding."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxgames.onitama import notation as base_notation
from papers.onitama_report.game import notation, rules
from papers.onitama_report.game.rules import OnitamaReport

RULES = OnitamaReport()
START = "bbBbb/5/5/5/rrRrr r dragon,elephant|goose,monkey|rooster 0"
STEP = jax.jit(RULES.step)
LEGAL = jax.jit(RULES.legal_actions)
IS_OVER = jax.jit(RULES.base.is_over)
OBSERVE = jax.jit(RULES.observe)
NUM_GAMES, NUM_PLIES = 512, 200


def position(text: str) -> rules.ReportState:
    return notation.text_to_state(RULES, text)


def play(text: str, *moves: str) -> rules.ReportState:
    game = position(text)
    for move in moves:
        game = STEP(game, notation.text_to_action(RULES, game, move))
    return game


@functools.cache
def lockstep_counts() -> dict[str, int]:
    """Plays random games in both encodings at once and counts plies, ends and differences."""
    base = RULES.base

    def same(left, right):
        return jax.tree.reduce(
            jnp.logical_and, jax.tree.map(lambda a, b: (a == b).all(), left, right)
        )

    def ply(games, word):
        game, base_game = games
        legal, numbers = RULES.legal_actions(game), rules.base_actions(game)
        base_legal = jnp.zeros((base.num_actions,), bool).at[numbers].max(legal)
        differs = {
            "position": ~same(rules.to_base(game), base_game),
            "legal": (base_legal != base.legal_actions(base_game)).any(),
            "number of legal": legal.sum() != base.legal_actions(base_game).sum(),
            "end": RULES.is_over(game) != base.is_over(base_game),
            "returns": (RULES.returns(game) != base.returns(base_game)).any(),
            "seat": RULES.to_move(game) != base.to_move(base_game),
        }
        running = ~RULES.is_over(game)
        mirrored_legal = jnp.zeros_like(legal).at[rules.mirror_actions(game)].set(legal)
        action = RULES.sample_action(game, word)
        after = RULES.step(game, action, None)
        image = rules.mirror_state(game)
        mirrored_after = RULES.step(image, rules.mirror_actions(game)[action], None)
        differs["mirrored legal"] = (RULES.legal_actions(image) != mirrored_legal).any()
        differs["mirrored step"] = ~same(mirrored_after, rules.mirror_state(after))
        differs["mirror twice"] = ~same(rules.mirror_state(image), game)
        counts = {name: running & value for name, value in differs.items()}
        counts |= {"plies": running, "stuck": running & ~legal.any()}
        base_after = base.step(base_game, numbers[action], None)
        kept = jax.tree.map(
            lambda new, old: jnp.where(running, new, old), (after, base_after), games
        )
        return kept, counts

    @jax.jit
    def run(key):
        init_key, play_key = jax.random.split(key)
        games = jax.vmap(RULES.init)(jax.random.split(init_key, NUM_GAMES))
        words = jax.random.bits(play_key, (NUM_PLIES, NUM_GAMES))
        start = (games, jax.vmap(rules.to_base)(games))
        (final, _), counts = jax.lax.scan(jax.vmap(ply), start, words)
        totals = jax.tree.map(jnp.sum, counts)
        totals["ended"] = jax.vmap(RULES.is_over)(final).sum()
        return totals

    return {name: int(value) for name, value in run(jax.random.key(0)).items()}


@pytest.mark.parametrize(
    "fact", ["position", "legal", "number of legal", "end", "returns", "seat", "stuck"]
)
def test_random_games_agree_with_the_base_game(fact):
    counts = lockstep_counts()
    assert counts[fact] == 0
    assert counts["ended"] == NUM_GAMES
    assert counts["plies"] > 30 * NUM_GAMES


@pytest.mark.parametrize("fact", ["mirrored legal", "mirrored step", "mirror twice"])
def test_reflection_commutes_with_moves(fact):
    assert lockstep_counts()[fact] == 0


def test_reflected_start_position_is_a_start_position():
    game = position("bbBbb/5/5/5/rrRrr r dragon,goose|elephant,monkey|rooster 0")
    image = rules.mirror_state(game)
    text = notation.state_to_text(RULES, image)
    cards_and_pawns = "dragon,rooster|elephant,monkey|goose 0 a1,b1,d1,e1|e5,d5,b5,a5"
    assert text == f"bbBbb/5/5/5/rrRrr r {cards_and_pawns}"


def test_start_position_deals_the_five_cards_and_starts_by_stamp():
    games = jax.device_get(jax.jit(jax.vmap(RULES.init))(jax.random.split(jax.random.key(1), 600)))
    side = rules.ALL_CARDS ^ games.own_hand ^ games.other_hand
    assert (np.bitwise_count(games.own_hand) == 2).all()
    assert (games.own_hand & games.other_hand == 0).all()
    starts_blue = np.isin(side, [1 << rules.CARD_NAMES.index(c) for c in ("goose", "monkey")])
    np.testing.assert_array_equal(games.seat, starts_blue)
    deals = set(zip(games.own_hand.tolist(), games.other_hand.tolist(), strict=True))
    assert len(deals) == 30


def test_pawns_keep_their_numbers():
    game = play(START, "elephant:b1a2", "goose:b5c4")
    text = notation.state_to_text(RULES, game)
    assert text.split()[-1] == "a1,a2,d1,e1|e5,d5,c4,a5"


def test_pawns_are_numbered_from_left_to_right_for_each_side():
    text = notation.state_to_text(RULES, position(START))
    assert text == f"{START} a1,b1,d1,e1|e5,d5,b5,a5"


def test_action_is_piece_then_card_then_move():
    game = position(START)
    # Elephant comes after dragon in the card order; its moves in reading order.
    expected = {"elephant:a1b2": 5, "dragon:c1e2": 33, "elephant:e1d2": 28, "dragon:d1b2": 16}
    for text, action in expected.items():
        assert notation.text_to_action(RULES, game, text) == action
        assert notation.action_to_text(RULES, game, action) == text


def test_slots_follow_the_card_order_of_the_report_not_the_ids():
    game = position("bbBbb/5/5/5/rrRrr r rooster,monkey|goose,dragon|elephant 0")
    assert notation.text_to_action(RULES, game, "rooster:a1b2") == 0
    assert notation.text_to_action(RULES, game, "monkey:a1b2") == 5


def test_planes_are_those_of_the_base_game_and_one_for_each_own_piece():
    planar = OnitamaReport(observation="planes")
    game = position("2B2/5/1b3/3r1/2R2 b dragon,monkey|elephant,goose|rooster 0 -,d2,-,-|-,-,b3,-")
    for player in (0, 1):
        planes = np.asarray(planar.observe(game, player))
        assert planes.shape == (5, 5, 49)
        base = planar.base.observe(rules.to_base(game), player)
        np.testing.assert_array_equal(planes[..., :44], base)
        own = np.moveaxis(np.asarray(planes[..., 44:]), -1, 0)
        np.testing.assert_array_equal(own, RULES.observe(game, player).board[:5])


def test_unknown_observation_is_refused():
    with pytest.raises(ValueError, match=r"observation.*'plains'.*planes"):
        OnitamaReport(observation="plains")


def test_captured_pawn_is_gone_for_good():
    game = play(
        "5/2B2/5/2b2/1r2R r elephant,dragon|goose,monkey|rooster 4 -,b1,-,-|-,-,c2,-",
        "elephant:b1c2",
    )
    assert notation.state_to_text(RULES, game).split()[-1] == "-,c2,-,-|-,-,-,-"
    np.testing.assert_array_equal(game.own_squares, [-1, -1, -1, -1, 7])


def test_observation_shows_pieces_and_hands_of_the_looking_side():
    game = position("2B2/5/1b3/3r1/2R2 r dragon,monkey|elephant,goose|rooster 0 -,d2,-,-|-,-,b3,-")
    red = jax.device_get(OBSERVE(game, 0))
    board = np.zeros((10, 5, 5), np.float32)
    board[1, 1, 3] = board[4, 0, 2] = 1  # Red's pawn 2 on d2, master on c1
    board[7, 2, 1] = board[9, 4, 2] = 1  # Blue's pawn 3 on b3, master on c5
    np.testing.assert_array_equal(red.board, board)
    np.testing.assert_array_equal(red.cards, [1, 0, 0, 0, 1, 0, 1, 1, 0, 0])
    blue = jax.device_get(OBSERVE(game, 1))
    swapped = np.concatenate([board[5:, ::-1, ::-1], board[:5, ::-1, ::-1]])
    np.testing.assert_array_equal(blue.board, swapped)
    np.testing.assert_array_equal(blue.cards, [0, 1, 1, 0, 0, 1, 0, 0, 0, 1])


def test_state_has_fourteen_bytes():
    game = jax.eval_shape(RULES.init, jax.random.key(0))
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(game)) == 14


def test_missing_fifth_field_numbers_pawns_by_square():
    game = position("2B2/5/1b3/3r1/r1R2 r dragon,monkey|elephant,goose|rooster 0")
    assert notation.state_to_text(RULES, game).split()[-1] == "a1,d2,-,-|b3,-,-,-"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (START.replace("rooster", "tiger"), "expected dragon, elephant, goose, rooster, monkey"),
        (f"{START} a1,b1,d1|e5,d5,b5,a5", "expected a1,b1,d1,e1"),
        (f"{START} a1,b1,d1,-|e5,d5,b5,a5", "'r' has pawns on a1, b1, d1, e1"),
        (f"{START} a1,b1,d1,e1|e5,d5,b5,c4", "'b' has pawns on a5, b5, d5, e5"),
        (f"{START} a1,b1,d1,e1|e5,d5,b5,a5 x", "expected 5 fields"),
        ("bbBbb/5/5 r dragon,elephant|goose,monkey|rooster 0", "expected 5 ranks"),
    ],
)
def test_bad_position_names_the_part_at_fault(text, message):
    with pytest.raises(ValueError, match=message):
        position(text)


def test_options_are_checked():
    assert OnitamaReport(deal="dragon,goose|elephant,monkey|rooster").base.deck == rules.CARD_NAMES
    with pytest.raises(ValueError, match="'tiger' is not in the deck"):
        OnitamaReport(deal="dragon,goose|elephant,tiger|rooster")
    with pytest.raises(ValueError, match="max_plies"):
        OnitamaReport(max_plies=0)


@given(st.integers(0, 2**31 - 1), st.integers(0, 40))
def test_text_round_trip_over_random_games(seed, plies):
    rng = np.random.default_rng(seed)
    game = position(START)
    for _ in range(plies):
        actions = np.flatnonzero(LEGAL(game))
        if IS_OVER(notation.base_position(game)):
            break
        moves = [notation.action_to_text(RULES, game, action) for action in actions]
        assert [notation.text_to_action(RULES, game, move) for move in moves] == actions.tolist()
        base = notation.base_position(game)
        assert set(moves) == set(base_notation.legal_moves(base).values())
        game = STEP(game, int(rng.choice(actions)))
    text = notation.state_to_text(RULES, game)
    for left, right in zip(jax.tree.leaves(game), jax.tree.leaves(position(text)), strict=True):
        np.testing.assert_array_equal(left, right)
        assert left.dtype == right.dtype
