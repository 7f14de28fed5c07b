"""Which outputs are legal.

The full rules say what is possible for a seat that could pay anything; the prices say what this
seat can pay, with the conversions of `payment.py`.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.terra_mystica.engine import actions, legal, reachability
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.legal import LegalView
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.costs import NUM_RESOURCES, Good
from jaxgames.terra_mystica.tables.factions import PRIESTS_PER_PLAYER, STOCK, Structure
from jaxgames.terra_mystica.tables.tiles import NUM_BASE_CARDS, NUM_BASE_TOWNS
from papers.alphatm.game import outputs, payment

PLENTY = 100  # more than anything costs


def legal_outputs(seen: LegalView) -> Bool[Array, "2143"]:
    """Returns the mask of legal outputs for the seat to move, whose decision must be due."""
    possible = _possible(seen)
    is_paid = payment.bill(seen.mover, payment.prices(seen)).is_possible

    terraform = _by_terrain(possible[Kind.TERRAFORM])
    upgrade = possible[Kind.UPGRADE].reshape(-1, actions.NUM_UPGRADES)
    build = _builds(seen, terraform, possible[Kind.BUILD])
    by_hex = jnp.concatenate([terraform, build, upgrade[:, outputs.UPGRADES]], axis=1)

    takes_card = possible[Kind.PASS][:NUM_BASE_CARDS]
    without = possible[Kind.PASS][actions.NO_CARD_PASS]
    rest = (
        possible[Kind.SEND],
        possible[Kind.ADVANCE_SHIP],
        possible[Kind.ADVANCE_DIG],
        possible[Kind.POWER],
        possible[Kind.CARD_SPADE] | possible[Kind.CARD_CULT],
        possible[Kind.FAVOR_CULT],
        possible[Kind.BUY_BRIDGE],
        takes_card | (without & (jnp.arange(NUM_BASE_CARDS) == 0)),
        possible[Kind.TOWN][:NUM_BASE_TOWNS],
    )
    return outputs.from_parts(by_hex, jnp.concatenate(rest)) & is_paid


def can_terraform(seen: LegalView) -> Bool[Array, ""]:
    """Returns whether there is a hex that free spades can be used on."""
    workers = payment.spade_workers(seen)
    prices = jnp.zeros((*workers.shape, NUM_RESOURCES), jnp.int32)
    prices = prices.at[..., Good.WORKERS].set(workers)
    possible = _by_terrain(_possible(seen)[Kind.TERRAFORM])
    return (possible & payment.bill(seen.mover, prices).is_possible).any()


def _by_terrain(mask: Bool[Array, "539"]) -> Bool[Array, "77 7"]:
    return mask.reshape(-1, outputs.NUM_TERRAINS)[:, outputs.TERRAINS]


def _possible(seen: LegalView) -> dict[Kind, Bool[Array, "count"]]:
    """Returns the legal masks of the full game with plenty of all resources, by kind of action."""
    mask = legal.legal_actions(_with_plenty(seen.state, seen.seat), seen.options)
    return {
        kind: mask[start : start + actions.COUNTS[kind]] for kind, start in actions.STARTS.items()
    }


def _with_plenty(state: TerraMysticaState, seat: Int32[Array, ""]) -> TerraMysticaState:
    players = state.players
    return state.replace(
        players=players.replace(
            coins=players.coins.at[seat].set(PLENTY),
            workers=players.workers.at[seat].set(PLENTY),
            priests=players.priests.at[seat].set(PRIESTS_PER_PLAYER),
            bowls=players.bowls.at[seat, 2].set(PLENTY),
        )
    )


def _builds(
    seen: LegalView, terraform: Bool[Array, "77 7"], build: Bool[Array, "77"]
) -> Bool[Array, "77 7"]:
    """Returns where a dwelling can follow a terraforming, or can be built without one.

    With free spades pending, a hex that they have already made the seat's own can be built on: the
    other spades are given up.
    """
    is_home = jnp.asarray(outputs.TERRAINS) == seen.mover.board.colour
    in_stock = seen.counts[Structure.DWELLING] < STOCK[Structure.DWELLING]
    follows = terraform & in_stock & ~(seen.decision == Due.CULT_SPADES)
    is_turned = reachability.to_hexes(seen.state.pending.buildable) & in_stock
    is_turned &= seen.decision == Due.SPADES
    return (follows | (build | is_turned)[:, None]) & is_home
