"""An explorer: a random walk that reveals what is around it.

Source: the game's document, section 9.5.
"""

import jax
import jax.numpy as jnp

from jaxgames.tribes.engine import vision
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import can_enter
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.parameters import MAX_EXPLORER_STEPS

MAX_TRIES = 45  # for one step
MAX_DRAWS = MAX_EXPLORER_STEPS * MAX_TRIES


def explore(
    config: GameConfig, state: TribesState, start: Number, chance: Chance, when: Condition
) -> tuple[TribesState, Chance]:
    """Returns the state after an explorer of the tribe to move has walked from a tile, if `when`.

    Without fog there is nothing to reveal, and nothing is drawn.
    """
    if not config.fog:
        return state, chance
    tribe = state.active.astype(jnp.int32)

    def goes_on(carry: tuple[TribesState, Chance, Number, Number, Number]) -> Condition:
        return when & (carry[3] < config.p.explorer_steps)

    def attempt(
        carry: tuple[TribesState, Chance, Number, Number, Number],
    ) -> tuple[TribesState, Chance, Number, Number, Number]:
        state, chance, tile, step, tries = carry
        ways = jnp.asarray(config.board.num_neighbours)[tile]
        way = jnp.asarray(config.board.neighbours)[tile, chance.draw(ways)]
        known = state.tribes.technologies[tribe]
        goes = can_enter(known, state.tiles.terrain[way])
        tile = jnp.where(goes, way, tile)
        state, chance = vision.look(config, state, tribe, tile, 1, chance.after(), goes)
        is_next = goes | (tries + 1 == MAX_TRIES)
        return state, chance, tile, step + is_next, jnp.where(is_next, 0, tries + 1)

    carry = (state, chance, start, jnp.int32(0), jnp.int32(0))
    state, chance, *_ = jax.lax.while_loop(goes_on, attempt, carry)
    return state, chance
