"""Combats whose damage binary fractions round down and exact arithmetic rounds up.

The reference computes damage in double precision. The rules here compute it exactly, in whole
numbers, on hardware that may not have doubles. Both agree unless the exact damage lies half-way
between two numbers, and the chain of rounded operations ends just below it. There are a few
thousand such combats among millions; they are found once for a table of parameters, and looked up.

Source: the game's document, section 10.1, with its order of operations.
"""

import functools
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, UInt32

from jaxgames.boards import bits
from jaxgames.internal import device_kind
from jaxgames.tribes.tables.units import NUM_UNIT_KINDS, WATER_UNITS, UnitKind

CAPACITY = 16384  # limit of the keys of each side; the most that was seen is 12,098
# Bonus of defence, doubled: none, of terrain or a city, of walls.
BONUSES = (2, 3, 8)
ATTACKER, DEFENDER = 0, 1  # who deals the damage
_BLOCK = 128  # keys that are compared at once
_NO_KEY = np.uint32(0xFFFFFFFF)
_Strength = tuple[int, int]  # attack or defence, and HP when unharmed


class Combat(NamedTuple):
    """The values that decide a combat: whole numbers of Python, NumPy or JAX."""

    attack: Any
    attacker_hp: Any
    attacker_max: Any
    defence: Any
    defender_hp: Any
    defender_max: Any
    bonus: Any  # index into `BONUSES`


def down_rounded(
    attack: np.ndarray, defence: np.ndarray, max_hp: np.ndarray, veteran_hp: int
) -> UInt32[np.ndarray, "2 keys"]:
    """Returns, for each side, the sorted keys of combats whose damage falls below the exact damage.

    Raises:
        ValueError: if there are more than `CAPACITY`.
    """
    return _down_rounded(
        tuple(attack.tolist()), tuple(defence.tolist()), tuple(max_hp.tolist()), veteran_hp
    )


@functools.lru_cache(maxsize=16)
def _down_rounded(
    attack: tuple[int, ...], defence: tuple[int, ...], max_hp: tuple[int, ...], veteran_hp: int
) -> UInt32[np.ndarray, "2 keys"]:
    attackers = _strengths(attack, max_hp, veteran_hp)
    defenders = _strengths(defence, max_hp, veteran_hp)
    result = np.full((2, CAPACITY), _NO_KEY, np.uint32)
    for side in (ATTACKER, DEFENDER):
        found: set[int] = set()
        for attacker in attackers:
            for defender in defenders:
                for bonus in range(len(BONUSES)):
                    found.update(_keys(attacker, defender, bonus, side))
        if len(found) > CAPACITY:
            raise ValueError(
                f"unit_attack, unit_defence, unit_max_hp: {len(found)} combats end half-way between"
                f" two numbers, at most {CAPACITY} can be held; use fewer different values"
            )
        result[side, : len(found)] = sorted(found)
    return result


def _strengths(
    strength: tuple[int, ...], max_hp: tuple[int, ...], veteran_hp: int
) -> set[_Strength]:
    """Returns the strengths of all units. A unit aboard a water unit is as tough as on land."""
    land = [kind for kind in range(NUM_UNIT_KINDS) if kind not in WATER_UNITS]
    tough = {hp for kind in land for hp in (max_hp[kind], max_hp[kind] + veteran_hp)}
    result = {(strength[kind], hp) for kind in WATER_UNITS for hp in tough}
    for kind in land:
        result |= {(strength[kind], max_hp[kind]), (strength[kind], max_hp[kind] + veteran_hp)}
    result.add((strength[UnitKind.SUPERUNIT], max_hp[UnitKind.SUPERUNIT]))
    return {(points, hp) for points, hp in result if points > 0}


def _keys(attacker: _Strength, defender: _Strength, bonus: int, side: int) -> list[int]:
    (attack, attacker_max), (defence, defender_max) = attacker, defender
    attacker_hp = np.arange(1, attacker_max + 1)[:, None]
    defender_hp = np.arange(1, defender_max + 1)[None, :]
    force = (attacker_hp / attacker_max) * attack
    against = (defender_hp / defender_max) * defence * (BONUSES[bonus] / 2)
    share = (force if side == ATTACKER else against) / (force + against)
    rounded = np.floor(share * (attack if side == ATTACKER else defence) * 4.5 + 0.5)
    combat = Combat(attack, attacker_hp, attacker_max, defence, defender_hp, defender_max, bonus)
    rows, columns = np.nonzero(rounded < _exact(combat, side))
    fallen = combat._replace(attacker_hp=rows + 1, defender_hp=columns + 1)
    return [int(key) for key in _key(fallen)]


def damage(combat: Combat, down_rounded: UInt32[Array, "2 keys"]) -> Int32[Array, "2"]:
    """Returns the damage that each side of a combat deals."""
    key = bits.computed_once(
        _key(Combat(*(jnp.asarray(value).astype(jnp.uint32) for value in combat)))
    )
    exact = jnp.stack([_exact(combat, side) for side in (ATTACKER, DEFENDER)])
    keys = jnp.asarray(down_rounded)
    if device_kind.is_tpu():  # compares all keys in less time than it looks up one
        return exact - (keys == key).any(axis=1)
    # Two short comparisons are a smaller program than a bisection: first the last key of each
    # block, then the keys of the one block that may hold the key.
    blocks = keys.reshape(2, -1, _BLOCK)
    block = (blocks[:, :, -1] < key).sum(axis=1)
    near = blocks[np.arange(2), jnp.minimum(block, blocks.shape[1] - 1)]
    return exact - (near == key).any(axis=1)


def _exact(combat: Combat, side: int) -> Any:
    """Returns the damage, halves rounded up."""
    bonus = 2 + (combat.bonus == 1) + 6 * (combat.bonus == 2)  # an entry of `BONUSES`
    force = 2 * combat.attack * combat.attacker_hp * combat.defender_max
    against = bonus * combat.defence * combat.defender_hp * combat.attacker_max
    total = force + against
    dealt = 9 * (combat.attack * force if side == ATTACKER else combat.defence * against)
    return (dealt + total) // (2 * total + (total == 0))


def _key(combat: Combat) -> Any:
    key = (combat.attack << 3) | combat.defence
    for hp in (
        combat.attacker_hp,
        combat.attacker_max,
        combat.defender_hp,
        combat.defender_max,
    ):
        key = (key << 6) | hp
    return (key << 2) | combat.bonus
