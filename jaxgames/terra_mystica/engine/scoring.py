"""The end of the game: networks, cults, resources."""

import functools

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, UInt8

from jaxgames.boards import bits, hexes
from jaxgames.boards.hexes import Cells
from jaxgames.terra_mystica.engine import groups, reachability, seats
from jaxgames.terra_mystica.engine.groups import Members
from jaxgames.terra_mystica.engine.seats import PlayerRow, Source
from jaxgames.terra_mystica.state import Board
from jaxgames.terra_mystica.tables.tiles import AREA_VP, CULT_VP


def ranked_points(
    values: Int32[Array, "P"], points: tuple[int, ...], least: int = 0
) -> Int32[Array, "P"]:
    """Returns the points of each seat for its rank; tied seats share the points of their ranks.

    Args:
        values: value of each seat; the highest has the first rank.
        points: points for the first ranks.
        least: seats with a lower value get nothing.
    """
    above, tied = _above_and_tied(values)
    total = jnp.zeros_like(tied)
    for rank, worth in enumerate(points):
        total += jnp.where((above <= rank) & (rank < above + tied), worth, 0)
    return jnp.where(values >= least, total // tied, 0)


def _above_and_tied(values: Int32[Array, "P"]) -> tuple[Int32[Array, "P"], Int32[Array, "P"]]:
    """Returns how many seats have a higher value than each seat, and how many its own value.

    Sums over few seats are written out, since an accelerator fuses them with what follows.
    """
    above = tied = jnp.zeros(values.shape, jnp.int32)
    for seat in range(len(values)):
        above += values[seat] > values
        tied += values[seat] == values
    return above, tied


def network(board: Board, player: PlayerRow, bridges: UInt8[Array, "3"]) -> Int32[Array, ""]:
    """Returns the size of the largest network of a seat.

    Structures are joined directly, by bridges, by the ship level without bonus card, by tunnels
    and carpets. River hexes that mermaids have skipped add nothing, since mermaids always have a
    ship.
    """
    own = reachability.own_structures(board, player.board.colour)
    ship = jnp.where(player.board.max_ship > 0, player.ship, 0)

    reach = jnp.where(player.range > 0, player.range + 1, 0)
    structures = groups.listed(own)

    def joined(cell: Cells) -> Members:
        near = hexes.neighbours(cell | reachability.shipping(cell, ship))
        near = bits.computed_once(near | reachability.within(cell, reach))
        return groups.members(structures, near)

    links = jax.vmap(joined)(structures) | groups.by_bridges(structures, bridges)
    return bits.count(groups.groups(structures, links)).max()


def convert_all(player: PlayerRow) -> PlayerRow:
    """Turns power, priests, workers and coins into points."""
    _, second, third = player.bowls
    coins = player.coins + player.workers + player.priests + third + second // 2
    return seats.award(player, Source.RESOURCES, coins // player.board.final_coins_per_vp)


def final_points(
    networks: Int32[Array, "P"], cults: Int32[Array, "P 4"]
) -> tuple[Int32[Array, "P"], Int32[Array, "P"]]:
    """Returns the points of each seat for its network, and its points for the cults."""
    rank_cult = functools.partial(ranked_points, points=CULT_VP, least=1)
    by_cult = jax.vmap(rank_cult, in_axes=1)(cults)
    return ranked_points(networks, AREA_VP), by_cult.sum(axis=0)


def returns(vp: Int32[Array, "P"]) -> Float[Array, "P"]:
    """Returns +1 for the first rank to -1 for the last, evenly spaced; ties share the mean."""
    above, tied = _above_and_tied(vp)
    rank = above + (tied - 1) / 2
    return (1 - 2 * rank / (vp.shape[0] - 1)).astype(jnp.float32)
