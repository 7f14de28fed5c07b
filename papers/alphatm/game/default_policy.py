"""Decisions that no output expresses, made by fixed rules.

| decision | what is done |
| --- | --- |
| power from an opponent's structure | declined (as in the paper) |
| favor tile | the first that is left and not held, of `FAVOR_ORDER` |
| step on a cult of choice | the track with the fewest steps to its next power, see `cult` |
| track for which a key is used | the first that waits |
| bridge | the first possible place with own structures at both ends, else the first possible |
| dwelling on a terraformed hex | built by planes 7-13, not by planes 0-6 |
| use of free spades | by the next outputs of planes 0-13; given up where no hex is left |
| conversions | those of `payment.py` |

A dwelling ends the use of free spades, since no terraforming may follow it. So the spades of a
stronghold must be used on other hexes first. If they have already turned the hex of the dwelling to
the home terrain, its output of planes 7-13 only builds.

**Paper:** it states the first row only; of the other decisions it says that the network does not
make them.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.terra_mystica.engine import actions, cults, decisions, legal, reachability
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.legal import LegalView
from jaxgames.terra_mystica.engine.seats import Number
from jaxgames.terra_mystica.state import Options, TerraMysticaState
from jaxgames.terra_mystica.tables.terrain import BRIDGE_ENDS
from jaxgames.terra_mystica.tables.tiles import CULT_CARD, CULT_POWER, NUM_ROUNDS, TOP_LEVEL
from papers.alphatm.game import legality, outputs

FAVOR_ORDER = np.array([11, 10, 5, 6, 7, 8, 9, 12, 1, 2, 3, 4]) - 1
"""Favor tiles, counted from 0, the most wanted first."""
NEVER = 99  # steps to a power that cannot be reached


def _steps_to_power() -> np.ndarray:
    """Returns `[11]`: steps from each level of a cult track to the next that gives power."""
    levels = np.arange(TOP_LEVEL + 1)
    further = CULT_POWER[None] > CULT_POWER[:, None]  # [from, to]
    steps = np.where(further, levels[None] - levels[:, None], NEVER)
    return steps.min(axis=1).astype(np.int32)


STEPS_TO_POWER = _steps_to_power()


def first_action(seen: LegalView, output: Int32[Array, ""]) -> Number:
    """Returns the action of the full game that an output begins with."""
    mover, state = seen.mover, seen.state
    usual = jnp.asarray(outputs.FIRST_ACTIONS)[output]
    hex_number = jnp.asarray(outputs.LAND_OF)[output]
    is_home = reachability.contains_land(state.board.terrain[mover.board.colour], hex_number)
    only_builds = outputs.builds(output) & is_home
    building = actions.STARTS[Kind.BUILD] + hex_number
    # Spades must be given up before a hex that they have turned is built on.
    building = jnp.where(seen.decision == Due.SPADES, actions.STARTS[Kind.END], building)
    action = jnp.where(only_builds, building, usual)
    is_cult_card = (output == outputs.CARD_SPECIAL) & (mover.card == CULT_CARD + 1)
    action = jnp.where(is_cult_card, actions.STARTS[Kind.CARD_CULT], action)
    is_last = state.round >= NUM_ROUNDS - 1
    is_pass = (output >= outputs.PASS) & (output < outputs.TOWN)
    takes_none = is_pass & (seen.decision == Due.ACTION) & is_last
    return jnp.where(takes_none, actions.encode(Kind.PASS, actions.NO_CARD_PASS), action)


def is_due(seen: LegalView, wanted: Number) -> Bool[Array, ""]:
    """Returns whether the next decision is one that outputs express.

    Args:
        seen: the game.
        wanted: hex + 1 of the dwelling that the current output builds, 0 for none.
    """
    has_favor = (seen.state.pending.favors > 0) & _favors(seen).any()
    asks = seen.is_due(Due.DWELLING, Due.CARD, Due.ACTION, Due.OVER)
    is_town = seen.is_due(Due.TILE) & ~has_favor
    has_spades = seen.is_due(Due.SPADES, Due.CULT_SPADES) & (wanted == 0)
    return asks | is_town | (has_spades & legality.can_terraform(seen))


def choose(seen: LegalView, wanted: Number) -> Number:
    """Returns the action for a decision that outputs do not express.

    Args:
        seen: the game.
        wanted: as for `is_due`.
    """
    builds = seen.is_due(Due.BUILD) & (wanted > 0)
    tile = jnp.asarray(FAVOR_ORDER)[jnp.argmax(_favors(seen)[FAVOR_ORDER])]
    waiting = cults.tracks(seen.state.pending.refused.astype(jnp.int32))
    choices: dict[Due, Number | int] = {
        Due.TILE: actions.STARTS[Kind.FAVOR] + tile,
        Due.KEY: actions.STARTS[Kind.CULT] + jnp.argmax(waiting),
        Due.CULT: actions.STARTS[Kind.CULT] + cult(seen),
        Due.BRIDGE: actions.STARTS[Kind.BRIDGE] + bridge(seen),
        Due.LEECH: actions.STARTS[Kind.DECLINE_POWER],
    }
    end = actions.STARTS[Kind.END]
    action = jnp.where(builds, actions.STARTS[Kind.BUILD] + wanted - 1, end)
    for decision, chosen in choices.items():
        action = jnp.where(seen.decision == decision, chosen, action)
    return action.astype(jnp.int32)


def cult(seen: LegalView) -> Number:
    """Returns the track for a step of choice: the one with the fewest steps to its next power.

    Of equal tracks the first is taken. Tracks on which the seat cannot move come last: it is at the
    top, or right below it without a key or with another seat on the top.
    """
    mover = seen.mover
    steps = jnp.asarray(STEPS_TO_POWER)[mover.cults]
    may_top = (mover.keys > 0) & cults.free_tops(seen.state.players)
    is_blocked = (mover.cults >= TOP_LEVEL - 1) & ~may_top
    return jnp.argmin(jnp.where(is_blocked, NEVER, steps))


def bridge(seen: LegalView) -> Number:
    """Returns the place for a bridge: the first that joins own structures, else the first."""
    places = legal.bridge_places(seen)
    joins = places & reachability.to_hexes(seen.own)[BRIDGE_ENDS].all(axis=1)
    return jnp.argmax(2 * joins + places)


def _favors(seen: LegalView) -> Bool[Array, "12"]:
    return decisions.choosable_favors(seen.state, seen.mover)


def next_action(
    state: TerraMysticaState, options: Options, wanted: Number
) -> tuple[Number, Bool[Array, ""]]:
    """Returns the next action by the fixed rules, and whether an output is due instead of it."""
    seen = legal.view(state, options)
    return choose(seen, wanted), is_due(seen, wanted)
