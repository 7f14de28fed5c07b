"""Examining ruins.

Source: the game's document, section 12.5, and 9.4 for ruins on water.
"""

import jax.numpy as jnp

from jaxgames.batching.arrays import set_row
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities, explorer, movement, research, units
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import capital, first_joined, is_water
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.technologies import ALL_TECHNOLOGIES
from jaxgames.tribes.tables.terrain import Resource
from jaxgames.tribes.tables.tribes import NUM_OUTCOMES, Outcome
from jaxgames.tribes.tables.units import Status, UnitKind


def examine(
    config: GameConfig, state: TribesState, tile: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Returns the state after the unit on a tile has examined the ruins there."""
    p = config.p
    tribe = state.active.astype(jnp.int32)
    known = state.tribes.technologies[tribe]
    outcome, chance = _outcome(known == ALL_TECHNOLOGIES, chance)

    learns = outcome == Outcome.RESEARCH
    open_ = research.researchable(known)
    technology = bits.select(open_, chance.draw(jnp.maximum(bits.count(open_), 1)))
    chance = chance.after(learns)
    tribes = state.tribes
    known |= jnp.where(learns, bits.single(technology), 0)
    state = state.replace(
        tribes=tribes.replace(technologies=set_row(tribes.technologies, tribe, known))
    )

    growth = jnp.where(outcome == Outcome.POP_GROWTH, p.ruins_population, 0)
    state = cities.change_population(config, state, _handler(state, tribe), growth, tribe)
    state = cities.gain_stars(config, state, tribe, p.ruins_stars, outcome == Outcome.RESOURCES)
    state, chance = explorer.explore(config, state, tile, chance, outcome == Outcome.EXPLORER)

    is_giant = outcome == Outcome.SUPERUNIT
    giant, after = _awaken(config, state, tile, tribe, chance)
    state, chance = choose(is_giant, (giant, after), (_tired(state, tile), chance))
    tiles = state.tiles
    return state.replace(
        tiles=tiles.replace(resource=set_row(tiles.resource, tile, Resource.NONE))
    ), chance


def _outcome(knows_all: Condition, chance: Chance) -> tuple[Number, Chance]:
    """Draws the outcome. A tribe with all technologies draws once more if it is a technology."""
    first = chance.draw(NUM_OUTCOMES)
    again = chance.after().draw(NUM_OUTCOMES - 1)
    again += again >= Outcome.RESEARCH
    repeats = knows_all & (first == Outcome.RESEARCH)
    return jnp.where(repeats, again, first), chance.after(1 + repeats)


def _handler(state: TribesState, tribe: Number) -> Number:
    """Returns the city that gains: the capital, or the first city left if the capital is lost."""
    first, owned = capital(state.cities, tribe)
    return jnp.where(owned, first, first_joined(state.cities, state.cities.tribe == tribe))


def _tired(state: TribesState, tile: Number) -> TribesState:
    before = state.units
    return state.replace(units=before.replace(status=set_row(before.status, tile, Status.FINISHED)))


def _awaken(
    config: GameConfig, state: TribesState, tile: Number, tribe: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Returns the state after a new unit has pushed away the unit that found it.

    On water, the new unit is a battleship.
    """
    on_water = is_water(state.tiles.terrain[tile])
    beside = jnp.asarray(config.board.in_push_order)[tile]
    before = state.units.kind
    state, chance = movement.push(config, state, tile, chance)
    moved = jnp.where(beside >= 0, state.units.kind[beside] != before[beside], False)
    tired = _tired(state, beside[jnp.argmax(moved)])
    state = choose(moved.any(), tired, state)

    kind = jnp.where(on_water, UnitKind.BATTLESHIP, UnitKind.SUPERUNIT)
    cargo = jnp.where(on_water, UnitKind.WARRIOR, UnitKind.SUPERUNIT)
    new = units.recruit(
        config, kind, tribe, jnp.int32(NO_CITY), state.counter.astype(jnp.int32)
    )._replace(cargo=cargo, hp=jnp.asarray(config.p.unit_max_hp)[cargo])
    return state.replace(
        units=units.place(state.units, tile, new), counter=state.counter + 1
    ), chance
