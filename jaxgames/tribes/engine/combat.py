"""Attacks, conversion, healing.

Source: the game's document, sections 10 and 12.3.
"""

import jax.numpy as jnp
import numpy as np

from jaxgames.batching.arrays import add_at, as_int, has_bit, set_row
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities, grid, movement, units
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import max_hp, owner_tribe
from jaxgames.tribes.engine.units import Unit
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables import rounding
from jaxgames.tribes.tables.buildings import Monument
from jaxgames.tribes.tables.terrain import DEFENDED_WITH, Terrain
from jaxgames.tribes.tables.units import (
    ADVANCING,
    AFTER_ATTACK,
    NUM_UNIT_KINDS,
    UNFORTIFIED,
    Status,
    UnitKind,
)

MAX_KILLS = 255  # limit of a unit's counter
_FORTIFIED = ~np.isin(np.arange(NUM_UNIT_KINDS), UNFORTIFIED)
_ADVANCES = np.isin(np.arange(NUM_UNIT_KINDS), ADVANCING)
_NO_BONUS, _BONUS, _WALLS = range(len(rounding.BONUSES))


def fight(
    config: GameConfig, state: TribesState, start: Number, target: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Returns the state after the unit on one tile attacked or converted the unit on another."""
    mine, theirs = units.unit_on(state.units, start), units.unit_on(state.units, target)
    mine = mine._replace(status=_after_attack(mine))
    converts = mine.kind == UnitKind.MIND_BENDER
    converted = theirs._replace(
        tribe=mine.tribe,
        home=jnp.int32(NO_CITY),
        status=jnp.int32(Status.FINISHED),
        joined=state.counter.astype(jnp.int32),
    )
    state, fought, wins = _attack(config, state, (mine, start), (theirs, target), ~converts)
    attacker, defender = map(units.computed_once, choose(converts, (mine, converted), fought))
    after = units.place(state.units, start, attacker)
    after = units.place(after, target, defender)
    state = state.replace(units=after, counter=state.counter + converts)
    advances = wins & jnp.asarray(_ADVANCES)[jnp.maximum(mine.kind, 0)]
    return movement.advance(config, state, start, target, attacker, chance, advances)


def _attack(
    config: GameConfig,
    state: TribesState,
    attacker: tuple[Unit, Number],
    defender: tuple[Unit, Number],
    when: Condition,
) -> tuple[TribesState, tuple[Unit, Unit], Condition]:
    """Returns what an attack brings the tribes, if `when`, the units after it, and who wins.

    Args:
        config: options of the game.
        state: a position.
        attacker: the unit that attacks, and its tile.
        defender: the unit that it hits, and its tile.
        when: if false, the state does not change, and the attack is not won.
    """
    p = config.p
    (mine, start), (theirs, target) = attacker, defender
    kind, kind_hit = jnp.maximum(mine.kind, 0), jnp.maximum(theirs.kind, 0)
    combat = rounding.Combat(
        attack=jnp.asarray(p.unit_attack)[kind],
        attacker_hp=mine.hp,
        attacker_max=units.toughness(config, mine),
        defence=jnp.asarray(p.unit_defence)[kind_hit],
        defender_hp=theirs.hp,
        defender_max=units.toughness(config, theirs),
        bonus=_defence_bonus(config, state, theirs, target),
    )
    dealt, returned = map(bits.computed_once, rounding.damage(combat, p.down_rounded))

    hits_fatally = theirs.hp <= dealt
    steps = grid.distance(config.board, start, target)
    in_reach = bits.computed_once(steps <= jnp.asarray(p.unit_range)[kind_hit])
    strikes_back = ~hits_fatally & in_reach
    dies = strikes_back & (mine.hp <= returned)
    winner = _after_kill(mine, hits_fatally)
    winner = winner._replace(hp=jnp.where(strikes_back, mine.hp - returned, mine.hp))
    loser = _after_kill(theirs, dies)
    loser = loser._replace(hp=theirs.hp - dealt)

    # At most one of the two dies.
    kills = when & (hits_fatally | dies)
    by, of = choose(hits_fatally, (mine, theirs), (theirs, mine))
    points = jnp.asarray(p.unit_points)[jnp.maximum(of.kind, 0)]
    tribes = state.tribes
    tribes = tribes.replace(
        peace=set_row(tribes.peace, mine.tribe, 0, when),
        score=add_at(tribes.score, of.tribe, -points, kills),
    )
    state = _count_kill(config, state.replace(tribes=tribes), by.tribe, kills)
    nothing = units.no_unit()
    after = choose(dies, nothing, winner), choose(hits_fatally, nothing, loser)
    return state, after, when & hits_fatally


def _after_attack(unit: Unit) -> Number:
    return jnp.asarray(AFTER_ATTACK)[jnp.maximum(unit.kind, 0), unit.status].astype(jnp.int32)


def _after_kill(unit: Unit, when: Condition) -> Unit:
    """Counts a kill; a knight may then attack again."""
    is_knight = unit.kind == UnitKind.KNIGHT
    return unit._replace(
        kills=jnp.minimum(unit.kills + when, MAX_KILLS),
        status=jnp.where(when & is_knight, Status.ATTACKED, unit.status),
    )


def _count_kill(
    config: GameConfig, state: TribesState, tribe: Number, when: Condition
) -> TribesState:
    tribes = state.tribes
    kills = add_at(tribes.kills, tribe, 1, when)
    enough = when & (kills >= config.p.gate_kills)
    monuments = cities.available(tribes.monuments, tribe, Monument.GATE, enough)
    return state.replace(tribes=tribes.replace(kills=kills, monuments=monuments))


def _defence_bonus(config: GameConfig, state: TribesState, unit: Unit, tile: Number) -> Number:
    """Returns the index of the defender's bonus in `rounding.BONUSES`."""
    terrain = as_int(state.tiles.terrain, tile)
    city_slot = as_int(state.tiles.owner, tile)
    at_home = (terrain == Terrain.CITY) & (owner_tribe(state, tile) == unit.tribe)
    walled = at_home & (city_slot != NO_CITY) & state.cities.walls[city_slot]
    # Before terrain protected units, a city protected all kinds.
    can_fortify = jnp.asarray(_FORTIFIED)[jnp.maximum(unit.kind, 0)]
    fortified = at_home & can_fortify if config.terrain_defence else at_home
    known = state.tribes.technologies[unit.tribe]
    covered = jnp.bool_(False)
    if config.terrain_defence:
        for ground, technology in DEFENDED_WITH.items():
            covered |= (terrain == ground) & has_bit(known, int(technology))
    bonus = jnp.where(fortified | covered, _BONUS, _NO_BONUS)
    return jnp.where(walled, _WALLS, bonus)


def heal_others(config: GameConfig, state: TribesState, tile: Number) -> TribesState:
    """Returns the state after a mind bender has healed the units of its tribe around it."""
    before = state.units
    around = grid.within(config.board, tile, 1) & (jnp.arange(config.board.tiles) != tile)
    own = around & (before.kind >= 0) & (before.tribe == state.active)
    full = max_hp(before, config.p)
    healed = jnp.minimum(before.hp + config.p.heal_hp, full)
    hp = jnp.where(own & (before.hp < full), healed, before.hp).astype(before.hp.dtype)
    mender = units.unit_on(before, tile)
    return state.replace(
        units=before.replace(hp=hp, status=set_row(before.status, tile, _after_attack(mender)))
    )
