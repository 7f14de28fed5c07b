"""The evaluation of Tribes, against the formula written with loops."""

import jax
import numpy as np
import pytest

from jaxgames import make
from jaxgames.players.knowledge import score_of
from jaxgames.players.tribes import score
from jaxgames.tribes.tables import parameters
from tests.jaxgames.tribes import positions
from tests.jaxgames.tribes.positions import anything, config_of

PLAYERS = 3
evaluate = jax.jit(lambda state: score.evaluate(config_of(PLAYERS, fog=True), state))


def phi(state, tribe):
    cities, p = state.cities, parameters.DEFAULTS
    production = levels = number = 0
    for place in np.flatnonzero(cities.tribe == tribe):
        number += 1
        levels += int(cities.level[place])
        if cities.population[place] < 0:
            production += int(cities.population[place])
        else:
            capital = p.capital_stars if cities.capital_of[place] >= 0 else 0
            production += int(cities.level[place]) + int(cities.production[place]) + int(capital)
    units = sum(
        kind >= 0 and of == tribe
        for kind, of in zip(state.units.kind, state.units.tribe, strict=True)
    )
    tribes = state.tribes
    known = int(tribes.technologies[tribe]).bit_count()
    return np.array(
        [production, known, tribes.score[tribe], number, units, tribes.kills[tribe], levels]
    )


def gain(root, state, me):
    """Returns what section 18.2 of the game's document says."""
    weights = np.array([5, 4, 0.1, 4, 2, 3, 2])
    v = [weights @ (phi(state, tribe) - phi(root, tribe)) for tribe in range(PLAYERS)]

    def extra(state):
        seen = positions.mask(state.tribes.visible[int(state.active)]).sum()
        return int(state.tribes.connected[me]).bit_count() + seen

    return v[me] - np.mean(np.delete(v, me)) + extra(state) - extra(root)


@pytest.mark.parametrize("seed", range(4))
def test_the_worth_changes_as_the_paper_says(seed):
    root, state = anything(2 * seed, PLAYERS), anything(2 * seed + 1, PLAYERS)
    gains = evaluate(state) - evaluate(root)
    np.testing.assert_allclose(gains, [gain(root, state, me) for me in range(PLAYERS)], rtol=1e-4)


def test_a_conquest_is_worth_more_than_anything_the_sooner_the_better():
    state = anything(0, PLAYERS).replace(ranking=np.array([1, 0, 2], np.int8))
    lasting = evaluate(state)
    last_tick = config_of(PLAYERS, fog=True).last_tick

    def ended(tick):
        return evaluate(state.replace(over=np.bool_(True), tick=np.int8(tick)))

    np.testing.assert_array_equal(ended(20), [-9980, 9980, -9980])
    np.testing.assert_array_equal(ended(last_tick), np.array([-1, 1, -1]) * (10_000 - last_tick))
    np.testing.assert_array_equal(ended(last_tick + 1), lasting)


def test_the_score_of_two_seats_adds_up_to_zero():
    env = make("tribes")
    state = anything(0, players=2, fog=False)
    values = jax.jit(score_of(env))(state)
    assert abs(values).max() <= 1
    assert values[0] != 0
    np.testing.assert_allclose(values.sum(), 0, atol=1e-6)
