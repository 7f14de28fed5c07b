"""Solved positions of a game as training samples: exact values, and best moves as policies."""

import functools
import sys
from typing import Any

import jax
import jax.numpy as jnp

from jaxgames import Env
from jaxgames.internal.messages import title
from jaxgames.players import knowledge
from train import parallel
from train.replay import Replay
from train.selfplay import by_slot
from train.targets import Samples


@functools.lru_cache(maxsize=1)
def load(env: Env[Any], seed: int) -> Replay:
    """Returns the solved positions of a game as a replay that is full, on the host.

    They are kept for the next program of this process, since solving them may take minutes.

    Args:
        env: the game.
        seed: of the choice of positions.

    Raises:
        ValueError: if the game has none.
    """
    draw = knowledge.solved_of(env)
    if parallel.is_main_process():
        print(f"solving positions of {title(env.id)}", file=sys.stderr, flush=True)
    solved = draw(env.rules, seed)
    policy = solved.best / solved.best.sum(axis=1, keepdims=True)
    mask = jax.jit(jax.vmap(env.rules.legal_actions))(solved.games)
    policy = jax.jit(by_slot, static_argnums=2)(policy, mask, env.rules.max_legal_actions)
    values = jnp.asarray(solved.values, jnp.float16)
    known = jnp.ones((len(values),), bool)
    samples = Samples(solved.games, policy.astype(jnp.float16), values, values, known)
    size = jnp.full((1,), len(values), jnp.int32)
    full: Replay = jax.device_get(Replay(samples, position=jnp.zeros_like(size), size=size))
    return full
