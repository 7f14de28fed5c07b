"""Random play of this library and of pgx: the programs that `benchmarks.throughput` times.

A *chunk* is one compiled call that plays `steps` steps in each of `batch` games; games that end
start anew. Four modes, the first three for both libraries:

- `lean`: the chunk returns the number of finished games and the sum of the first seat's rewards.
  For our games it first returns the number of steps that completed an action (in some games an
  action takes two steps). Nobody reads observations and masks, so a compiler may drop them.
- `full`: the chunk also returns the complete environment states, observation and mask included.
- `plain`: as `full`, by the loop that the documentation shows and most people write:
  `sample_action` and the step of `auto_reset` under `jax.vmap`, without a reset pool.
- `versus`: as `plain`, for one player of `versus`: a step also has the plies of a random opponent.

In `lean` and `full`, each library plays in the way that is fastest. Ours plays through `Rules`
(lean) or `Env` (full), draws one random word for the action of each game and step, and takes
set-ups from a reset pool that each chunk fills with one new set-up for each game. pgx plays in all
modes with `jax.random.categorical` over the mask and with its `auto_reset`.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

import jaxgames
from jaxgames.batching.trees import choose
from jaxgames.internal import device_kind
from jaxgames.wrappers import versus
from jaxgames.wrappers.auto_reset import auto_reset
from jaxgames.wrappers.reset_pool import make_reset_pool

PEER_MODES = ("lean", "full", "plain")
MODES = (*PEER_MODES, "versus")
SMALL_STATE = 256  # bytes of a game
Chunk = Callable[[Any, jax.Array], Any]
Step = tuple[Any, jax.Array, jax.Array]  # states, which games are over, rewards


@dataclasses.dataclass(frozen=True)
class Program:
    """One way to play at random."""

    project: str
    game: str
    mode: str
    init: Callable[[jax.Array, int], Any]
    """Maps a key and a batch size to the states at the start."""
    chunk: Callable[[int, int], Chunk]
    """Maps `batch` and `steps` to a chunk: a function of states and key that can be compiled."""

    @property
    def name(self) -> str:
        """Returns the name in tables."""
        return f"{self.project} {self.game}, {self.mode}"

    def state_bytes(self) -> int:
        """Returns the bytes of the state of one game between two steps."""
        states = jax.eval_shape(lambda key: self.init(key, 1), jax.eval_shape(jax.random.key, 0))
        return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(states))


def own(game: str, mode: str) -> Program:
    """Returns random play of a game of this library."""
    return own_env(jaxgames.make(game), mode)


def own_env(env: jaxgames.Env[Any], mode: str) -> Program:
    """Returns random play of a game of this library with its options."""
    if mode == "lean":
        return Program("jaxgames", env.id, mode, _batched(env.rules.init), _own_lean(env.rules))
    if mode == "versus":
        game = versus.versus(env)
        return Program("jaxgames", env.id, mode, _batched(game.init), _own_versus(game))
    chunk = {"full": _own_full, "plain": _own_plain}[mode](env)
    return Program("jaxgames", env.id, mode, _batched(env.init), chunk)


def peer(game: str, mode: str) -> Program:
    """Returns random play of a game of pgx."""
    import pgx

    env = pgx.make(game)
    return Program("pgx", game, mode, _batched(env.init), _peer(env, mode))


def _batched(init: Callable[[jax.Array], Any]) -> Callable[[jax.Array, int], Any]:
    return lambda key, batch: jax.vmap(init)(jax.random.split(key, batch))


def _draws(key: jax.Array, steps: int) -> Any:
    """Returns what each step draws from: a word for its resets, keys for its actions and chance.

    Split in the loop, the keys would be small kernels of their own.
    """
    reset_key, action_key, chance_key = jax.random.split(key, 3)
    words = jax.random.bits(reset_key, (steps,), jnp.uint32)
    return words, jax.random.split(action_key, steps), jax.random.split(chance_key, steps)


def _repeat(step: Callable[[Any, Any], tuple[Any, None]], first: Any, drawn: Any) -> Any:
    """Returns the carry after all steps; its first entry holds the games.

    A kernel writes a state beside the one that it reads, and a loop of single steps copies it back.
    Of two steps in one round, the second one writes where the first one has read. On a CPU, XLA
    would compute the first step anew in each of the loops of the second one. A large game has so
    many kernels in a step that the copies do not matter, and takes long to compile.
    """
    leaves = jax.tree.leaves(first[0])
    is_small = sum(leaf.nbytes for leaf in leaves) <= SMALL_STATE * leaves[0].shape[0]

    def apart(carry: Any, drawn: Any) -> tuple[Any, None]:
        return jax.lax.optimization_barrier(step(carry, drawn))

    if device_kind.is_cpu() or not is_small:
        return jax.lax.scan(step, first, drawn)[0]
    return jax.lax.scan(apart, first, drawn, unroll=2)[0]


def _each_step(numbers: jax.Array) -> jax.Array:
    """Returns what a step adds to its counts: a sum on a CPU, elsewhere the numbers of all games.

    On an accelerator, five of the ten kernels of a step of Murus Gallicus were sums of counts. So
    they are summed after the last step.
    """
    return numbers.sum() if device_kind.is_cpu() else numbers


def _no_counts(batch: int, *dtypes: Any) -> tuple[jax.Array, ...]:
    """Returns the counts before the first step, one of each type."""
    return tuple(_each_step(jnp.zeros((batch,), dtype)) for dtype in dtypes)


def _counted(
    step: Callable[[Any, jax.Array], Step],
    states: Any,
    key: jax.Array,
    batch: int,
    steps: int,
) -> Any:
    """Returns the states after all steps, the number of finished games and the sum of rewards.

    Args:
        step: maps states and a key to new states, which games are over, and rewards `[batch]`.
        states: at the start.
        key: of all steps.
        batch: number of games.
        steps: number of steps.
    """

    def count(carry: Any, step_key: jax.Array) -> tuple[Any, None]:
        states, finished, total = carry
        states, over, rewards = step(states, step_key)
        return (states, finished + _each_step(over), total + _each_step(rewards)), None

    first = states, *_no_counts(batch, jnp.int32, jnp.float32)
    (states, *counts), _ = jax.lax.scan(count, first, jax.random.split(key, steps))
    return states, *(numbers.sum() for numbers in counts)


def _own_lean(rules: jaxgames.Rules) -> Callable[[int, int], Chunk]:
    def make(batch: int, steps: int) -> Chunk:
        def random_actions(games: Any, key: jax.Array) -> jax.Array:
            words = jax.random.bits(key, (batch,), jnp.uint32)
            return jax.vmap(rules.sample_action)(games, words)

        def chunk(games: Any, key: jax.Array) -> Any:
            pool_key, action_key, steps_key = jax.random.split(key, 3)
            pool = make_reset_pool(rules.init, pool_key, batch)

            # The next action is chosen at the end of a step. At its beginning, XLA on a CPU would
            # compute the choice anew in each of the loops that update the fields of the state.
            def step(carry: Any, drawn: Any) -> tuple[Any, None]:
                games, actions, completed, finished, total = carry
                reset_word, action_key, chance_key = drawn
                completed += _each_step(jax.vmap(rules.completes_action)(games, actions))
                if rules.stochastic:
                    chance = jax.random.split(chance_key, batch)
                    games = jax.vmap(rules.step)(games, actions, chance)
                else:
                    games = jax.vmap(lambda game, action: rules.step(game, action, None))(
                        games, actions
                    )
                over = jax.vmap(rules.is_over)(games)
                finished += _each_step(over)
                total += _each_step(jax.vmap(rules.returns)(games)[:, 0])
                fresh = pool.draw_window(reset_word, batch)
                games = jax.vmap(choose)(over, fresh, games)
                chosen = random_actions(games, action_key)
                return (games, chosen, completed, finished, total), None

            chosen = random_actions(games, action_key)
            counts = _no_counts(batch, jnp.int32, jnp.int32, jnp.float32)
            last = _repeat(step, (games, chosen, *counts), _draws(steps_key, steps))
            return tuple(count.sum() for count in last[2:])

        return chunk

    return make


def _own_full(env: jaxgames.Env) -> Callable[[int, int], Chunk]:
    resetting = auto_reset(env)

    def make(batch: int, steps: int) -> Chunk:
        def chunk(states: Any, key: jax.Array) -> Any:
            pool_key, steps_key = jax.random.split(key)
            pool = make_reset_pool(env.rules.init, pool_key, batch)

            def step(states: Any, step_key: jax.Array) -> Step:
                action_key, reset_key, chance_key = jax.random.split(step_key, 3)
                actions = jaxgames.random_actions(env, states, action_key)
                chance = jax.random.split(chance_key, batch)
                reached = jax.vmap(env.step)(states, actions, chance)
                over = reached.terminated | reached.truncated
                fresh = pool.draw_window(jax.random.bits(reset_key, (), jnp.uint32), batch)
                return jax.vmap(resetting.resume)(reached, fresh), over, reached.rewards[:, 0]

            return _counted(step, states, steps_key, batch, steps)

        return chunk

    return make


def _looped(step: Callable[[int, Any, jax.Array], Step]) -> Callable[[int, int], Chunk]:
    """Returns the chunks of a step that begins games anew by itself.

    Args:
        step: maps the number of games, states and a key as `_counted` says.
    """
    return lambda batch, steps: (
        lambda states, key: _counted(functools.partial(step, batch), states, key, batch, steps)
    )


def _own_plain(env: jaxgames.Env) -> Callable[[int, int], Chunk]:
    resetting = auto_reset(env)

    def step(batch: int, states: Any, step_key: jax.Array) -> Step:
        action_key, reset_key = jax.random.split(step_key)
        actions = jax.vmap(env.sample_action)(states, jax.random.split(action_key, batch))
        keys = jax.random.split(reset_key, batch)
        states, reached = jax.vmap(resetting.step)(states, actions, keys)
        return states, reached.terminated | reached.truncated, reached.rewards[:, 0]

    return _looped(step)


def _own_versus(game: versus.Versus) -> Callable[[int, int], Chunk]:
    def step(batch: int, states: Any, step_key: jax.Array) -> Step:
        action_key, play_key = jax.random.split(step_key)
        words = jax.random.bits(action_key, (batch,), jnp.uint32)
        actions = jax.vmap(game.env.rules.sample_action)(states.game, words)
        keys = jax.random.split(play_key, batch)
        states, reached = jax.vmap(game.step_auto_reset)(states, actions, keys)
        return states, reached.terminated | reached.truncated, reached.reward

    return _looped(step)


def _peer(env: Any, mode: str) -> Callable[[int, int], Chunk]:
    from pgx.experimental import auto_reset as pgx_auto_reset

    step_with_reset = jax.vmap(pgx_auto_reset(env.step, env.init))

    def step(batch: int, states: Any, step_key: jax.Array) -> Step:
        action_key, reset_key = jax.random.split(step_key)
        logits = jnp.log(states.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(action_key, logits, axis=-1)
        states = step_with_reset(states, actions, jax.random.split(reset_key, batch))
        return states, states.terminated | states.truncated, states.rewards[:, 0]

    full = _looped(step)
    if mode != "lean":
        return full
    return lambda batch, steps: lambda states, key: full(batch, steps)(states, key)[1:]
