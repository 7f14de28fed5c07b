"""`Reviewer`: what each move of a game lost against the best one, as a player judges it.

If the player aims at a lead in points, the loss is in points of the lead over the mean of the other
seats. In all others it is in chances to win. Players with learned values of afterstates judge
both positions, after the best move and after the one that was played, by the same network, so that
their errors largely cancel. With all others, the value of a position is that of its best move, and
a move loses the difference between the values before it and after it.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames.analysis import afterstate_values, tables
from jaxgames.analysis.afterstate_values import Expectation, Unit
from jaxgames.analysis.analysis import Analysis, analyse_batch
from jaxgames.analysis.chances import chance
from jaxgames.env import Env
from jaxgames.internal import device_kind
from jaxgames.players.player import Player
from jaxgames.records.replay import is_over
from jaxgames.state import State

MARKS = ("inaccuracy", "mistake", "blunder")
LEAST_LOSSES: Mapping[Unit, tuple[float, float, float]] = {
    "chance": (0.1, 0.2, 0.3),  # of a game
    "points": (2.0, 5.0, 10.0),  # of lead
}
"""The least loss for each of the `MARKS`."""
BATCH = 32  # positions searched at once on an accelerator


@dataclasses.dataclass(frozen=True)
class ReviewedMove:
    """A move of a game, beside the best one."""

    seat: int
    """The seat that made it."""
    move: str
    """Its text."""
    best: str
    """The text of the move that the player would have made."""
    is_forced: bool
    """Whether it was the only legal one."""
    expected: Expectation
    """What the seats could expect if the best move was made."""
    reached: Expectation
    """What they could expect after this move; the outcome where it ended the game."""
    loss: float
    """What the move cost the seat, in the unit of the review; 0 for the best move."""

    def mark(self, unit: Unit) -> str:
        """Returns the word for a large loss, one of `MARKS`; nothing for a small one."""
        reached = sum(self.loss >= least for least in LEAST_LOSSES[unit])
        return MARKS[reached - 1] if reached else ""


@dataclasses.dataclass(frozen=True)
class Review:
    """The review of a game, or of a part of one."""

    player: str
    """The spec of the player that judges."""
    unit: Unit
    analyses: tuple[Analysis | None, ...]
    """Of each position, that after the last move included; None where the game is over."""
    moves: tuple[ReviewedMove, ...]

    def average_losses(self, seats: int) -> tuple[float | None, ...]:
        """Returns the mean loss of each seat over its moves; None for a seat without a choice."""
        return average_losses(self.moves, seats)

    def _repr_html_(self) -> str:
        title = f"{len(self.moves)} moves, judged by {self.player}"
        return tables.reviewed_moves(self).as_html(title)


def average_losses(moves: Sequence[ReviewedMove], seats: int) -> tuple[float | None, ...]:
    """Returns the mean loss of each seat over the moves at which it had a choice."""
    own = [[x.loss for x in moves if x.seat == seat and not x.is_forced] for seat in range(seats)]
    return tuple(float(np.mean(losses)) if losses else None for losses in own)


class Reviewer:
    """A player that reviews games; all methods are for the host."""

    def __init__(
        self, env: Env[Any], player: Player, top: int = 5, key: PRNGKeyArray | None = None
    ) -> None:
        """`top`: the most moves kept of each position; `key`: of all chance of the searches."""
        self.env = env
        self.player = player
        self.top = top
        self.unit = afterstate_values.unit_of(player)
        self._key = jax.random.key(0) if key is None else key
        # Else a network judges what the moves lead to.
        self._compares_values = afterstate_values.network_of(player) is None

    def analyses(
        self, states: Sequence[State[Any]], batch: int | None = None
    ) -> Iterator[tuple[int, Analysis]]:
        """Yields the numbers of the positions that are not over, each with its analysis.

        `batch` of them are searched together; None: as many as the device does well. On a processor
        that is one, by the program that analyses of single positions use: batches of 8 took 0.6
        times as long in Onitama and 1.4 times in Terra Mystica, and minutes to compile.

        Raises:
            ValueError: at the first position of which the player gives no values, if `moves` needs
                them.
        """
        if batch is None:
            batch = 1 if device_kind.is_cpu() else BATCH
        numbers = [at for at, state in enumerate(states) if not is_over(state)]
        for first in range(0, len(numbers), batch):
            part = numbers[first : first + batch]
            filled = part + part[-1:] * (batch - len(part))  # one batch size is compiled
            found = analyse_batch(
                self.env, [states[at] for at in filled], self.player, self.top, self._key
            )
            for at, analysis in zip(part, found, strict=False):
                if self._compares_values:
                    self._values(analysis)
                yield at, analysis

    def moves(
        self,
        states: Sequence[State[Any]],
        actions: Sequence[int],
        analyses: Sequence[Analysis | None],
    ) -> tuple[ReviewedMove, ...]:
        """Returns what the moves of a line lost.

        Args:
            states: the positions, one more than moves.
            actions: the moves between them.
            analyses: of each position; None where the game is over.

        Raises:
            ValueError: if the player gives no values.
        """
        before = [_present(analysis) for analysis in analyses[: len(actions)]]
        if self._compares_values:
            expected, reached = self._of_positions(states, analyses, before)
        else:
            expected, reached = self._of_afterstates(states, before)
        texts = [
            self.env.action_to_text(state, action)
            for state, action in zip(states, actions, strict=False)
        ]
        return tuple(
            ReviewedMove(
                seat=analysis.seat,
                move=text,
                best=analysis.move,
                is_forced=int(np.asarray(state.legal_action_mask).sum()) == 1,
                expected=best,
                reached=best if action == analysis.action else after,
                loss=0.0 if action == analysis.action else self._loss(best, after, analysis.seat),
            )
            for state, action, text, analysis, best, after in zip(
                states, actions, texts, before, expected, reached, strict=False
            )
        )

    def expectations(self, states: Sequence[State[Any]]) -> list[Expectation]:
        """Returns what the seats can expect in positions, none of which is over, by the best move.

        Raises:
            ValueError: if the player gives no values.
        """
        analyses = [analysis for _, analysis in self.analyses(states)]
        if self._compares_values:
            return [self._chances(analysis) for analysis in analyses]
        return self._after_best(states, analyses)

    def review(self, states: Sequence[State[Any]], actions: Sequence[int]) -> Review:
        """Returns the review of a line of `states`, one more than `actions`."""
        found = dict(self.analyses(states))
        analyses = tuple(found.get(at) for at in range(len(states)))
        moves = self.moves(states, actions, analyses)
        return Review(self.player.name, self.unit, analyses, moves)

    def _loss(self, best: Expectation, after: Expectation, seat: int) -> float:
        own = [afterstate_values.own(x, seat, self.unit) for x in (best, after)]
        return max(0.0, own[0] - own[1])

    def _of_positions(
        self,
        states: Sequence[State[Any]],
        analyses: Sequence[Analysis | None],
        before: Sequence[Analysis],
    ) -> tuple[list[Expectation], list[Expectation]]:
        """Returns the chances before and after each move, by the values of the positions."""
        expected = [self._chances(analysis) for analysis in before]
        last = analyses[len(before)]
        after = self._outcome(states[-1]) if last is None else self._chances(last)
        return expected, [*expected[1:], after][: len(before)]

    def _values(self, analysis: Analysis) -> tuple[float, ...]:
        if analysis.values is None:
            raise ValueError(
                f"{self.player.name} gives no values of this position, which a review needs; "
                "choose another agent, for instance best"
            )
        return analysis.values

    def _chances(self, analysis: Analysis) -> Expectation:
        values = list(self._values(analysis))
        best = next((move for move in analysis.moves if move.action == analysis.action), None)
        # The value of a searched position is a mean over all moves that the search has tried.
        if best is not None and best.value is not None and len(values) == 2:
            values[analysis.seat], values[1 - analysis.seat] = best.value, -best.value
        return tuple(map(chance, values))

    def _of_afterstates(
        self, states: Sequence[State[Any]], before: Sequence[Analysis]
    ) -> tuple[list[Expectation], list[Expectation]]:
        """Returns what is expected after the best and after the played moves, by the network."""
        seats = [analysis.seat for analysis in before]
        played = states[1 : len(before) + 1]
        reached = afterstate_values.expected_or_outcome(self.env, self.player, played, seats)
        return self._after_best(states, before), reached

    def _after_best(
        self, states: Sequence[State[Any]], before: Sequence[Analysis]
    ) -> list[Expectation]:
        best = [
            afterstate_values.after(self.env, state, analysis.action, self._key)
            for state, analysis in zip(states, before, strict=False)
        ]
        seats = [analysis.seat for analysis in before]
        return afterstate_values.expected_or_outcome(self.env, self.player, best, seats)

    def _outcome(self, state: State[Any]) -> Expectation:
        return afterstate_values.outcome(self.env, state, self.unit)


def _present(analysis: Analysis | None) -> Analysis:
    if analysis is None:
        raise ValueError("a move was made after the end of the game")
    return analysis
