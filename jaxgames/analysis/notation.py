"""The moves and variations of one position in the notation of its game."""

import functools
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.analysis import host_states
from jaxgames.env import Env
from jaxgames.internal.program_cache import cached_jit
from jaxgames.state import State


class Notation:
    """Texts of the actions of one position, and of variations that begin there (host side).

    A variation is played from what the seat to move may know: hidden information is sampled, and
    so is chance. It ends where its next action is not legal there.
    """

    def __init__(self, env: Env[Any], state: State[Any], key: PRNGKeyArray) -> None:
        self.seat = int(state.current_player)
        self.legal: np.ndarray = np.asarray(state.legal_action_mask)
        self._env = env
        self._state = state
        self._key = key

    def of(self, action: int) -> str:
        """Returns the text of a legal action."""
        return self._env.action_to_text(self._state, action)

    def variation(self, actions: Iterable[int]) -> tuple[str, ...]:
        """Returns the texts of actions that are played one after the other."""
        first, *others = actions
        texts = [self.of(first)]
        if not others:
            return tuple(texts)
        state, action = self._known, first
        for ply, after in enumerate(others):
            chance = jax.random.fold_in(self._key, ply)
            state = host_states.step(self._env, state, np.int32(action), chance)
            state = jax.device_get(state)
            if state.terminated or state.truncated or not state.legal_action_mask[after]:
                break
            texts.append(self._env.action_to_text(state, after))
            action = after
        return tuple(texts)

    @functools.cached_property
    def _known(self) -> State[Any]:
        if self._env.rules.perfect_information:
            return self._state.replace(observation=())
        return _sampled(self._env, self._state.game, np.int32(self.seat), self._key)


@functools.partial(cached_jit.jit, static_argnames="env")
def _sampled(env: Env[Any], game: Any, seat: Int32[Array, ""], key: PRNGKeyArray) -> State[Any]:
    return env.wrap(env.rules.sample_belief(game, seat, key)).replace(observation=())
