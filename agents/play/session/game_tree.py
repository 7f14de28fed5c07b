"""`GameTree`: the positions of a game with all its branches, and the position that is played.

A position is kept as the move that leads to it. States are computed from the moves when they are
asked for; a bounded number of them is kept.
"""

import collections
import dataclasses
import itertools
from typing import Any, NamedTuple

from agents.play.session import positions
from jaxgames.analysis.afterstate_values import Unit
from jaxgames.analysis.analysis import Analysis
from jaxgames.analysis.review import ReviewedMove
from jaxgames.env import Env
from jaxgames.internal.messages import hint
from jaxgames.state import State

ROOT = 0
MOST_NODES = 20_000
MOST_STATES = 64  # kept besides the checkpoints
CHECKPOINT = 64  # plies from one state that is always kept to the next


@dataclasses.dataclass
class GameNode:
    """A position of the tree, and the move that leads to it; nothing leads to the first."""

    parent: int | None = None
    action: int = -1
    move: str = ""
    """The text of the action."""
    seat: int = -1
    """The seat that made the move."""
    ply: int = 0
    """The moves before this position."""
    key: str = ""
    """The random key of the step, as records write it; empty in games without chance."""
    values: tuple[float, ...] | None = None
    """The value of the position for each seat, as an agent has found it."""
    analysis: Analysis | None = None
    """The analysis of the position by the player of the review."""
    reviewed: ReviewedMove | None = None
    """What the review says of the move that leads to the position."""


class Reviewed(NamedTuple):
    """Who has reviewed a game, and in which unit losses are counted."""

    player: str
    unit: Unit


class GameTree:
    """The positions of one game; not safe for several threads at once."""

    def __init__(self, env: Env[Any], seed: int, position: str) -> None:
        """Begins a game.

        Args:
            env: the game.
            seed: decides all chance.
            position: the text of the first position.

        Raises:
            ValueError: for a malformed position text.
        """
        self.env = env
        self.seed = seed
        self.position = position
        """The text of the first position."""
        self._checkpoints = {ROOT: positions.read(env, position)}
        self._recent: collections.OrderedDict[int, State[Any]] = collections.OrderedDict()
        self.nodes = {ROOT: GameNode()}
        self.current = ROOT
        """The position that is played."""
        self.reviewed: Reviewed | None = None
        """Who has reviewed lines of the game; None: nobody."""
        self._chapters: dict[int, str] = {}
        self._halves: dict[int, bool] = {}
        self._favourite: dict[int, int] = {}  # of each position, the child visited last
        self._next_number = ROOT + 1

    def check(self, number: int) -> None:
        """Raises a `ValueError` unless there is a position of this number."""
        if number not in self.nodes:
            raise ValueError(f"this game has no position of number {number}")

    def children(self, number: int) -> list[int]:
        """Returns the positions after each move that has been tried, in the order of trying."""
        return [child for child, node in self.nodes.items() if node.parent == number]

    def favourite(self, number: int) -> int | None:
        """Returns the next position of the line that a position belongs to; None at its end."""
        return self._favourite.get(number)

    def path(self, number: int) -> list[int]:
        """Returns the positions from the first to this one."""
        found = [number]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return found[::-1]

    def line(self, number: int) -> list[int]:
        """Returns the path to a position, and on along the moves visited last."""
        found = self.path(number)
        while (after := self._favourite.get(found[-1])) is not None:
            found.append(after)
        return found

    def state(self, number: int) -> State[Any]:
        """Returns a position on the host, without observation."""
        missing = []
        while (found := self._kept(number)) is None:
            missing.append(number)
            parent = self.nodes[number].parent
            assert parent is not None, "the first position is always kept"
            number = parent
        state = found
        for number in reversed(missing):
            node = self.nodes[number]
            if not state.legal_action_mask[node.action]:
                raise ValueError(f"the game is damaged: move {node.move!r} is not legal")
            state = positions.step(self.env, state, node.action, node.key)
            self._keep(number, state)
        return state

    def _kept(self, number: int) -> State[Any] | None:
        if number in self._recent:
            self._recent.move_to_end(number)
            return self._recent[number]
        return self._checkpoints.get(number)

    def _keep(self, number: int, state: State[Any]) -> None:
        if self.nodes[number].ply % CHECKPOINT == 0:
            self._checkpoints[number] = state
            return
        self._recent[number] = state
        while len(self._recent) > MOST_STATES:
            self._recent.popitem(last=False)

    def is_over(self, number: int) -> bool:
        """Returns whether the game has ended in a position."""
        state = self.state(number)
        return bool(state.terminated | state.truncated)

    def seat(self, number: int) -> int:
        """Returns the seat to move in a position."""
        return int(self.state(number).current_player)

    def is_half(self, number: int) -> bool:
        """Returns whether the move that led to a position was but a part of an action."""
        node = self.nodes[number]
        if node.parent is None:
            return False
        if number not in self._halves:
            before = self.state(node.parent)
            completes = positions.completes_action(self.env, before, node.action)
            self._halves[number] = not completes
        return self._halves[number]

    def words(self, number: int) -> str:
        """Returns the move that led to a position as people say it; see `Env.in_words`."""
        return self.env.in_words(self.nodes[number].move, self.chapter(number))

    def chapter(self, number: int) -> str:
        """Returns the round or turn of the move that led to a position; see `Env.chapter`."""
        parent = self.nodes[number].parent
        if parent is None:
            return ""
        if number not in self._chapters:
            self._chapters[number] = self.env.chapter(self.state(parent))
        return self._chapters[number]

    def play(self, number: int, action: int, move: str | None = None) -> int:
        """Plays an action from a position, makes the result the current one, and returns it.

        A move that has been tried before leads to the same position again.

        Args:
            number: the position.
            action: the action.
            move: the text of the action, if it is known.

        Raises:
            ValueError: if the game is over there, or the action is not legal.
        """
        self.check(number)
        state = self.state(number)
        if self.is_over(number):
            raise ValueError("the game is over")
        if not (0 <= action < self.env.num_actions and state.legal_action_mask[action]):
            raise ValueError(f"action {action} is not legal here")
        for child in self.children(number):
            if self.nodes[child].action == action:
                self.go(child)
                return child
        if len(self.nodes) > MOST_NODES:
            raise ValueError(f"a game has at most {MOST_NODES} positions; save it and begin anew")
        text = self.env.action_to_text(state, action) if move is None else move
        child = self._next_number
        key = positions.new_key(self.env, self.seed, child)
        after = positions.step(self.env, state, action, key)
        seat, ply = int(state.current_player), self.nodes[number].ply + 1
        self.add(child, GameNode(number, action, text, seat, ply, key))
        self._keep(child, after)
        self.go(child)
        return child

    def add(self, number: int, node: GameNode) -> None:
        """Adds a position whose move is known to be legal."""
        self.nodes[number] = node
        self._next_number = max(self._next_number, number + 1)
        if node.parent is not None:
            self._favourite.setdefault(node.parent, number)

    def go(self, number: int) -> None:
        """Makes a position the current one.

        Raises:
            ValueError: if there is no such position.
        """
        self.check(number)
        self.current = number
        self._favourite.update(itertools.pairwise(self.path(number)))

    def drop(self, number: int) -> int:
        """Removes a position without children, goes to the one before, and returns that.

        Raises:
            ValueError: for the first position, or one with children.
        """
        self.check(number)
        parent = self.nodes[number].parent
        if parent is None or self.children(number):
            raise ValueError("only the last position of a line can be removed")
        del self.nodes[number]
        self._recent.pop(number, None)
        self._checkpoints.pop(number, None)
        self._favourite.pop(parent, None)
        self._chapters.pop(number, None)
        self._halves.pop(number, None)
        if others := self.children(parent):
            self._favourite[parent] = others[-1]
        self.go(parent)
        return parent

    def set_values(self, number: int, values: tuple[float, ...] | None) -> None:
        """Keeps the values that an agent has found in a position, if it is still there."""
        if number in self.nodes:
            self.nodes[number].values = values

    def find_move(self, number: int, text: str) -> int:
        """Returns the action that a move text means in a position.

        Raises:
            ValueError: if there is none; offers the nearest.
        """
        moves = self.env.legal_moves(self.state(number))
        for action, name in moves.items():
            if name == text:
                return action
        raise ValueError(f"move {text!r} is not legal here{hint(text, moves.values())}")
