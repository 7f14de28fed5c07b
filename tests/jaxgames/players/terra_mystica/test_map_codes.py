"""The codes of the land hexes, read back and compared with the map."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.positions import random_positions
from jaxgames.players.registry import make_env
from jaxgames.players.terra_mystica import map_codes
from jaxgames.terra_mystica.engine import reachability
from jaxgames.terra_mystica.tables.factions import FACTIONS
from jaxgames.terra_mystica.tables.terrain import LAND_COLUMN, LAND_ROW
from tests.jaxgames.terra_mystica import recorded

GAMES = 24


def read(code: int) -> dict:
    """What a code says."""
    if code >= 48:
        owner_and_kind, in_town = divmod(code - 48, 2)
        owner, kind = divmod(owner_and_kind, 5)
        return {"owner": owner, "kind": kind, "in_town": bool(in_town)}
    code, wanted = divmod(code, 2)
    code, has_neighbour = divmod(code, 2)
    need, way = divmod(code, 3)
    return {"need": need, "way": way, "has_neighbour": bool(has_neighbour), "wanted": bool(wanted)}


def beside(first: int, second: int) -> bool:
    """Whether two land hexes share a side; odd rows are shifted right by half a hex."""
    rows = int(LAND_ROW[first]), int(LAND_ROW[second])
    middles = [
        2 * int(LAND_COLUMN[i]) + row % 2 for i, row in zip((first, second), rows, strict=True)
    ]
    apart = abs(middles[0] - middles[1]), abs(rows[0] - rows[1])
    return apart in ((2, 0), (1, 1))


def positions(players: int):
    """Positions of two recorded games, which compile little; of random ones for more seats."""
    if players > 2:
        rules = make_env("terra_mystica", f"num_players={players}").rules
        return random_positions(rules, GAMES, 3, 200)
    chosen = []
    for name in ("p2_1116", "p2_1251"):
        states = recorded.states_of(name)
        chosen += [states[i] for i in np.linspace(0, len(states) - 1, GAMES // 2).astype(int)]
    return jax.tree.map(lambda *leaves: np.stack(leaves), *chosen)


@pytest.mark.parametrize("players", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_codes_say_what_is_on_the_map(players):
    games = positions(players)
    seats = jnp.arange(players)
    by_seat = jax.vmap(jax.vmap(map_codes.codes, in_axes=(None, 0)), in_axes=(0, None))
    codes = jax.device_get(jax.jit(by_seat)(games, seats))
    assert codes.max() < map_codes.num_codes(players)
    board, factions = jax.device_get((games.board, games.players.faction))
    kinds, terrain, in_town = (
        np.asarray(reachability.to_hexes(x))
        for x in (board.structures, board.terrain, board.in_town)
    )
    seen = set()
    for game in range(GAMES):
        if (factions[game] >= len(FACTIONS)).any():
            continue
        colours = [FACTIONS[faction].colour for faction in factions[game]]
        colour_of = terrain[game].argmax(axis=0)
        built = kinds[game].any(axis=0)
        for seat in range(players):
            for hex_number in range(77):
                found = read(int(codes[game, seat, hex_number]))
                near = [i for i in range(77) if built[i] and beside(i, hex_number)]
                owners = {colours.index(colour_of[i]) for i in near}
                if built[hex_number]:
                    owner = (colours.index(colour_of[hex_number]) - seat) % players
                    kind = kinds[game, :, hex_number].argmax()
                    wanted = {"owner": owner, "kind": kind, "in_town": in_town[game, hex_number]}
                    assert found == wanted
                    continue
                assert (found["way"] == 2) == (seat in owners)
                assert found["has_neighbour"] == bool(owners - {seat})
                if colour_of[hex_number] == colours[seat]:
                    assert found["need"] == 0
                is_home_of_neighbour = colour_of[hex_number] in {
                    colours[owner] for owner in owners - {seat}
                }
                assert found["wanted"] or not is_home_of_neighbour
                seen.add(int(codes[game, seat, hex_number]))
    assert len(seen) > 20  # of 48 codes of free hexes, many of which are rare
