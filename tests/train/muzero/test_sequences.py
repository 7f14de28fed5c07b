"""Sequences from the replay: rows by hand, and whole batches against the rules of a game."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs.alphazero import SelfPlayConfig
from configs.muzero import LearnerConfig
from jaxgames.players.basic import Random
from tests import turn_nim
from tests.turn_nim import CHOOSING, TurnNim
from train import replay, selfplay
from train.muzero import sequences
from train.replay import Replay
from train.targets import Samples, Transitions, make_samples

RULES = TurnNim()
LANES, PLIES, CAPACITY = 8, 12, 192
CONFIG = LearnerConfig(unroll=5, search_value_share=0.0, consistency_loss_weight=1.0)


def ring(ended: str, size: int, position: int) -> Replay:
    """Returns a ring of two lanes, ply by ply; `x` is a ply that ends its game."""
    marks = jnp.array([mark == "x" for mark in ended])
    moves = Transitions(jnp.arange(len(ended)), marks, marks, jnp.zeros((len(ended), 2)))
    samples = Samples(*[None] * 5, moves=moves)
    return Replay(samples, jnp.array([position]), jnp.array([size]))


def follow(samples: Replay, start: int) -> list[str]:
    """Returns the rows after one: `*` marks the end of a game, `?` an unknown position."""
    rows = sequences.follow(samples, jnp.array([start]), lanes=2, unroll=3)
    return [
        f"{row}{'*' if over else ''}" if known else "?"
        for row, over, known in zip(*(np.asarray(x)[:, 0].tolist() for x in rows), strict=True)
    ]


@pytest.mark.parametrize(
    ("ended", "size", "position", "start", "rows"),
    [
        ("........", 8, 0, 1, ["1", "3", "5", "7"]),
        # The newest ply is known, the next one is not yet played.
        ("........", 8, 0, 4, ["4", "6", "?", "?"]),
        ("........", 6, 6, 2, ["2", "4", "?", "?"]),
        # The oldest row is 4: the lane goes on at the beginning of the ring, and ends before 4.
        ("........", 8, 4, 5, ["5", "7", "1", "3"]),
        ("........", 8, 4, 1, ["1", "3", "?", "?"]),
        # After the end of a game its last row repeats; the next game is not looked at.
        ("..x.....", 8, 0, 0, ["0", "2", "2*", "2*"]),
        (".x......", 8, 0, 0, ["0", "2", "4", "6"]),
        # The end of a game is known even where nothing follows in the ring.
        ("......x.", 8, 0, 6, ["6", "6*", "6*", "6*"]),
    ],
)
def test_rows_follow_their_lane_to_the_end_of_the_game_or_of_the_ring(
    ended, size, position, start, rows
):
    assert follow(ring(ended, size, position), start) == rows


def test_seats_take_turns_once_a_game_is_over():
    seat = jnp.array([[2], [0], [7], [7], [7]])
    is_over = jnp.array([[False], [False], [True], [True], [True]])
    found = sequences.seats_after_end(seat, is_over, num_players=3)
    assert found[:, 0].tolist() == [2, 0, 1, 2, 0]


def drawn(random_opening_share: float, keeps_view: bool = False):
    """Returns sequences of random games, drawn when the ring is full and has wrapped around."""
    config = SelfPlayConfig(
        lanes=LANES,
        plies=PLIES,
        random_opening_share=random_opening_share,
        random_opening_plies=100,
    )
    key = jax.random.key(3)
    lanes, samples = selfplay.start_lanes(RULES, config, LANES, key), None
    for number in range(3):
        lanes, new = play(config, lanes, jax.random.fold_in(key, number))
        if samples is None:
            samples = replay.empty(jax.tree.map(lambda x: x[0], new), CAPACITY)
        samples = add(samples, new)
    return jax.device_get(draw(samples, key, keeps_view))


@functools.partial(jax.jit, static_argnums=0)
def play(config, lanes, key):
    """Returns the lanes after some plies, and samples of these."""
    lanes, plies = selfplay.play(RULES, Random(RULES), config, (), lanes, key)
    return lanes, make_samples(plies, with_moves=True)


@functools.partial(jax.jit, static_argnums=2)
def draw(samples, key, keeps_view):
    return sequences.draw(RULES, CONFIG, samples, 256, LANES, key, keeps_view)


add = jax.jit(replay.add)


@pytest.fixture(scope="module")
def batch():
    return drawn(random_opening_share=0.0)


def positions(obs):
    """Returns the positions that a seat to move observes."""
    heaps = (obs[:, 0, :, :3] * [1, 2, 3]).sum(axis=-1).astype(int)
    chosen = np.where(obs[:, 0, :, 3].any(axis=-1), obs[:, 0, :, 3].argmax(axis=-1), CHOOSING)
    return [(tuple(row), int(heap)) for row, heap in zip(heaps, chosen, strict=True)]


def test_actions_lead_from_each_observed_position_to_the_next_under_any_symmetry(batch):
    seen = [batch.obs, *np.moveaxis(batch.later_obs, 1, 0)]
    goes_on = batch.targets.policy_weight == 1
    checked = 0
    for step in range(CONFIG.unroll):
        before = positions(seen[step])
        state = turn_nim.batch(before, 0)
        after = jax.vmap(RULES.step)(state, batch.action[:, step])
        wanted = jax.vmap(RULES.observe)(after, after.seat)
        rows = goes_on[:, step] & goes_on[:, step + 1]
        np.testing.assert_array_equal(seen[step + 1][rows], wanted[rows])
        np.testing.assert_array_equal(batch.seat[rows, step], after.seat[rows])
        checked += rows.sum()
    assert checked > 300


def test_later_positions_are_seen_by_the_first_seat_where_the_model_keeps_its_view(batch):
    kept = drawn(random_opening_share=0.0, keeps_view=True)
    np.testing.assert_array_equal(kept.obs, batch.obs)
    np.testing.assert_array_equal(kept.later_obs[..., :-1], batch.later_obs[..., :-1])
    goes_on = kept.targets.policy_weight[:, 1:] == 1
    is_own_turn = kept.later_obs[:, :, 0, 0, -1][goes_on]
    np.testing.assert_array_equal(is_own_turn, (kept.seat.cumsum(axis=1) % 2 == 0)[goes_on])
    assert 0.2 < is_own_turn.mean() < 0.8
    assert (batch.later_obs[..., -1][goes_on] == 1).all()


def test_value_targets_change_their_sign_with_the_seat_up_to_and_after_the_end(batch):
    values, weight = batch.targets.values[..., 0], batch.targets.value_weight
    ends = 0
    for step in range(CONFIG.unroll):
        rows = (weight[:, step] > 0) & (weight[:, step + 1] > 0)
        sign = np.where(batch.seat[:, step] == 0, 1, -1)
        np.testing.assert_array_equal(values[rows, step + 1], (sign * values[:, step])[rows])
        # Whoever takes the last stone wins.
        goes_on = batch.targets.policy_weight == 1
        last = rows & goes_on[:, step] & ~goes_on[:, step + 1]
        assert (values[last, step] == 1).all() and (values[last, step + 1] == -1).all()
        ends += last.sum()
    assert ends > 30


def test_the_outcome_is_known_once_a_random_move_has_ended_the_game():
    found = drawn(random_opening_share=1.0).targets
    is_over = np.diff(found.policy_weight, axis=1, prepend=1) < 0
    is_over &= found.value_weight > 0
    # Whoever would move now has lost; the plies before are not worth what random moves made of it.
    assert is_over.sum() > 30
    assert (found.values[is_over] == [-1, 1]).all()
    before = np.roll(is_over, -1, axis=1)
    assert found.value_weight[before].mean() < 0.2


def test_weights_say_what_is_known(batch):
    known = np.concatenate([np.ones((256, 1)), batch.weight], axis=1)
    assert (np.diff(known, axis=1) <= 0).all() and known.min() == 0
    assert (batch.targets.policy_weight <= known).all()
    assert (batch.targets.value_weight <= known).all()
    # The seat after the end is one that the model learns too.
    assert ((batch.weight == 1) & (batch.targets.policy_weight[:, 1:] == 0)).any()


def test_value_after_the_end_is_the_outcome_with_its_share_of_the_lead():
    """A lane of two plies: the second one ends the game, by ten points."""
    config = dataclasses.replace(
        CONFIG, search_value_share=0.25, lead_value_share=0.5, score_unit=20.0, augment=False
    )
    returns = jnp.array([[0, 0], [1, -1]], jnp.float16)
    marks = jnp.array([False, True])
    samples = Samples(
        game=turn_nim.batch([((2, 0, 0), CHOOSING), ((2, 0, 0), 0)], 0),
        policy=jnp.zeros((2, 3), jnp.float16),
        search_values=jnp.full((2, 2), 0.3, jnp.float16),
        outcome=jnp.stack([returns[1]] * 2),
        outcome_known=jnp.ones(2, bool),
        scores=jnp.array([[30, 20], [30, 20]], jnp.float16),
        moves=Transitions(jnp.array([0, 4]), marks, marks, returns),
    )
    full = Replay(samples, jnp.array([0]), jnp.array([2]))
    draw = jax.jit(
        lambda key: sequences.draw(RULES, config, full, 16, 1, key, False).targets.values
    )
    values = np.asarray(draw(jax.random.key(0)))
    outcome = 0.5 + 0.5 * np.tanh(0.5)
    np.testing.assert_allclose(np.abs(values[:, 2:]), outcome, rtol=1e-3)
    np.testing.assert_allclose(values[:, 0, 0], 0.75 * outcome + 0.25 * 0.3, rtol=1e-3)


def test_observations_after_actions_are_made_for_the_consistency_loss_alone():
    config = dataclasses.replace(CONFIG, consistency_loss_weight=0.0)
    games = jax.vmap(RULES.init)(jax.random.split(jax.random.key(0), 16))
    zeros = jnp.zeros((16, 2), jnp.float16)
    samples = Samples(
        game=games,
        policy=jnp.zeros((16, 3), jnp.float16),
        search_values=zeros,
        outcome=zeros,
        outcome_known=jnp.zeros(16, bool),
        moves=Transitions(jnp.zeros(16, jnp.int32), *[jnp.zeros(16, bool)] * 2, zeros),
    )
    full = Replay(samples, jnp.array([0]), jnp.array([16]))
    found = jax.eval_shape(
        lambda key: sequences.draw(RULES, config, full, 4, 2, key, False), jax.random.key(0)
    )
    assert found.later_obs is None
    assert found.targets.policy.shape == (4, 6, 6)
