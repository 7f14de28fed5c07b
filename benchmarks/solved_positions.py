"""How often a player agrees with positions of Onitama whose exact value is known.

The positions are `tablebase.jsonl` of the golden data: endgames with the value for the seat to move
and all best moves (the fastest wins, the longest defences, all moves that keep a draw).
"""

import concurrent.futures
import functools
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int

from benchmarks import host_batches
from benchmarks.golden.core import records, runner
from benchmarks.golden.onitama.tablebase import FIELDS
from benchmarks.host_batches import Batch
from jaxgames.batching import trees
from jaxgames.onitama import endgames, notation
from jaxgames.onitama.rules import Onitama
from jaxgames.players.player import Player
from jaxgames.search.agent import Agent, Params

GAME = "onitama"
RULES = Onitama(deck="all")
FILE_NAME = "tablebase.jsonl"
CPU_LANES = 32  # positions of one call: with 256 simulations 2.7 times as fast as 256 positions
ACCELERATOR_LANES = 1024
FOLLOW_LANES = 256  # positions of one call that plays one move
BANDS = {"win in 1": (1, 1), "2-3": (2, 3), "4-7": (4, 7), "8-15": (8, 15), "16-": (16, 1000)}


class Solved(NamedTuple):
    """Positions with their exact values."""

    games: Batch
    values: Int[np.ndarray, "positions"]  # 1 the seat to move wins, 0 draw, -1 it loses
    distances: Int[np.ndarray, "positions"]  # plies to the end; 0 for draws
    best: Bool[np.ndarray, "positions actions"]
    card_sets: Sequence[tuple[int, ...]]  # ids of the five cards, ascending
    has_table: Bool[np.ndarray, "positions"]  # all its moves have known values; see `add_tables`


class Choices(NamedTuple):
    """The moves of a player in the positions, and the values that it gives them."""

    actions: Int[np.ndarray, "positions"]
    values: Float[np.ndarray, "positions"]  # for the seat to move


class Share(NamedTuple):
    """A share with its standard error, and the number of positions."""

    mean: float
    standard_error: float
    positions: int


class Agreement(NamedTuple):
    """Shares of positions in which a player is right."""

    value_sign: Share
    """Of decided positions; a value of exactly zero counts half, as a guess would."""
    optimal: Share
    """The move is one of the best ones."""
    keeps_value: Share
    """The move keeps the value. Only positions count in which a move can err and the effect of each
    move is known: draws, and with tables also wins. (A move in a lost position cannot err.)"""
    optimal_by_distance: Mapping[str, Share]

    def numbers(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        shares = {name: getattr(self, name)._asdict() for name in self._fields[:3]}
        bands = {name: share._asdict() for name, share in self.optimal_by_distance.items()}
        return shares | {"optimal_by_distance": bands}


def read_positions(path: pathlib.Path | None, count: int, seed: int) -> Solved:
    """Returns a random sample of the solved positions; all if there are no more than `count`.

    Args:
        path: folder of Onitama's golden data; None for the shared one.
        count: positions wanted.
        seed: of the sample.

    Raises:
        ValueError: if the file does not exist or is malformed.
    """
    file = (path or runner.shared_directory(GAME)) / FILE_NAME
    if not file.is_file():
        raise ValueError(
            f"solved positions: {file} does not exist; name the folder of the golden data with "
            f"--golden or {runner.VARIABLE}, or leave them out with --positions=0"
        )
    rows = records.read_records(file, FIELDS)
    order = np.random.default_rng(seed).permutation(len(rows))[:count]
    rows = [rows[i] for i in sorted(order)]
    games = trees.stack([notation.text_to_state(RULES, row["fen"]) for row in rows])
    best = np.zeros((len(rows), RULES.num_actions), bool)
    for i, row in enumerate(rows):
        game = host_batches.take(games, i)
        best[i, [notation.text_to_action(RULES, game, move) for move in row["best"]]] = True
    all_cards = games.own_hand | games.other_hand | np.uint32(1) << games.side_card.astype("uint32")
    return Solved(
        games=games,
        values=np.array([row["value"] for row in rows]),
        distances=np.array([row["dtm"] or 0 for row in rows]),
        best=best,
        card_sets=[tuple(notation.hand_ids(int(cards))) for cards in all_cards],
        has_table=np.zeros(len(rows), bool),
    )


def add_tables(solved: Solved) -> Solved:
    """Solves all endgames with at most one student a side, for each card set of the positions.

    Takes some seconds for each of the 21 sets and keeps 25 MB of each.
    """
    men = [
        np.bitwise_count(board) for board in (solved.games.own_pieces, solved.games.other_pieces)
    ]
    for card_set in sorted(set(solved.card_sets)):
        endgames.solved(card_set)
    return solved._replace(has_table=np.maximum(*men) <= 2)


def choose(player: Player, solved: Solved) -> Choices:
    """Asks a player for its move and its value in all positions."""
    is_on_cpu = jax.default_backend() == "cpu"
    lanes, workers = (CPU_LANES, os.cpu_count() or 1) if is_on_cpu else (ACCELERATOR_LANES, 1)
    decide = functools.partial(_decide, player.agent, player.params)

    def decide_all(games: Batch) -> tuple[np.ndarray, np.ndarray]:
        actions, values = host_batches.map_chunks(decide, lanes, games)
        return actions, values

    first = np.minimum(np.arange(lanes), host_batches.size(solved.games) - 1)
    jax.block_until_ready(decide(host_batches.take(solved.games, first)))  # compiles once for all
    # A search on a CPU keeps one core busy, so each core gets a part of the positions.
    indices = [part for part in np.array_split(np.arange(len(solved.values)), workers) if len(part)]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(decide_all, (host_batches.take(solved.games, i) for i in indices)))
    actions, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    seat = solved.games.seat.astype(int)[:, None]
    return Choices(actions, np.take_along_axis(values, seat, axis=1)[:, 0])


def agreement(solved: Solved, choices: Choices) -> Agreement:
    """Returns how often the choices agree with the exact values."""
    is_decided = solved.values != 0
    sign = np.sign(choices.values) * solved.values
    is_best = solved.best[np.arange(len(solved.values)), choices.actions]
    can_err = (solved.values == 0) | ((solved.values == 1) & solved.has_table)
    keeps = np.where(solved.values == 0, is_best, _still_wins(solved, choices.actions))
    by_distance = {"draw": _share(is_best[~is_decided])}
    for name, (low, high) in BANDS.items():
        by_distance[name] = _share(is_best[(solved.distances >= low) & (solved.distances <= high)])
    return Agreement(
        value_sign=_share((sign[is_decided] + 1) / 2),
        optimal=_share(is_best),
        keeps_value=_share(keeps[can_err]),
        optimal_by_distance=by_distance,
    )


def _still_wins(
    solved: Solved, actions: Int[np.ndarray, "positions"]
) -> Bool[np.ndarray, "positions"]:
    """Returns for won positions with a table whether the move still wins; false for others."""
    result = np.zeros(len(actions), bool)
    asked = np.flatnonzero((solved.values == 1) & solved.has_table).tolist()
    by_set: dict[tuple[int, ...], list[int]] = {}
    for i in asked:
        by_set.setdefault(solved.card_sets[i], []).append(i)
    for card_set, members in by_set.items():
        follow = functools.partial(_follow, jnp.asarray(card_set, jnp.int32))
        group = host_batches.take(solved.games, members)
        won, index = host_batches.map_chunks(follow, FOLLOW_LANES, group, actions[members])
        reply = endgames.solved(card_set)[index]
        result[members] = won | (reply < 0)
    return result


@functools.partial(jax.jit, static_argnums=0)
def _decide(agent: Agent, params: Params, games: Batch) -> tuple[Any, Any]:
    decision, _ = agent.act(params, agent.reset(host_batches.size(games)), games, jax.random.key(0))
    return decision.action, decision.values


@jax.jit
def _follow(card_ids: Any, games: Batch, actions: Any) -> tuple[Any, Any]:
    """Returns whether each move wins at once, and the index of the position after it."""
    after = jax.vmap(RULES.step)(games, actions)
    return jax.vmap(RULES.is_over)(after), endgames.indices(after, card_ids)


def _share(is_right: np.ndarray) -> Share:
    count = len(is_right)
    if count == 0:
        return Share(float("nan"), float("nan"), 0)
    error = float(is_right.std() / np.sqrt(count))
    return Share(float(is_right.mean()), error, count)
