"""What is measured of levels, to compare two ways of making them.

`host_levels.json` has the measures of the levels of the host. This file prints it as a program,
started in the root of a checkout: `PYTHONPATH=. python tests/jaxgames/tribes/level_statistics.py`.
"""

import json
import pathlib
from typing import NamedTuple

import numpy as np

from jaxgames.tribes.engine.grid import board_of
from jaxgames.tribes.levels.host_generation import generate
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe

NUM_LEVELS = 1000
HOST_LEVELS = pathlib.Path(__file__).with_name("host_levels.json")
# Side and tribes, in the order in which their capitals are placed.
KINDS = {
    "11/2": (11, (Tribe.XIN_XI, Tribe.IMPERIUS)),
    "14/3": (14, (Tribe.OUMAJI, Tribe.BARDUR, Tribe.IMPERIUS)),
    "16/4": (16, (Tribe.XIN_XI, Tribe.IMPERIUS, Tribe.BARDUR, Tribe.OUMAJI)),
}
LAND = (Terrain.PLAIN, Terrain.FOREST, Terrain.MOUNTAIN, Terrain.VILLAGE, Terrain.CITY)
TERRAINS = (*LAND[:-1], Terrain.SHALLOW_WATER, Terrain.DEEP_WATER)  # that vary
NEAR = 2  # steps from a capital within which its tribe is expected to shape the land


class Levels(NamedTuple):
    """Several levels of one kind."""

    side: int
    terrain: np.ndarray  # [levels, T]
    resource: np.ndarray  # [levels, T]
    capitals: np.ndarray  # [levels, P] tiles
    tribe_ids: np.ndarray  # [levels, P] tribe of each capital


class Summary(NamedTuple):
    """Mean and variance of one measure over `NUM_LEVELS` levels."""

    mean: float
    variance: float

    def errors_from(self, other: "Summary") -> float:
        """Returns the difference of two means in standard errors."""
        difference = abs(self.mean - other.mean)
        error = np.sqrt((self.variance + other.variance) / NUM_LEVELS)
        return float(difference / error) if error else np.inf * bool(difference)


def of_host(side: int, tribes: tuple[int, ...]) -> Levels:
    """Returns the levels of the first seeds."""
    levels = [generate(seed, side, tribes) for seed in range(NUM_LEVELS)]
    capitals = np.array([level.capitals for level in levels])
    return Levels(
        side,
        np.stack([level.terrain for level in levels]),
        np.stack([level.resource for level in levels]),
        capitals[..., 0],
        capitals[..., 1],
    )


def measures(levels: Levels) -> dict[str, np.ndarray]:
    """Returns named measures, one number for each level."""
    board = board_of(levels.side)
    terrain, resource = levels.terrain, levels.resource
    found = {f"terrain {kind.name}": (terrain == kind).sum(axis=1) for kind in TERRAINS}
    for kind in Resource:
        found[f"resource {kind.name}"] = (resource == kind).sum(axis=1)
    is_ruin = resource == Resource.RUINS
    found["ruins in deep water"] = (is_ruin & (terrain == Terrain.DEEP_WATER)).sum(axis=1)
    corner = (board.row <= 1) & (board.column <= 2)
    found["ruins in the first corner"] = (is_ruin & corner).sum(axis=1)
    is_aground = (resource == Resource.WHALES) & (terrain == Terrain.SHALLOW_WATER)
    found["whales in shallow water"] = is_aground.sum(axis=1)
    is_land = np.isin(terrain, LAND).reshape(-1, levels.side, levels.side)
    found["land beside land"] = (is_land[:, 1:] & is_land[:, :-1]).sum(axis=(1, 2))
    found["land"] = is_land.sum(axis=(1, 2))
    found["villages squared"] = found["terrain VILLAGE"] ** 2
    found["land squared"] = found["land"] ** 2

    row, column = board.row[levels.capitals], board.column[levels.capitals]
    away = np.maximum(
        abs(row[:, :, None] - row[:, None]), abs(column[:, :, None] - column[:, None])
    )
    seats = np.arange(levels.capitals.shape[1])
    away[:, seats, seats] = levels.side
    found["next capital"] = away.min(axis=(1, 2))
    found["capital off the edge"] = np.minimum.reduce(
        [row, column, levels.side - 1 - row, levels.side - 1 - column]
    ).mean(axis=1)
    steps = np.maximum(abs(board.row - row[..., None]), abs(board.column - column[..., None]))
    for tribe in np.unique(levels.tribe_ids):
        seat = (levels.tribe_ids == tribe).argmax(axis=1)
        near = steps[np.arange(len(seat)), seat] <= NEAR
        name = Tribe(tribe).name
        found[f"seat of {name}"] = seat
        for land in (Terrain.FOREST, Terrain.MOUNTAIN):
            found[f"{land.name} near {name}"] = (near & (terrain == land)).sum(axis=1)
        for thing in (Resource.FRUIT, Resource.CROPS, Resource.ANIMAL):
            found[f"{thing.name} near {name}"] = (near & (resource == thing)).sum(axis=1)
    return found


def summaries(levels: Levels) -> dict[str, Summary]:
    """Returns mean and variance of each measure."""
    return {
        name: Summary(float(values.mean()), float(values.var(ddof=1)))
        for name, values in measures(levels).items()
    }


if __name__ == "__main__":
    kinds = []
    for kind, (side, tribes) in KINDS.items():
        rows = summaries(of_host(side, tribes)).items()
        lines = ",\n".join(
            f'  "{name}": {json.dumps([round(x, 6) for x in row])}' for name, row in rows
        )
        kinds.append(f' "{kind}": {{\n{lines}\n }}')
    print("{\n" + ",\n".join(kinds) + "\n}")
