"""`CompiledAgents`: agents of a server by their specs, made once, compiled when first needed."""

import collections
import threading
from typing import Any

import jax

from agents.play.engine.names import name_of
from agents.play.engine.preparation import Preparation
from agents.play.engine.thinker import Thinker
from jaxgames.env import Env
from jaxgames.internal.messages import title
from jaxgames.players import registry
from jaxgames.state import State

MOST = 8  # agents whose compiled programs are kept


class CompiledAgents:
    """The agents in use; the one that has not been used for longest is dropped first."""

    def __init__(self, env: Env[Any], preparation: Preparation) -> None:
        self._env = env
        self._preparation = preparation
        self._lock = threading.Lock()
        self._entries: collections.OrderedDict[str, _Entry] = collections.OrderedDict()

    def check(self, spec: str) -> None:
        """Raises a `ValueError` if there is no such agent for this game."""
        if not self.is_ready(spec):
            registry.make(spec, self._env)

    def is_ready(self, spec: str) -> bool:
        """Returns whether an agent has been compiled."""
        return self._ready(spec) is not None

    def may_ponder(self, spec: str) -> bool:
        """Returns whether an agent has been compiled, and is to think while its opponent does."""
        thinker = self._ready(spec)
        return thinker is not None and thinker.ponders

    def _ready(self, spec: str) -> Thinker | None:
        with self._lock:
            entry = self._entries.get(spec)
        return None if entry is None else entry.thinker

    def get(self, spec: str, state: State[Any]) -> Thinker:
        """Returns an agent that is ready: it has been compiled.

        Args:
            spec: the spec of the agent.
            state: any game in progress, for the search with which it is compiled.

        Raises:
            ValueError: if there is no such agent for this game.
        """
        with self._lock:
            entry = self._entries.setdefault(spec, _Entry())
            self._entries.move_to_end(spec)
            while len(self._entries) > MOST:
                self._entries.popitem(last=False)
        # One thread compiles, others that need the same agent wait for it.
        with entry.lock:
            if entry.thinker is None:
                thinker = Thinker(self._env, registry.make(spec, self._env))
                name, game = f"agent {spec}", title(self._env.id)
                words, purpose = f"{name_of(spec)} of {game}", f"{spec} of {game}"
                with self._preparation.step(self._env.id, name, words, purpose):
                    key = jax.random.key(0)
                    next(iter(thinker.think(state, thinker.reset(), key, patience=0)))
                entry.thinker = thinker
            return entry.thinker


class _Entry:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.thinker: Thinker | None = None
