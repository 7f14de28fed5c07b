"""What can be tuned in Murus Gallicus: the paper's first population, and where genes go."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.murus_gallicus.evaluation import MAX_WEIGHT, parameters
from jaxgames.players.murus_gallicus.evaluation_weights import TABLES, WEIGHTS
from papers.murus_gallicus.evolution import tunable
from papers.murus_gallicus.evolution.weights import make_tunable

ENV = jaxgames.make("murus_gallicus")
TUNABLE = make_tunable(ENV)
MATERIAL, PST = TUNABLE.groups["material"], TUNABLE.groups["pst"]


def same(found, wanted):
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


def test_first_population_is_that_of_the_paper_with_the_ms2_player_frozen():
    assert MATERIAL.genes == ("wall", "tower", "catapult")
    assert MATERIAL.population.shape == (10, 3) and MATERIAL.spread == 0
    assert MATERIAL.limit <= MAX_WEIGHT
    np.testing.assert_array_equal(MATERIAL.population.sum(axis=0), [1790, 7674, 8834])
    assert tuple(MATERIAL.population[MATERIAL.frozen]) == WEIGHTS["ms2"][:3] == (50, 1000, 750)
    assert (MATERIAL.population == WEIGHTS["evolved"][:3]).all(axis=1).any()


@pytest.mark.parametrize("group", [MATERIAL, PST])
def test_genes_of_the_frozen_player_give_the_ms2_player(group):
    assert group.population.shape[1] == len(group.genes) == len(set(group.genes))
    genes = jnp.asarray(group.population[group.frozen])
    same(group.put(TUNABLE.params, genes), parameters(weights="ms2", tables="ms2"))


def test_material_genes_change_three_weights_and_nothing_else():
    found = MATERIAL.put(TUNABLE.params, jnp.array([7, 8, 9]))
    weights = WEIGHTS["ms2"]._replace(w_wall=7, w_tower=8, w_cat=9)
    same(found, parameters(weights=weights, tables="ms2"))


def test_table_genes_are_named_by_material_and_cell():
    tables = TABLES["ms2"].copy()
    genes = PST.population[PST.frozen].copy()
    for name, material, cell, value in (("wall_a1", 0, 0, -200), ("catapult_h6", 2, 47, 333)):
        genes[PST.genes.index(name)] = value
        tables[material, cell] = value
    same(PST.put(TUNABLE.params, jnp.asarray(genes)), parameters(weights="ms2", tables=tables))


def test_scores_follow_the_genes_and_the_latch_leaves_the_tables_out():
    state = ENV.text_to_state("tttt4/4tttt/8/8/3T4/TTTT4/4TT2 r").game
    score = TUNABLE.score(TUNABLE.params, state)
    heavier = TUNABLE.score(MATERIAL.put(TUNABLE.params, jnp.array([50, 2000, 750])), state)
    assert heavier != score
    latched = TUNABLE.latch.thrown(TUNABLE.params)
    assert TUNABLE.score(latched, state) != score
    standing = ENV.text_to_state("tttttttt/8/8/8/2TTTT2/8/TT4TT r").game
    assert bool(TUNABLE.latch.is_due(standing)) and not bool(TUNABLE.latch.is_due(state))


def test_unknown_group_is_refused():
    with pytest.raises(ValueError, match="did you mean 'material'"):
        tunable.group_of(TUNABLE, "materials")
