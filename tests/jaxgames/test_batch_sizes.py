"""Every public function of a batch has one row of results for each row, with 0, 1 and 2 of them."""

import functools

import jax
import pytest

from tests.jaxgames.public_batches import CASES, PLAYERS, WITHOUT_BATCH, public_names

SIZES = (0, 1, 2)


def test_every_public_name_has_a_case_or_a_reason():
    without = [name for names in WITHOUT_BATCH.values() for name in names.split()]
    assert sorted([*CASES, *without]) == sorted(public_names())


def check_rows(of_size):
    """Checks the rows of results; returns what was traced, by size."""
    traced = {size: jax.jit(functools.partial(of_size, size)).trace() for size in SIZES}
    for size, program in traced.items():
        assert {leaf.shape[:1] for leaf in jax.tree.leaves(program.out_info)} == {(size,)}
    return traced


@pytest.mark.parametrize("name", CASES)
def test_results_have_a_row_for_each_row(name):
    check_rows(CASES[name])[0].lower()


LIKE_ANOTHER = ("ms1", "ms2")  # what they do with a batch, `ms3` does too


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in LIKE_ANOTHER else ())
        for name in PLAYERS
    ],
)
def test_players_decide_in_a_batch_of_every_size(name):
    check_rows(PLAYERS[name])
