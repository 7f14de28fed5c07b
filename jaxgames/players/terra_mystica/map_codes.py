"""What is on each land hex of Terra Mystica, and who gets at it, as one code for each hex.

Codes are relative to a seat. A structure's code is its owner (counted from the seat), its kind, and
whether it belongs to a town. A free hex's code is the spades that the seat needs there, how the
seat reaches it, and whether others stand beside it or reach it as their home terrain.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt8

from jaxgames.boards import hexes
from jaxgames.rules import Seat
from jaxgames.terra_mystica.engine import reachability, seats
from jaxgames.terra_mystica.engine.seats import Number
from jaxgames.terra_mystica.state import NO_FACTION, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import Structure
from jaxgames.terra_mystica.tables.terrain import LAND

_NEEDS = 4  # 0 to 3 spades
_WAYS = 3  # not reached; by ship, bridge, tunnel or carpet; beside an own structure
_FREE_CODES = _NEEDS * _WAYS * 2 * 2
_KINDS = len(Structure)


def num_codes(players: int) -> int:
    """Returns the number of codes."""
    return _FREE_CODES + 2 * _KINDS * players


def codes(state: TerraMysticaState, seat: Seat) -> UInt8[Array, "77"]:
    """Returns the code of every land hex as `seat` sees it."""
    board, players = state.board, state.players.vp.shape[0]
    free = LAND & ~reachability.occupied(board)

    def of_seat(number: Number) -> tuple[Bool[Array, "4 77"], Int32[Array, "7"]]:
        owner = seats.of_seat(state, number)
        has_faction = owner.faction < NO_FACTION
        own = reachability.own_structures(board, owner.board.colour)
        reached = reachability.reach(
            board, owner, board.bridges[number], reachability.ship_level(owner)
        )
        needed = jnp.asarray(SPADES)[owner.faction, :, owner.board.colour]  # [7] by terrain
        home = free & board.terrain[owner.board.colour]
        sets = jnp.stack(
            [
                own,
                hexes.neighbours(own) & free,
                reached.direct | reached.tunnelled,
                (reached.direct | reached.tunnelled) & home,
            ]
        )
        sets = reachability.to_hexes(jnp.where(has_faction, sets, jnp.uint16(0)))
        return sets, jnp.minimum(needed, _NEEDS - 1) * has_faction

    by_seat, needed = jax.vmap(of_seat)(jnp.arange(players))
    others = (jnp.arange(players) != seat)[:, None]
    stands, beside, reached, at_home = (by_seat[:, i] for i in range(4))  # [P, 77] each
    terrain = reachability.to_hexes(board.terrain)  # [7, 77]
    need = (terrain * needed[seat][:, None]).sum(axis=0)
    way = jnp.where(beside[seat], 2, reached[seat].astype(jnp.int32))
    has_neighbour = (beside & others).any(axis=0)
    is_wanted = (at_home & others).any(axis=0)
    code = ((need * _WAYS + way) * 2 + has_neighbour) * 2 + is_wanted

    turned = (jnp.arange(players) - seat) % players
    kind = reachability.to_hexes(board.structures)  # [5, 77]
    structure = (kind * np.arange(_KINDS)[:, None]).sum(axis=0)
    owner = (stands * turned[:, None]).sum(axis=0)
    in_town = reachability.to_hexes(board.in_town)
    built = _FREE_CODES + (owner * _KINDS + structure) * 2 + in_town
    return jnp.where(kind.any(axis=0), built, code).astype(jnp.uint8)
