"""The promises of `Env`: what a step means, and notation. They follow from those of the rules."""

import importlib.util
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames.boards import packed_planes
from jaxgames.env import Env, random_actions
from jaxgames.state import State
from jaxgames.testing import playouts
from jaxgames.testing.playouts import require, require_equal
from jaxgames.testing.rules import check_rules

NUM_TEXTS = 24  # positions whose notation is read back


def check_env(env: Env, seed: int = 0) -> None:
    """Checks the rules of `env`, its steps on random games and, if it has one, its notation.

    Raises:
        AssertionError: names the first broken promise.
    """
    check_rules(env.rules, seed)
    states = play(env, seed)
    check_rewards(env, states)
    check_views(env, states)
    check_illegal_actions(env, states)
    check_truncation(env)
    if env.notation is not None and importlib.util.find_spec(env.notation) is not None:
        check_notation(env, states, seed)


def play(env: Env, seed: int = 0, num_games: int = playouts.NUM_GAMES) -> State:
    """Returns the states `[T, games]` of random games, with some steps after their ends."""

    def ply(states: State, key: PRNGKeyArray) -> tuple[State, State]:
        action_key, step_key = jax.random.split(key)
        actions = random_actions(env, states, action_key)
        keys = jax.random.split(step_key, num_games)
        return jax.vmap(env.step)(states, actions, keys), states

    init_key, play_key = jax.random.split(jax.random.key(seed))
    first = jax.jit(jax.vmap(env.init))(jax.random.split(init_key, num_games))
    keys = jax.random.split(play_key, min(env.max_steps, playouts.MAX_PLIES) + 2)
    return jax.jit(lambda states, keys: jax.lax.scan(ply, states, keys)[1])(first, keys)


def check_rewards(env: Env, states: State) -> None:
    """The outcome is paid once, by the step that ends the game; then nothing changes any more."""
    over = np.asarray(states.terminated | states.truncated)
    before, after = (
        jax.tree.map(lambda leaf, s=s: leaf[s], states) for s in (np.s_[:-1], np.s_[1:])
    )
    require(~states.terminated[0] & ~states.truncated[0], "a new game is not over")
    require(states.rewards[0] == 0, "a new game has paid nothing")
    require(states.step_count[0] == 0, "the step count begins at zero")
    require(~(states.terminated & states.truncated), "a game ends or is cut off, never both")

    ends = ~over[:-1] & over[1:]
    outcomes = playouts.map2(env.rules.returns)(after.game)
    expected = jnp.where((ends & after.terminated)[..., None], outcomes, 0.0)
    require(after.rewards == expected, "rewards are the outcome, paid once, when the game ends")
    require((after.rewards != 0) | ~jnp.signbit(after.rewards), "no reward is -0.0")
    require(after.step_count - before.step_count == ~over[:-1], "a step counts until the end")
    unpaid = before.replace(rewards=after.rewards)
    old, new = playouts.at((unpaid, after), np.nonzero(over[:-1]))
    require_equal(old, new, "a step after the end changes nothing")


def check_views(env: Env, states: State) -> None:
    """Seat, observation and mask are those of the rules; the mask is all true at the end."""
    rules = env.rules
    over = states.terminated | states.truncated
    seats = playouts.map2(rules.to_move)(states.game)
    require_equal(states.current_player, seats, "current_player is the seat that must act")
    masks = playouts.map2(rules.legal_actions)(states.game) | over[..., None]
    require_equal(
        states.legal_action_mask,
        masks,
        "until the end, the mask holds the legal actions of the rules",
    )
    seen = playouts.map2(env.observe)(states, states.current_player)
    require_equal(states.observation, seen, "observation is what current_player observes")
    shapes = packed_planes.shapes(playouts.at(states.observation, (0, 0)))
    require(shapes == env.observation_shape, "observation_shape is the shape of observations")


def check_illegal_actions(env: Env, states: State) -> None:
    """An illegal action ends the game and moves nothing: -1 for the mover, +1 shared by others."""
    first = jax.tree.map(lambda leaf: leaf[0], states)
    illegal = jnp.argmin(first.legal_action_mask, axis=-1)
    has_illegal = ~first.legal_action_mask.all(axis=-1)
    illegal = jnp.where(has_illegal, illegal, env.num_actions)
    keys = jax.random.split(jax.random.key(1), illegal.shape[0])
    step = jax.jit(jax.vmap(env.step))
    movers = jnp.arange(env.num_players) == first.current_player[:, None]
    share = 1.0 / max(env.num_players - 1, 1)
    for name, actions in (
        ("an action that the mask excludes", illegal),
        ("a negative action", jnp.full_like(illegal, -1)),
        ("an action beyond the last", jnp.full_like(illegal, env.num_actions)),
    ):
        after = step(first, actions, keys)
        require(after.terminated, f"{name} ends the game")
        require(after.rewards == jnp.where(movers, -1.0, share), f"{name} costs the mover 1")
        require_equal(after.game, first.game, f"{name} moves nothing")
        again = step(after, actions, keys)
        require(again.rewards == 0, f"{name} is paid for once")


def check_truncation(env: Env) -> None:
    """A game that is not over at `max_steps` is cut off, without rewards."""
    state = jax.jit(env.init)(jax.random.key(2))
    late = state.replace(step_count=jnp.int32(env.max_steps - 1))
    action = env.sample_action(state, jax.random.key(3))
    after = jax.jit(env.step)(late, action, jax.random.key(4))
    require(after.terminated ^ after.truncated, "a game that goes on is cut off at max_steps")
    require(after.terminated | (after.rewards == 0).all(), "a game that is cut off pays nothing")
    require(after.legal_action_mask, "the mask is all true once a game is cut off")


def check_notation(env: Env, states: State, seed: int = 0) -> None:
    """Positions and moves read back as they were written; different moves have different texts."""
    plies, games = np.nonzero(~np.asarray(states.terminated | states.truncated))
    chosen = np.random.default_rng(seed).choice(len(plies), min(NUM_TEXTS, len(plies)), False)
    host: Any = jax.device_get(states)
    for i in chosen:
        state = jax.tree.map(lambda leaf, i=i: leaf[plies[i], games[i]], host)
        text = env.state_to_text(state)
        read = jax.device_get(env.text_to_state(text))
        require_equal(read.game, state.game, f"position {text!r} reads back as it was written")
        actions = np.flatnonzero(state.legal_action_mask)
        moves = [env.action_to_text(state, int(action)) for action in actions]
        require(len(set(moves)) == len(moves), f"the moves of {text!r} have different texts")
        for action, move in zip(actions, moves, strict=True):
            require(
                env.text_to_action(state, move) == action,
                f"move {move!r} of {text!r} reads back as it was written",
            )
