"""`Rollout`: values from random playouts."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batching.trees import select_rows
from jaxgames.internal import checks
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation


@dataclasses.dataclass(frozen=True)
class Rollout:
    """Values from random games played to their end, with a uniform prior."""

    rules: Rules[Any]
    rollouts: int = 1  # games played from each position
    max_steps: int | None = None  # plies until a playout counts as drawn; None: the cap

    def __post_init__(self) -> None:
        """Checks the numbers."""
        checks.count("rollouts", self.rollouts)
        if self.max_steps is not None and self.max_steps < 1:
            raise ValueError(f"max_steps must be at least 1, got {self.max_steps}")

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the mean returns of the playouts from a batch of positions."""
        del params
        batch_size = jax.tree.leaves(state)[0].shape[0]
        games = jax.tree.map(lambda x: jnp.repeat(x, self.rollouts, axis=0), state)
        returns = self.play(games, key).reshape(batch_size, self.rollouts, self.rules.num_players)
        logits = jnp.zeros((batch_size, self.rules.num_actions), jnp.float32)
        return Evaluation(logits, returns.mean(axis=1))

    def play(self, games: GameStates, key: PRNGKeyArray) -> Float[Array, "B players"]:
        """Returns the returns of one random playout of each game; zeros where it was cut off."""
        rules = self.rules
        limit = rules.max_steps if self.max_steps is None else self.max_steps

        def are_running(games: GameStates) -> Bool[Array, "B"]:
            return ~jax.vmap(rules.is_over)(games)

        def goes_on(carry: tuple[GameStates, Int32[Array, ""]]) -> Bool[Array, ""]:
            games, steps = carry
            return are_running(games).any() & (steps < limit)

        def ply(
            carry: tuple[GameStates, Int32[Array, ""]],
        ) -> tuple[GameStates, Int32[Array, ""]]:
            games, steps = carry
            running = are_running(games)
            action_key, chance_key = jax.random.split(jax.random.fold_in(key, steps))
            words = sampling.random_words(action_key, running.shape[0])
            actions = jax.vmap(rules.sample_action)(games, words)
            chance_keys = jax.random.split(chance_key, running.shape[0])
            moved = jax.vmap(rules.step)(games, actions, chance_keys)
            return select_rows(running, moved, games), steps + 1

        games, _ = jax.lax.while_loop(goes_on, ply, (games, jnp.int32(0)))
        return jax.vmap(rules.returns)(games)
