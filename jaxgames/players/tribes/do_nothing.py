"""`DoNothing`: the agent that ends every turn."""

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.search.agent import Decision, GameStates, Memory, Memoryless, Params
from jaxgames.tribes.engine.actions import END_TURN
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage


@dataclasses.dataclass(frozen=True)
class DoNothing(Memoryless):
    """Ends its turn; where that is not legal, takes the first legal action."""

    rules: Tribes

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the end of the turn; `policy` is 1 for it."""
        del params, key
        legal = jax.vmap(self.rules.legal_actions)(state)
        end = self.rules.config.board.tiles + END_TURN
        ends = legal[:, end] & (state.phase == Stage.SOURCE)
        action = jnp.where(ends, end, legal.argmax(axis=1)).astype(jnp.int32)
        policy = jax.nn.one_hot(action, self.rules.num_actions)
        values = jnp.zeros((len(action), self.rules.num_players), jnp.float32)
        return Decision(action, policy, values), memory
