"""`auto_reset`: a step that starts a new game where the old one ended, and loses nothing.

It returns the state that goes on **and** the state that the action led to. The second one holds the
rewards, the flags and the last observation, which bootstrapping at a truncation needs.
"""

import dataclasses
from typing import Generic, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PRNGKeyArray

from jaxgames.batching import trees
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.env import Env
from jaxgames.internal import jax_modes
from jaxgames.rules import Action, GameStateT, Rules
from jaxgames.state import State
from jaxgames.wrappers.reset_pool import ResetPool

ENDING_SHARE = 1 / 32  # of the games, end in one ply; it decides how many are set up at once


class Transition(NamedTuple):
    """The states that one step leads to."""

    state: State
    """The state to act in next: a new game where the old one ended. Its rewards are zero."""
    reached: State
    """The state that the action led to, with rewards, `terminated` and `truncated`.

    Inside `jit`, the parts that the caller does not read, mostly the observation, are not computed.
    """


@dataclasses.dataclass(frozen=True)
class AutoReset(Generic[GameStateT]):
    """An environment whose games never stop. Use `jax.vmap` for a batch, as with `Env`."""

    env: Env[GameStateT]

    def init(self, key: PRNGKeyArray) -> State[GameStateT]:
        """Returns the state at the start of a game."""
        return self.env.init(key)

    @jax_modes.standard
    def step(
        self,
        state: State[GameStateT],
        action: Action,
        key: PRNGKeyArray,
        pool: ResetPool[GameStateT] | None = None,
    ) -> Transition:
        """Plays `action` and sets up a new game if that ended the old one.

        Args:
            state: the state to act in.
            action: an action; an illegal one ends the game, as in `Env.step`.
            key: chance of the step and of the new set-up.
            pool: prepared set-ups, from `make_reset_pool(env.rules.init, ...)`. Under `jax.vmap`
                all games share it: `in_axes=(0, 0, 0, None)`. Without one, set-ups are computed in
                the games that have ended.
        """
        step_key, reset_key = None, key
        if self.env.rules.stochastic:
            step_key, reset_key = jax.random.split(key)
        reached = self.env.step(state, action, step_key)
        if pool is None:
            done = reached.terminated | reached.truncated
            game = fresh_where(self.env.rules, done, reached.game, reset_key)
            return Transition(self._going_on(reached, game), reached)
        fresh = pool.draw(jax.random.bits(reset_key, (), jnp.uint32))
        return Transition(self.resume(reached, fresh), reached)

    @jax_modes.standard
    def resume(self, reached: State[GameStateT], fresh: GameStateT) -> State[GameStateT]:
        """Returns `reached`, or the start of the game `fresh` if `reached` is over.

        The choice is made on the small game states; mask and observation are computed once, after
        it. (Choosing between complete states was measured 25 times slower on a CPU.)
        """
        done = reached.terminated | reached.truncated
        return self._going_on(reached, trees.choose(done, fresh, reached.game))

    def _going_on(self, reached: State[GameStateT], game: GameStateT) -> State[GameStateT]:
        """Returns the state to act in, whose position is new where `reached` is over."""
        done = reached.terminated | reached.truncated
        step_count = jnp.where(done, 0, reached.step_count)
        return self.env.wrap(game).replace(step_count=step_count)


def fresh_where(
    rules: Rules[GameStateT], ended: Bool[Array, ""], game: GameStateT, key: PRNGKeyArray
) -> GameStateT:
    """Returns a new game where another has ended; under `jax.vmap`, only those are set up."""
    return where_needed(ended, rules.init, game, key, share=ENDING_SHARE)


def auto_reset(env: Env[GameStateT]) -> AutoReset[GameStateT]:
    """Returns `env` with a step that starts a new game where the old one ended.

    Raises:
        ValueError: if `env` is no environment.
    """
    if not isinstance(env, Env):
        raise ValueError(f"auto_reset takes an environment, got {env!r}; use jaxgames.make")
    return AutoReset(env)
