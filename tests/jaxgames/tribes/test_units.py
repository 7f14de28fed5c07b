"""A unit is read, and computed once, as the state holds it: all fields, to their limits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes.engine import chance, units
from jaxgames.tribes.engine.units import Unit
from tests.jaxgames.tribes.positions import begun

LAST = 120
MOST = Unit(15, 11, 3, 127, 255, True, 127, 127, 32_767)
LEAST = Unit(0, 0, 0, -128, 0, False, 0, -1, 0)
NONE = Unit(-1, 0, -1, 0, 0, False, 0, 0, 0)


def _numbers(unit: Unit) -> list[int]:
    return [int(value) for value in unit]


def _traced(unit: Unit) -> Unit:
    numbers = Unit(*(jnp.int32(value) for value in unit))
    return numbers._replace(veteran=jnp.bool_(unit.veteran))


@pytest.mark.parametrize("unit", [MOST, LEAST, NONE])
def test_a_unit_is_read_as_it_was_put(unit):
    before = begun("c3 i9", (0, 1)).units
    after = units.place(before, jnp.int32(LAST), _traced(unit))
    assert _numbers(units.unit_on(after, jnp.int32(LAST))) == _numbers(unit)
    for field in Unit._fields:
        assert (getattr(after, field)[:LAST] == getattr(before, field)[:LAST]).all()


@pytest.mark.parametrize("unit", [MOST, LEAST, NONE])
def test_computing_a_unit_once_does_not_change_it(unit):
    one = _traced(unit)
    assert _numbers(units.computed_once(one)) == _numbers(unit)
    batch = jax.tree.map(lambda *values: jnp.stack(values), one, _traced(NONE))
    found = jax.vmap(units.computed_once)(batch)
    assert jax.tree.all(jax.tree.map(np.array_equal, found, batch))


@pytest.mark.parametrize("is_recorded", [False, True])
def test_the_next_words_are_those_of_the_draws(is_recorded):
    words = jnp.arange(5, dtype=jnp.uint32)
    luck = chance.recorded(words) if is_recorded else chance.from_key(jax.random.key(3))
    luck = luck.after(3)
    expected = [int(luck.word(luck.used + number)) for number in range(4)]
    assert luck.next_words(4).tolist() == expected
