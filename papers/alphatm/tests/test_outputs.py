"""The numbers of AlphaTM's outputs."""

import numpy as np
import pytest

from jaxgames.terra_mystica.tables.terrain import LAND_CELLS, LAND_NAMES
from papers.alphatm.game import notation, outputs


def test_there_are_as_many_outputs_as_in_the_paper():
    assert outputs.NUM_OUTPUTS == 9 * 13 * 18 + 4 * 3 + 25 == 2143
    assert outputs.TOWN == 9 * 13 * 18 + 32


def at(name: str, plane: int) -> int:
    return outputs.hex_output(LAND_NAMES.index(name), plane)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (at("A1", 0), "transform A1 to U"),
        (at("C1", 6), "transform C1 to Y"),
        (at("C1", 7 + 4), "build C1"),
        (at("I12", 14), "upgrade I12 to TP"),
        (at("I12", 15), "upgrade I12 to SH"),
        (at("I12", 16), "upgrade I12 to TE"),
        (at("I12", 17), "upgrade I12 to SA"),
        (2106, "send FIRE 3"),
        (2117, "send AIR 1"),
        (2118, "advance ship"),
        (2119, "advance dig"),
        (2120, "action ACT1"),
        (2125, "action ACT6"),
        (2126, "action card"),
        (2127, "action FAV6"),
        (2128, "action ACTE"),
        (2129, "pass BON1"),
        (2137, "pass BON9"),
        (2138, "+1 TW1"),
        (2142, "+1 TW5"),
    ],
)
def test_outputs_mean_what_the_table_says(output, words):
    assert notation.words(output) == words


def test_hexes_stand_in_rows_of_thirteen():
    # C1 is the third cell of the third row.
    assert at("C1", 5) == 234 * 2 + 18 * 2 + 5
    assert len({at(name, 0) for name in LAND_NAMES}) == 77


def test_values_by_hex_go_to_their_outputs_and_zeros_to_the_river():
    by_hex = np.arange(1, 77 * 18 + 1, dtype=np.int32).reshape(77, 18)
    values = np.asarray(outputs.from_parts(by_hex, np.arange(37, dtype=np.int32)))
    on_map = values[: outputs.SEND].reshape(9 * 13, 18)
    assert (on_map[LAND_CELLS] == by_hex).all()
    assert on_map.sum() == by_hex.sum()
    assert (values[outputs.SEND :] == np.arange(37)).all()
