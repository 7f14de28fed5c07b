"""`State`: one game in progress, and what it prints.

The names of the fields are those of pgx, so that code written for it reads the same.
"""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import jax
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.internal import imports

GameStateT = TypeVar("GameStateT")
_ENV = "_env"  # attribute of states that an environment has made on the host
MOST_PRINTED = 400  # characters of a position text in the `repr` of a state


class State(struct.PyTreeNode, Generic[GameStateT]):
    """One game in progress. All arrays are unbatched; `jax.vmap` adds the batch axis."""

    game: GameStateT
    """The game's own state: all that a search needs to keep."""
    current_player: Int32[Array, ""]
    """The seat that must act: always the seat, never a colour or a team."""
    observation: Any
    """The observation of `current_player`, from its point of view."""
    rewards: Float[Array, "players"]
    """Reward of each seat for the last step; non-zero only on the step that ends the game."""
    terminated: Bool[Array, ""]
    """Whether the game has ended by its rules (or by an illegal action)."""
    truncated: Bool[Array, ""]
    """Whether the game was cut off at `max_steps`."""
    legal_action_mask: Bool[Array, "actions"]
    """The legal actions; all true once the game is over, so that no softmax meets an empty row."""
    step_count: Int32[Array, ""]
    """Number of steps taken."""

    def __repr__(self) -> str:
        """Says in a few lines where the game stands; of a batch or a traced state, what it is."""
        kind = type(self.game).__name__
        leaves = jax.tree.leaves(self)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return f"State(traced, {kind})"
        if not all(isinstance(leaf, jax.Array | np.ndarray | np.generic) for leaf in leaves):
            return f"State({', '.join(f'{name}={part!r}' for name, part in self._parts())})"
        try:
            return _described(jax.device_get(self.replace(observation=())), kind)
        except RuntimeError as error:  # arrays that were donated, or are on other machines
            return f"State({kind}, not readable: {error})"

    def _parts(self) -> Iterator[tuple[str, Any]]:
        return ((name, part) for name, part in vars(self).items() if name != _ENV)

    def shown_by(self, env: Any) -> "State[GameStateT]":
        """Returns this state, which a notebook shows by the pictures of its environment.

        The environment is no part of the pytree: what JAX or `replace` makes of the state is shown
        in words.
        """
        object.__setattr__(self, _ENV, env)
        return self

    def _repr_svg_(self) -> str | None:
        env = vars(self).get(_ENV)
        if env is None or env.renderer is None:
            return None
        try:
            picture: str = env.render(self)._repr_svg_()
        except (ImportError, RuntimeError):  # without the extra, or with arrays that were donated
            return None
        return picture


def _described(state: State[Any], kind: str) -> str:
    """Returns a few lines about a state, or a batch of states, of host values."""
    over = np.asarray(state.terminated | state.truncated)
    if over.ndim:
        steps = np.asarray(state.step_count)
        span = f"{steps.min()} to {steps.max()} steps, " if steps.size else ""
        return f"State(a batch of shape {over.shape}, {kind}: {span}{over.sum()} over)"
    if over:
        how = "over" if state.terminated else "cut off"
        stands = f"{how}, last rewards {(state.rewards + 0.0).tolist()}"
    else:
        count = int(np.count_nonzero(state.legal_action_mask))
        stands = f"seat {int(state.current_player)} to move, {count} legal actions"
    lines = [f"State({kind}, step {int(state.step_count)}, {stands})"]
    if printed := getattr(type(state.game), "printed", None):
        text = imports.load(printed)(state.game)
        is_long = len(text) > MOST_PRINTED
        lines.append(f"{text[:MOST_PRINTED]}... ({len(text)} characters)" if is_long else text)
    return "\n".join(lines)
