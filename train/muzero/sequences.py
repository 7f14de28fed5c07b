"""Sequences of positions from the replay, as inputs and targets of an unrolled model.

The replay holds the plies of all lanes one ply after another, and the games go on from one
iteration to the next. So the ply that follows another one in its lane is found a fixed number of
rows later.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from configs.muzero import LearnerConfig
from jaxgames import Rules
from train import learner
from train.replay import Replay
from train.targets import Samples


class Rows(NamedTuple):
    """The rows of the replay that follow each other, first axis: `unroll + 1` steps."""

    row: Int32[Array, "T B"]  # of the position; once the game is over, of its last ply
    is_over: Bool[Array, "T B"]  # the game is over
    is_known: Bool[Array, "T B"]  # the position is in the replay, or the game is over


class Sequences(NamedTuple):
    """Inputs and targets of one gradient step; `K` actions in a row."""

    obs: Any  # of the first position, as the seat to move sees it
    mask: Bool[Array, "B actions"]  # of the first position
    targets: learner.Batch  # `[B, K + 1, ...]`, without inputs and masks
    action: Int32[Array, "B K"]
    seat: Int32[Array, "B K"]  # that moves after each action: 0 is the seat that acted
    weight: Float[Array, "B K"]  # one where the position after the action is known
    later_obs: Any  # `[B, K, ...]`, of the positions after each action (see `draw`); None: unused


def draw(
    rules: Rules[Any],
    config: LearnerConfig,
    replay: Replay,
    size: int,
    lanes: int,
    key: PRNGKeyArray,
    keeps_view: bool,
) -> Sequences:
    """Returns sequences that start at positions drawn uniformly.

    After the end of a game, arbitrary actions lead from the final position back to it, seats take
    turns, and the value stays the outcome. There is no policy to learn there.

    Args:
        rules: the game.
        config: the settings.
        replay: the replay of one device.
        size: number of sequences.
        lanes: number of lanes whose plies are in the replay.
        key: of all chance.
        keeps_view: whether later positions are observed by the seat that moves first, instead of
            the one that moves then.
    """
    draw_key, augment_key, action_key = jax.random.split(key, 3)
    start = jax.random.randint(draw_key, (size,), 0, jnp.maximum(replay.size[0], 1))
    rows = follow(replay, start, lanes, config.unroll)
    steps = config.unroll + 1

    samples = jax.tree.map(lambda ring: ring[rows.row.reshape(-1)], replay.samples)
    choice = learner.draw_symmetries(rules, config, size, augment_key)
    repeated = None if choice is None else jnp.tile(choice, steps)
    samples, policy, mask = learner.with_symmetries(rules, samples, repeated)
    moves = samples.moves
    assert moves is not None, "the replay of MuZero holds the moves"
    samples, is_settled = _at_the_end(config, samples, rows.is_over.reshape(-1))
    seat = jax.vmap(rules.to_move)(samples.game).reshape(steps, size).astype(jnp.int32)
    seat = seats_after_end(seat, rows.is_over, rules.num_players)
    targets = learner.targets_of(config, samples, policy, seat.reshape(-1))
    weight = (rows.is_known.reshape(-1) & is_settled).astype(jnp.float32)
    targets = targets._replace(
        value_weight=targets.value_weight * weight,
        score_weight=None if targets.score_weight is None else targets.score_weight * weight,
        policy_weight=(rows.is_known & ~rows.is_over).reshape(-1).astype(jnp.float32),
    )

    random_action = jax.random.randint(action_key, (steps, size), 0, rules.num_actions)
    action = moves.action.reshape(steps, size)
    action = jnp.where(rows.is_over, random_action, action)
    game = jax.tree.map(lambda x: x.reshape(steps, size, *x.shape[1:]), samples.game)
    observe = jax.vmap(rules.observe)
    later = None
    if config.consistency_loss_weight > 0:
        observer = jnp.broadcast_to(seat[:1], seat[1:].shape) if keeps_view else seat[1:]
        later = jax.vmap(observe)(jax.tree.map(lambda x: x[1:], game), observer)
    return Sequences(
        obs=observe(jax.tree.map(lambda x: x[0], game), seat[0]),
        mask=mask[:size],
        targets=_batch_first(jax.tree.map(lambda x: x.reshape(steps, size, *x.shape[1:]), targets)),
        action=action[:-1].T,
        seat=((seat[1:] - seat[:-1]) % rules.num_players).T,
        weight=rows.is_known[1:].astype(jnp.float32).T,
        later_obs=_batch_first(later),
    )


def follow(replay: Replay, start: Int32[Array, "B"], lanes: int, unroll: int) -> Rows:
    """Returns the rows of the positions that follow `start` in their lanes."""
    ring = replay.samples.moves
    assert ring is not None, "the replay of MuZero holds the moves"
    capacity = ring.ended.shape[0]
    size = replay.size[0]
    oldest = jnp.where(size == capacity, replay.position[0], 0)

    row, age = start, (start - oldest) % capacity
    is_over = jnp.zeros_like(start, dtype=bool)
    is_known = jnp.ones_like(is_over)
    steps = [Rows(row, is_over, is_known)]
    for _ in range(unroll):
        is_over = is_over | (is_known & ring.ended[row])
        is_known = is_over | (is_known & (age + lanes < size))
        moves_on = ~is_over & is_known
        row = jnp.where(moves_on, (row + lanes) % capacity, row)
        age = jnp.where(moves_on, age + lanes, age)
        steps.append(Rows(row, is_over, is_known))
    return jax.tree.map(lambda *xs: jnp.stack(xs), *steps)


def seats_after_end(
    seat: Int32[Array, "T B"], is_over: Bool[Array, "T B"], num_players: int
) -> Int32[Array, "T B"]:
    """Returns the seats to move, which take turns once a game is over."""
    found = [seat[0]]
    for own, over in zip(seat[1:], is_over[1:], strict=True):
        found.append(jnp.where(over, (found[-1] + 1) % num_players, own))
    return jnp.stack(found)


def _at_the_end(
    config: LearnerConfig, samples: Samples, is_over: Bool[Array, "N"]
) -> tuple[Samples, Bool[Array, "N"]]:
    """Returns samples in which a game that is over has its outcome as value, and which values hold.

    The outcome is certain even after a random move, which says little about the plies before it.
    """
    moves, over = samples.moves, is_over[:, None]
    assert moves is not None
    samples = samples._replace(
        outcome=jnp.where(over, moves.returns, samples.outcome),
        outcome_known=jnp.where(is_over, moves.decided, samples.outcome_known),
    )
    outcome = learner.outcome_of(config, samples)
    values = jnp.where(over, outcome, samples.search_values)
    return samples._replace(search_values=values), ~is_over | moves.decided


def _batch_first(tree: Any) -> Any:
    return jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), tree)
