"""The generator of the host makes the levels of the reference from their seeds."""

import json

import numpy as np
import pytest

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, read_records
from benchmarks.golden.tribes.levels import LEVELS
from jaxgames.tribes.levels.host_generation import generate
from jaxgames.tribes.levels.java_random import JavaRandom
from jaxgames.tribes.levels.level_files import level_to_csv
from jaxgames.tribes.tables.levels import Coast, num_ruins
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import Tribe
from tests.golden_reports import shared_directory
from tests.jaxgames.tribes import level_statistics
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "tribes_levels"
# Tribes in the order in which the reference was given them.
SEEDS = {
    "11x11_seed_1590191438878": (1590191438878, 11, (Tribe.XIN_XI, Tribe.IMPERIUS)),
    "14x14_seed_401": (401, 14, (Tribe.XIN_XI, Tribe.IMPERIUS, Tribe.BARDUR)),
    "16x16_seed_503": (503, 16, tuple(Tribe)),
}


def test_random_numbers_are_those_of_java():
    # The first values of `new Random(0).nextDouble()` and `new Random(42).nextDouble()`.
    random = JavaRandom(0)
    assert [random.uniform(), random.uniform()] == [0.730967787376657, 0.24053641567148587]
    assert JavaRandom(42).uniform() == 0.7275636800328681
    assert JavaRandom(0).below(100) == 73


@pytest.mark.parametrize("name", SEEDS)
def test_committed_levels_are_made_again(name):
    text = (COMMITTED / f"{name}.csv").read_text()
    assert level_to_csv(generate(*SEEDS[name])) == text.replace(" ", "")


@pytest.mark.parametrize(("file", "count"), [("paper", 25), ("other", 20)])
def test_all_shared_levels_are_made_again(file, count):
    path = shared_directory("tribes") / f"levels_{file}.jsonl.gz"
    verdicts = LEVELS.check(read_records(path, LEVELS.fields), CheckSettings())
    assert verdicts == [EQUAL] * count


def test_tribes_change_the_land_around_them_not_the_coast():
    one, other = generate(3, 11, (Tribe.XIN_XI, Tribe.BARDUR)), generate(3, 11, (2, 3))
    assert [tile for tile, _ in one.capitals] == [tile for tile, _ in other.capitals]
    assert [tribe for _, tribe in one.capitals] != [tribe for _, tribe in other.capitals]
    assert (one.terrain != other.terrain).any()


def test_more_land_on_request():
    def land(coast: Coast) -> int:
        levels = [generate(seed, 11, (0, 1), coast) for seed in range(20)]
        return sum(int((level.terrain != Terrain.DEEP_WATER).sum()) for level in levels)

    usual = land(Coast())
    assert land(Coast(land_share=0.7)) > 1.1 * usual
    assert land(Coast(relief=5)) > 1.1 * usual
    assert land(Coast(smoothing=6)) > usual


def test_number_of_ruins_by_side():
    assert [num_ruins(side) for side in (11, 14, 16)] == [(3, 1), (5, 2), (6, 2)]


BAD = {
    r"one of \(11, 14, 16\), got 11\.0": (0, 11.0, (0, 1)),
    r"seed must be a whole number, got 1\.5": (1.5, 11, (0, 1)),
    "tribes must be rows of the table of tribes, got None": (0, 11, None),
    r"one of \(11, 14, 16\), got 12": (0, 12, (0, 1)),
    "2 to 4 capitals, each of another tribe, got 1": (0, 11, (0,)),
    r"tribes\[1\]: unknown tribe 4; known: '0' xin xi": (0, 11, (0, 4)),
    r"tribes\[2\]: tribe 0 xin xi is there already, tribes\[0\]": (0, 11, (0, 1, 0)),
    "land for 0 capitals only, expected 2": (0, 11, (0, 1), Coast(land_share=0)),
    "seed 72 puts capitals side by side": (72, 11, (0, 1, 2, 3)),
}


@pytest.mark.parametrize(("message", "arguments"), BAD.items())
def test_impossible_levels_are_refused(message, arguments):
    with pytest.raises(ValueError, match=message):
        generate(*arguments)


def test_impossible_coasts_are_refused():
    with pytest.raises(ValueError, match=r"land_share must be 0 to 1, got 1\.5"):
        Coast(land_share=1.5)
    with pytest.raises(ValueError, match="smoothing must be 0 passes or more, got -1"):
        Coast(smoothing=-1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", level_statistics.KINDS)
def test_committed_statistics_are_those_of_the_host(kind):
    table = json.loads(level_statistics.HOST_LEVELS.read_text())[kind]
    found = level_statistics.summaries(level_statistics.of_host(*level_statistics.KINDS[kind]))
    assert list(found) == list(table)
    np.testing.assert_allclose(list(found.values()), list(table.values()), atol=1e-6)
