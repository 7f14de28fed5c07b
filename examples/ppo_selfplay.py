"""PPO against itself and a pool of its past selves: learns Onitama in a few minutes on a CPU.

    python -m examples.ppo_selfplay --minutes=10

One network plays both seats, and all that it reads and says is from the point of view of the seat
that moves: its value is the outcome that it expects for that seat. The signs follow from this:

- The reward of a ply is that of the seat that moved (`env.mover_reward`).
- The value and the advantage of the next position belong to the seat that moves there. If that is
  the other seat, its gain is our loss. So `sign` is -1 then, 1 for the same seat, 0 after the end.

In the last quarter of the games, one seat is played by an old copy of the network. Its plies are
part of the game, so values pass back through them, but nothing is learned from its actions.
"""

import argparse
import random
import time
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

import jaxgames
from jaxgames.wrappers import versus
from jaxgames.wrappers.auto_reset import auto_reset

ENV = jaxgames.make("onitama")
HIDDEN = [nn.Dense(256), nn.relu, nn.Dense(256), nn.relu]
NETWORK = nn.Sequential([*HIDDEN, nn.Dense(1 + ENV.num_actions)])
LAMBDA, CLIP, ENTROPY, EPOCHS, MINIBATCHES = 0.9, 0.2, 0.01, 2, 8
OPTIMIZER = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-3))

Ply = namedtuple("Ply", "observation mask action log_prob value reward sign is_ours")


def ask(params: Any, observation: Any, mask: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns log-probabilities of the legal actions, and the value for the seat that moves."""
    planes = observation.astype(jnp.float32)  # states keep them as bits
    outputs = NETWORK.apply(params, planes.reshape(planes.shape[0], -1))
    return jax.nn.log_softmax(jnp.where(mask, outputs[:, :-1], -1e9)), jnp.tanh(outputs[:, -1])


def play(params: Any, rival: Any, states: Any, keys: jax.Array) -> tuple[Any, Ply]:
    """Plays one ply for each key in all games; a game that ends is followed by a new one."""
    row = jnp.arange(len(states.step_count))
    old = len(row) * 3 // 4  # from this game on, the rival has a seat

    def ply(states: Any, key: jax.Array) -> tuple[Any, Ply]:
        action_key, step_key = jax.random.split(key)
        seen, mask = states.observation, states.legal_action_mask
        ours, value = ask(params, seen, mask)
        rivals, _ = ask(rival, jax.tree.map(lambda part: part[old:], seen), mask[old:])
        is_ours = (row < old) | (states.current_player == row % 2)
        chosen = jnp.where(is_ours[:, None], ours, ours.at[old:].set(rivals))
        words, keys = jax.random.bits(action_key, row.shape), jax.random.split(step_key, len(row))
        action = jax.vmap(jaxgames.sample_logits)(chosen, mask, words)
        following, reached = jax.vmap(auto_reset(ENV).step)(states, action, keys)
        sign = jnp.where(reached.current_player == states.current_player, 1, -1)
        sign = jnp.where(reached.terminated | reached.truncated, 0, sign)
        reward = ENV.mover_reward(states, reached)
        return following, Ply(seen, mask, action, ours[row, action], value, reward, sign, is_ours)

    return jax.lax.scan(ply, states, keys)


def advantages(plies: Ply, last_value: jax.Array) -> jax.Array:
    """Returns generalised advantages, each from the point of view of the seat that moved."""

    def back(later: Any, ply: Ply) -> tuple[Any, jax.Array]:
        next_value, next_advantage = later
        advantage = ply.reward + ply.sign * (next_value + LAMBDA * next_advantage) - ply.value
        return (ply.value, advantage), advantage

    return jax.lax.scan(back, (last_value, 0 * last_value), plies, reverse=True)[1]


def loss(params: Any, ply: Ply, advantage: jax.Array, target: jax.Array) -> jax.Array:
    """Returns the loss of PPO over our own plies."""
    log_probs, value = ask(params, ply.observation, ply.mask)
    ratio = jnp.exp(log_probs[jnp.arange(len(value)), ply.action] - ply.log_prob)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage)
    entropy = -(jnp.exp(log_probs) * log_probs * ply.mask).sum(-1)
    each = (value - target) ** 2 / 2 - gain - ENTROPY * entropy
    return (each * ply.is_ours).sum() / ply.is_ours.sum()


@jax.jit(static_argnums=4, donate_argnums=(0, 2))
def iteration(trained: Any, rival: Any, states: Any, key: jax.Array, plies: int) -> Any:
    """Plays, then learns from what was played; returns parameters, optimizer state and games."""
    play_key, *epoch_keys = jax.random.split(key, 1 + EPOCHS)
    states, record = play(trained[0], rival, states, jax.random.split(play_key, plies))
    gained = advantages(record, ask(trained[0], states.observation, states.legal_action_mask)[1])
    data = record, (gained - gained.mean()) / gained.std(), gained + record.value
    data = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), data)

    def update(trained: Any, rows: jax.Array) -> tuple[Any, None]:
        gradient = jax.grad(loss)(trained[0], *jax.tree.map(lambda x: x[rows], data))
        change, opt_state = OPTIMIZER.update(gradient, trained[1])
        return (optax.apply_updates(trained[0], change), opt_state), None

    rows = jnp.stack([jax.random.permutation(key, gained.size) for key in epoch_keys])
    return jax.lax.scan(update, trained, rows.reshape(EPOCHS * MINIBATCHES, -1))[0], states


@jax.jit(static_argnums=1)
def score_against_random(params: Any, games: int, key: jax.Array) -> jax.Array:
    """Returns the mean score of the network's likeliest moves; a win counts 1, a draw 1/2."""
    game = versus.make(ENV, seat=None)  # the opponent plays at random, seats are drawn

    def decide(states: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        action = ask(params, states.observation, states.legal_action_mask)[0].argmax(-1)
        states = jax.vmap(game.step)(states, action, jax.random.split(key, games))
        return states, states.reward

    init_key, play_key = jax.random.split(key)
    states = jax.vmap(game.init)(jax.random.split(init_key, games))
    rewards = jax.lax.scan(decide, states, jax.random.split(play_key, ENV.max_steps // 2))[1]
    return (1 + rewards.sum(0).mean()) / 2


def main(arguments: Sequence[str] | None = None) -> float:
    """Trains, prints the score against random play, and returns the last one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in {"minutes": 10.0, "games": 512, "plies": 64}.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    options = parser.parse_args(arguments)
    started, number, score = time.monotonic(), 0, 0.5
    key, deal_key, params_key = jax.random.split(jax.random.key(0), 3)
    states = jax.jit(jax.vmap(ENV.init))(jax.random.split(deal_key, options.games))
    params = NETWORK.init(params_key, jnp.zeros((1, *ENV.observation_shape)).reshape(1, -1))
    trained, pool = (params, OPTIMIZER.init(params)), [jax.tree.map(jnp.copy, params)]
    while number == 0 or time.monotonic() - started < 60 * options.minutes:
        key, step_key, eval_key = jax.random.split(key, 3)
        trained, states = iteration(trained, random.choice(pool), states, step_key, options.plies)
        if number % 10 == 0:
            pool = [*pool[-9:], jax.tree.map(jnp.copy, trained[0])]
            score = float(score_against_random(trained[0], options.games, eval_key))
            seconds = time.monotonic() - started
            print(f"{seconds:4.0f} s, iteration {number}: {score:.1%}", flush=True)
        number += 1
    return score


if __name__ == "__main__":
    main()
