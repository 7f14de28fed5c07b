"""The weights of the evaluation of Murus Gallicus that evolution tunes, and its first population.

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020),
and their program, the source of the initial material weights.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from jaxgames.env import Env
from jaxgames.murus_gallicus.board import FILES, NUM_CELLS
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.players.murus_gallicus.evaluation import (
    HIGHEST,
    Defence,
    Linear,
    LinearParameters,
    by_digit,
    parameters,
)
from jaxgames.players.murus_gallicus.evaluation_weights import NUM_MATERIALS, TABLES
from jaxgames.search.agent import Params
from papers.murus_gallicus.evolution.tunable import Group, Tunable

MATERIALS = ("wall", "tower", "catapult")
FROZEN = 1  # place of the MS2 player in both populations
FROZEN_NAME = "ms2"

# Weights of wall, tower and catapult of the paper's first ten individuals.
MATERIAL_WEIGHTS = np.array(
    [
        (90, 688, 1342),
        (50, 1000, 750),  # the MS2 player
        (20, 200, 150),
        (510, 125, 450),
        (305, 112, 275),
        (159, 687, 1194),
        (100, 500, 500),
        (456, 362, 673),
        (50, 1000, 3000),
        (50, 3000, 500),
    ],
    np.int32,
)
MATERIAL_LIMIT = 10_000

# The paper trains every entry within 200 of its start. How its first tables differed is unknown.
TABLE_SPREAD = 200


def make_tunable(env: Env[MurusState]) -> Tunable:
    """Returns the evaluation of the MS2 player with its two groups, `material` and `pst`."""
    assert isinstance(env.rules, MurusGallicus)
    tables = TABLES["ms2"].reshape(-1).astype(np.int32)
    material = Group(
        genes=MATERIALS,
        population=MATERIAL_WEIGHTS,
        spread=0,
        frozen=FROZEN,
        frozen_name=FROZEN_NAME,
        limit=MATERIAL_LIMIT,
        put=_put_material,
    )
    pst = Group(
        genes=tuple(f"{name}_{_cell(cell)}" for name in MATERIALS for cell in range(NUM_CELLS)),
        population=np.tile(tables, (len(MATERIAL_WEIGHTS), 1)),
        spread=TABLE_SPREAD,
        frozen=FROZEN,
        frozen_name=FROZEN_NAME,
        limit=HIGHEST,
        put=_put_tables,
    )
    return Tunable(
        score=Linear(env.rules),
        params=parameters(weights="ms2", tables="ms2"),
        groups={"material": material, "pst": pst},
        latch=Defence(),
    )


def _put_material(params: Params, genes: Int32[Array, "3"]) -> LinearParameters:
    wall, tower, catapult = genes
    weights = params.weights._replace(w_wall=wall, w_tower=tower, w_cat=catapult)
    return LinearParameters(weights, params.tables, params.uses_tables)


def _put_tables(params: Params, genes: Int32[Array, "168"]) -> LinearParameters:
    tables = genes.reshape(NUM_MATERIALS, NUM_CELLS).astype(jnp.int16)
    return LinearParameters(params.weights, by_digit(tables), params.uses_tables)


def _cell(cell: int) -> str:
    """Returns the name of a cell in its owner's frame, `a1` at the left of the home row."""
    return f"{'abcdefgh'[cell % FILES]}{cell // FILES + 1}"
