"""Positions of AlphaTM, as changes of one of round 3, and how to play on from them."""

import copy
import json

import jax
import numpy as np

from jaxgames.terra_mystica.tables.terrain import NUM_LAND
from jaxgames.terra_mystica.text import notation as full_notation
from jaxgames.terra_mystica.text.commands import ACTIONS
from papers.alphatm.game import notation, outputs
from papers.alphatm.game.rules import AlphaTM

RULES = AlphaTM()
ENGINEERS = {
    "faction": "engineers", "c": 5, "w": 6, "p": 1, "vp": 30, "key": 0, "ship": 0, "dig": 1,
    "range": 0, "spades": 0, "pw": [3, 5, 3], "cult": [2, 4, 1, 0], "bon": "BON1", "fav": [],
    "tw": [], "D": ["E10", "C5"], "TP": ["E7"], "TE": [], "SH": [], "SA": [], "br": [], "used": [],
    "passed": 0,
}  # fmt: skip
HALFLINGS = ENGINEERS | {
    "faction": "halflings", "c": 9, "w": 7, "p": 2, "vp": 25, "pw": [4, 4, 4], "cult": [0, 0, 2, 3],
    "bon": "BON2", "fav": ["FAV6"], "D": ["F5"], "TP": ["E6"],
}  # fmt: skip
POSITION = {
    "phase": "actions", "round": 3, "seat": 0, "placed": 0, "order": [0, 1], "next_start": None,
    "scoring": ["SCORE2", "SCORE6", "SCORE3", "SCORE4", "SCORE5", "SCORE8"],
    "cards": {"BON1": 0, "BON2": 0, "BON3": 0, "BON5": 2, "BON9": 1},
    "actions": [],
    "spots": {"FIRE": [-1] * 4, "WATER": [0, -1, 1, -1], "EARTH": [-1] * 4, "AIR": [-1] * 4},
    "terrain": {"E10": "S"},
    "towns": [],
    "skipped": [],
    "players": [ENGINEERS, HALFLINGS],
    "pending": {"actions": 1},
    "leech": {},
}  # fmt: skip


def position(engineers=None, halflings=None, **changes):
    """Returns the position with fields of its seats and of its text replaced."""
    text = copy.deepcopy(POSITION) | changes
    text["players"] = [ENGINEERS | (engineers or {}), HALFLINGS | (halflings or {})]
    return full_notation.text_to_state(RULES.full, json.dumps(text))


def _outputs() -> dict[str, int]:
    of_hexes = [
        outputs.hex_output(land, plane)
        for land in range(NUM_LAND)
        for plane in range(outputs.PLANES_PER_HEX)
    ]
    return {notation.words(o): o for o in (*of_hexes, *range(outputs.SEND, outputs.NUM_OUTPUTS))}


OUTPUTS = _outputs()
legal = jax.jit(RULES.legal_actions)
step = jax.jit(RULES.step)
full_step = jax.jit(RULES.full.step)
COLOURS = {0: "S", 1: "U"}


def output(game, text: str) -> int:
    """Returns the output of a text; a dwelling is built on the mover's own terrain."""
    if text.startswith("build"):
        colour = COLOURS[int(game.seat)]
        same = OUTPUTS[f"transform {text.split()[1]} to {colour}"]
        return same + outputs.BUILD_PLANE
    return OUTPUTS[text]


def texts(game) -> set[str]:
    """Returns the texts of the legal outputs."""
    return {notation.words(o) for o in np.flatnonzero(legal(game))}


def play(game, *moves: str):
    """Returns the position after outputs, all of which must be legal."""
    for text in moves:
        assert text in texts(game), f"{text} is not among {sorted(texts(game))}"
        game = jax.device_get(step(game, np.int32(output(game, text))))
    return game


def play_full(game, *commands: str):
    """Returns the position after commands of the full game, `2 x burn 1` for two of them."""
    for command in commands:
        times, _, rest = command.rpartition(" x ")
        for _ in range(int(times or 1)):
            game = full_step(game, np.int32(ACTIONS[rest]))
    return jax.device_get(game)


def same(left, right) -> bool:
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)
