"""The paper's scheme: what stays, who becomes a parent, what may change and how far."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from papers.murus_gallicus.evolution import scheme
from papers.murus_gallicus.evolution.config import SchemeConfig
from papers.murus_gallicus.evolution.scheme import ELITE, FIRST_CHILD, FROZEN, Population
from papers.murus_gallicus.tests.evolution import stub

LIMIT = 5000
SIZE = 10
FEW, MANY = 50, 4000
GENOMES = np.array([[31 * i - 100, 17 * i * i, 1000 - i] for i in range(SIZE)], np.int32)
WINS = np.array([3, 12, 18, 9, 0, 1, 2, 9, 10, 11], np.int32)
PLAIN = SchemeConfig(crossover_rates=(0.0, 0.0, 0.0), mutation_rate=0.0, hopeless_wins=-1)


@functools.partial(jax.jit, static_argnames=("config",))
def step(config, population, generation, keys):
    def follow_one(key):
        return scheme.next_genomes(config, LIMIT, population, generation, key)

    return jax.vmap(follow_one)(keys)


def follow(config, wins=WINS, generation=1, seeds=FEW, genomes=GENOMES):
    """Returns the next generation for several keys, `[seeds, individuals, genes]`."""
    population = Population(jnp.asarray(genomes), jnp.asarray(wins, jnp.int32))
    keys = jax.random.split(jax.random.key(7), seeds)
    return np.asarray(step(config, population, jnp.int32(generation), keys))


def always(**changes) -> SchemeConfig:
    return dataclasses.replace(PLAIN, **changes)


CROSSING = always(crossover_rates=(1.0, 1.0, 1.0))


@given(
    wins=st.lists(st.integers(0, 18), min_size=SIZE, max_size=SIZE),
    generation=st.integers(1, 40),
)
def test_elite_is_kept_frozen_player_stays_and_values_are_bounded_integers(wins, generation):
    after = follow(SchemeConfig(), wins=np.array(wins), generation=generation)
    assert after.shape == (FEW, SIZE, 3) and after.dtype == np.int32
    ranked = np.where(np.arange(SIZE) == FROZEN, -1, wins)
    np.testing.assert_array_equal(after[:, ELITE], np.tile(GENOMES[ranked.argmax()], (FEW, 1)))
    np.testing.assert_array_equal(after[:, FROZEN], np.tile(GENOMES[FROZEN], (FEW, 1)))
    assert np.abs(after).max() <= LIMIT


def test_second_best_is_the_elite_if_the_frozen_player_is_best():
    wins = np.where(np.arange(SIZE) == FROZEN, 18, WINS)
    wins[2] = 17
    np.testing.assert_array_equal(follow(PLAIN, wins=wins)[0, ELITE], GENOMES[2])


def test_without_crossover_and_mutation_the_others_stay_as_they_are():
    np.testing.assert_array_equal(follow(PLAIN)[0, FIRST_CHILD:], GENOMES[FIRST_CHILD:])


def test_hopeless_individuals_become_changed_copies_of_the_best():
    after = follow(always(hopeless_wins=1), seeds=MANY)
    for slot in range(FIRST_CHILD, SIZE):
        if WINS[slot] > 1:
            assert (after[:, slot] == GENOMES[slot]).all()
        else:
            offsets = after[:, slot] - GENOMES[2]
            assert (offsets.min(axis=0) == -75).all() and (offsets.max(axis=0) == 75).all()
            assert abs(np.corrcoef(offsets.T)[0, 1]) < 0.1  # each value has its own offset


def test_children_are_the_mean_of_two_different_parents_rounded_down():
    after = follow(CROSSING)[:, FIRST_CHILD:].reshape(-1, 3)
    means = {tuple((GENOMES[i] + GENOMES[j]) // 2) for i in range(SIZE) for j in range(i)}
    assert {tuple(child) for child in after} <= means
    assert len({tuple(child) for child in after}) > 20


def simulated_parents(wins, rng, count):
    """Tournaments as the paper holds them: draw 4, take the best, draw again if it is the same."""

    def tournament():
        drawn = rng.integers(0, len(wins), 4)
        return drawn[wins[drawn].argmax()]

    pairs = []
    for _ in range(count):
        first = second = tournament()
        while second == first:
            second = tournament()
        pairs.append((first, second))
    return np.array(pairs)


@pytest.mark.parametrize("wins", [WINS, np.array([5, 5, 5, 5, 5, 9, 9, 1, 1, 1])])
def test_parents_are_drawn_as_by_tournaments_of_four_with_a_second_draw(wins):
    count = 40_000
    drawn = scheme.select_parents(jnp.asarray(wins), 4, count, jax.random.key(1))
    expected = simulated_parents(wins, np.random.default_rng(1), count)
    for column in range(2):
        mine = np.bincount(np.asarray(drawn)[:, column], minlength=SIZE) / count
        theirs = np.bincount(expected[:, column], minlength=SIZE) / count
        np.testing.assert_allclose(mine, theirs, atol=0.012)
    assert (drawn[:, 0] != drawn[:, 1]).all()


def test_selection_presses_towards_winners_and_reaches_everybody():
    chances = np.asarray(scheme.selection_chances(jnp.asarray(WINS), 4))
    assert chances.sum() == pytest.approx(1.0, abs=1e-5)
    order = np.argsort(WINS)
    assert (np.diff(chances[order]) >= 0).all() and chances.min() > 0
    assert chances[WINS.argmax()] == pytest.approx(1 - 0.9**4)
    assert chances[3] == chances[7]  # equally good


@pytest.mark.parametrize(("generation", "bound"), [(1, 50), (6, 50), (7, 75), (13, 75), (14, 200)])
def test_mutation_moves_one_value_by_at_most_the_bound_of_its_phase(generation, bound):
    after = follow(always(mutation_rate=1.0), generation=generation, seeds=MANY)
    offsets = (after - GENOMES)[:, FIRST_CHILD:]
    assert ((offsets != 0).sum(axis=2) <= 1).all()
    assert (offsets.min(), offsets.max()) == (-bound, bound)
    # Every value is chosen equally often (an offset of 0 hides a few), every offset is.
    chosen = (offsets != 0).mean(axis=(0, 1))
    np.testing.assert_allclose(chosen, 2 * bound / (2 * bound + 1) / 3, atol=0.01)
    assert offsets[offsets != 0].mean() == pytest.approx(0, abs=bound / 40)
    assert len(np.unique(offsets[0].sum(axis=1))) > 1  # not one offset for all


def test_mutation_of_all_values_and_redrawing_of_tables():
    every = follow(always(mutation="all", mutation_rate=1.0), generation=20, seeds=MANY)
    offsets = (every - GENOMES)[:, FIRST_CHILD:]
    assert (np.abs(offsets).max(axis=(0, 1)) == 200).all()
    redrawn = follow(always(mutation="redraw", mutation_rate=1.0), seeds=MANY)
    children = redrawn[:, FIRST_CHILD:]
    assert set(np.unique(children)) == set(range(-1, 11))
    np.testing.assert_array_equal(redrawn[:, ELITE], np.tile(GENOMES[2], (MANY, 1)))


@pytest.mark.parametrize(
    ("generation", "rate"), [(6, 0.1), (7, 0.15), (13, 0.15), (14, 0.8), (99, 0.8)]
)
@pytest.mark.parametrize("scope", ["generation", "individual"])
def test_crossover_rate_follows_the_phases_in_both_scopes(scope, generation, rate):
    config = SchemeConfig(rate_scope=scope, mutation_rate=0.0, hopeless_wins=-1)
    after = follow(config, generation=generation, seeds=MANY)
    crossed = (after != GENOMES).any(axis=2)[:, FIRST_CHILD:]
    # A mean of two parents may equal the individual that it replaces; hardly ever here.
    assert crossed.mean() == pytest.approx(rate, abs=0.02)


def test_one_draw_decides_for_a_generation_or_for_each_individual():
    for scope, count_of in (("generation", {0, 8}), ("individual", set(range(9)))):
        config = always(rate_scope=scope, mutation_rate=0.5, mutation="all")
        after = follow(config, generation=20, seeds=MANY)
        mutated = (after != GENOMES).any(axis=2)[:, FIRST_CHILD:]
        assert mutated.mean() == pytest.approx(0.5, abs=0.03)
        assert set(mutated.sum(axis=1)) == count_of


def test_values_stay_within_the_limit_of_the_score():
    at_limit = np.full_like(GENOMES, LIMIT)
    after = follow(always(mutation="all", mutation_rate=1.0), genomes=at_limit)
    assert after.max() == LIMIT and after.min() < LIMIT


def test_first_generation_is_the_given_one_with_the_frozen_player_in_its_place():
    group = stub.make_group()
    genomes = np.asarray(scheme.initial_genomes(group, jax.random.key(0)))
    others = np.delete(group.population, group.frozen, axis=0)
    np.testing.assert_array_equal(genomes[FROZEN], group.population[group.frozen])
    np.testing.assert_array_equal(np.delete(genomes, FROZEN, axis=0), others)
    spread = np.asarray(scheme.initial_genomes(stub.make_group(spread=200), jax.random.key(0)))
    np.testing.assert_array_equal(spread[FROZEN], group.population[group.frozen])
    moved = np.delete(spread, FROZEN, axis=0) - others
    assert 100 < np.abs(moved).max() <= 200
