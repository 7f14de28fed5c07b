"""Solved endgames of Onitama with their best moves, which a network can learn from.

Each has at most one student a side. Draws, wins in more than one ply and losses are a third each;
among all endgames of five cards, draws are rare.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.onitama import cards, endgames
from jaxgames.onitama.rules import Onitama
from jaxgames.search.retrograde import SolvedPositions

CARD_SETS = 4  # solving one takes about a minute on one core
POSITIONS = 8192  # of each set of cards
_FAR = int(np.iinfo(np.int16).max)


def draw(rules: Onitama, seed: int) -> SolvedPositions:
    """Returns endgames of some sets of five cards, which are solved first.

    Each has a random seat to move and a random ply, at most half of the limit. The limit leaves
    time for each win and loss; those that need more plies than the whole limit are left out.

    Args:
        rules: the game, which says what cards are dealt, and the limit.
        seed: of the sets and the positions.

    Raises:
        ValueError: if the limit is so low that no position is left.
    """
    random = np.random.default_rng(seed)
    keys = jax.random.split(jax.random.key(seed), CARD_SETS)
    dealt = jax.device_get(jax.jit(jax.vmap(rules.init))(keys))
    card_sets = dealt.own_hand | dealt.other_hand | np.uint32(1) << dealt.side_card.astype("uint32")
    parts = [_of_set(rules, int(card_set), random) for card_set in np.unique(card_sets)]
    if not any(len(part.values) for part in parts):
        raise ValueError(
            f"max_plies={rules.max_plies} ends all solved positions too early: expected at least "
            "2, for losses, or 3, for wins"
        )
    return SolvedPositions(
        games=jax.tree.map(lambda *x: np.concatenate(x), *(part.games for part in parts)),
        best=np.concatenate([part.best for part in parts]),
        values=np.concatenate([part.values for part in parts]),
    )


def _of_set(rules: Onitama, card_set: int, random: np.random.Generator) -> SolvedPositions:
    ids = tuple(card for card in range(len(cards.CARDS)) if card_set >> card & 1)
    table, card_ids = endgames.solve(ids), jnp.asarray(ids, jnp.int32)
    index = _drawn(table, rules.max_plies, random)
    games = jax.device_get(endgames.positions(index, card_ids))
    moves = jax.device_get(endgames.moves_of(games, card_ids))
    seat = random.integers(2, size=len(index))
    own = np.sign(table[index]).astype(np.float32)
    ply = random.integers(rules.max_plies // 2 + 1, size=len(index))
    ply = np.minimum(ply, rules.max_plies - np.abs(table[index]))  # in time for the win
    best = best_moves(table, moves, rules.max_plies - ply)
    games = games.replace(seat=seat.astype(np.int8), ply=ply.astype(np.uint8))
    values = np.where(np.arange(2) == seat[:, None], own[:, None], -own[:, None])
    mask = np.zeros((len(index), rules.num_actions), bool)
    rows, columns = np.nonzero(best)
    mask[rows, moves.actions[rows, columns]] = True
    return SolvedPositions(games, mask, values)


def _drawn(table: np.ndarray, max_plies: int, random: np.random.Generator) -> np.ndarray:
    """Returns the indices of positions of the three kinds; all if there are few of a kind."""
    values = table[: endgames.NO_MOVE]
    is_draw = endgames.is_position() & (values == 0)
    is_win = (values > 1) & (values <= max_plies)
    is_loss = (values < 0) & (values >= -max_plies)
    kinds = [np.flatnonzero(kind) for kind in (is_draw, is_win, is_loss)]
    chosen = [random.permutation(kind)[: POSITIONS // len(kinds)] for kind in kinds]
    return np.concatenate(chosen).astype(np.int32)


def best_moves(
    table: np.ndarray, moves: endgames.EndgameMoves, plies_left: np.ndarray | int = _FAR
) -> np.ndarray:
    """Returns which moves of each position are best, `[B, moves]` bool.

    They win as fast as possible; else keep a draw; else lose as late as possible.

    Args:
        table: of `endgames.solve`.
        moves: of `endgames.moves_of`, on the host.
        plies_left: until the game is drawn, of each position `[B]` or of all.
    """
    reply = table[moves.successors].astype(np.int32)  # what the opponent makes of it
    reply = np.where(np.abs(reply) < np.reshape(plies_left, (-1, 1)), reply, 0)
    worth = np.where(reply < 0, _FAR + reply, np.where(reply > 0, reply - _FAR, 0))
    worth = np.where(moves.wins, _FAR, worth)
    worth = np.where(moves.legal, worth, -2 * _FAR)
    return worth == worth.max(axis=1, keepdims=True)
