"""`BookThen`: plays the first moves from a book, and the others as another agent does."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.batching.trees import select_rows
from jaxgames.env import Env
from jaxgames.internal import checks, jax_modes
from jaxgames.players import registry
from jaxgames.players.opening_book import storage
from jaxgames.players.opening_book.book import NO_MOVE, Book, LookupResult, find
from jaxgames.players.player import decides_on_host
from jaxgames.rules import Rules
from jaxgames.search.agent import Agent, Decision, GameStates, Memory, Params, Watcher

_TINY = 1e-30  # below every share


class BookParams(NamedTuple):
    """What `BookThen` knows."""

    book: Book
    agent: Params  # of the other agent


class BookMemory(NamedTuple):
    """What `BookThen` remembers of each game."""

    moves: Int32[Array, "B"]  # own moves so far
    agent: Memory  # of the other agent


@dataclasses.dataclass(frozen=True)
class BookThen:
    """Plays from the book while a position is in it and the own moves are few, else as `agent`.

    Moves are drawn by their shares of the visits, so that a pairing does not repeat one game. The
    other agent is not asked where every game that goes on is in the book; if it is a `Watcher`, it
    sees the positions of the book, too. It may decide on the host, as in real time; then it is
    asked about all games of a batch as soon as one is out of the book.

    Raises:
        ValueError: for a setting out of range.
    """

    rules: Rules[Any]
    agent: Agent
    moves: int = 3  # own moves of a game that may come from the book
    temperature: float = 1.0  # 1 draws by the shares, 0 plays the most visited move

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.moves < 1:
            raise ValueError(f"moves must be at least 1, got {self.moves}")
        checks.temperature(self.temperature)

    @property
    def decides_on_host(self) -> bool:
        """Whether `act` cannot be traced, as that of the other agent."""
        return decides_on_host(self.agent)

    def reset(self, batch_size: int) -> BookMemory:
        """Returns the memory of games without own moves."""
        return BookMemory(jnp.zeros((batch_size,), jnp.int32), self.agent.reset(batch_size))

    @jax_modes.standard
    @allows_empty("state", "memory")
    def act(
        self, params: BookParams, memory: BookMemory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, BookMemory]:
        """Returns a move of the book, or the agent's decision where there is none."""
        draw_key, agent_key = jax.random.split(key)
        found = find(params.book, state)
        is_over = jax.vmap(self.rules.is_over)(state)
        from_book = found.is_known & (memory.moves < self.moves) & ~is_over
        needs_none = from_book | is_over
        drawn = self._draw(found, draw_key)

        seen = memory.agent
        if isinstance(self.agent, Watcher):
            seen = self._memories(from_book, self.agent.watch(seen, state), seen)

        def ask(_: None) -> tuple[Decision, Memory]:
            decision, inner = self.agent.act(params.agent, memory.agent, state, agent_key)
            # What a game leaves in memory must not depend on what the others of the batch need.
            inner = self._memories(needs_none, seen, inner)
            return select_rows(from_book, drawn, decision), inner

        def do_not_ask(_: None) -> tuple[Decision, Memory]:
            return drawn, seen

        if self.decides_on_host:
            decision, inner = do_not_ask(None) if needs_none.all() else ask(None)
        else:
            decision, inner = jax.lax.cond(needs_none.all(), do_not_ask, ask, None)
        is_complete = jax.vmap(self.rules.completes_action)(state, decision.action)
        moves = memory.moves + (is_complete & ~is_over)
        return decision, BookMemory(moves, inner)

    def _memories(self, mask: Bool[Array, "B"], new: Memory, old: Memory) -> Memory:
        """Returns the memories of the other agent, `new` in games where the mask holds.

        Those of an agent on the host may have no rows: they are new if it holds in all games.
        """
        if self.decides_on_host:
            return new if mask.all() else old
        return select_rows(mask, new, old)

    def _draw(self, found: LookupResult, key: PRNGKeyArray) -> Decision:
        """Returns moves drawn from the book, and their probabilities."""
        is_move: Bool[Array, "B M"] = found.actions != NO_MOVE
        logits = jnp.log(jnp.maximum(found.shares, _TINY))
        if self.temperature == 0:
            logits = jnp.where(jnp.arange(logits.shape[1]) == 0, 0.0, -jnp.inf)
            logits = jnp.broadcast_to(logits, found.shares.shape)
        else:
            logits = jnp.where(is_move, logits / self.temperature, -jnp.inf)
        column = jax.random.categorical(key, logits)
        lanes = jnp.arange(len(column))
        nowhere = jnp.where(is_move, found.actions, self.rules.num_actions)
        policy = jnp.zeros((len(column), self.rules.num_actions), jnp.float32)
        policy = policy.at[lanes[:, None], nowhere].set(jax.nn.softmax(logits), mode="drop")
        return Decision(found.actions[lanes, column], policy, found.values)


def make_book_then(
    env: Env[Any], *, file: str, agent: str, moves: int = 3, temperature: float = 1.0
) -> tuple[BookThen, BookParams]:
    """Returns an agent with an opening book.

    Args:
        env: the game.
        file: the book, as `python -m agents.opening_book` writes it.
        agent: spec string of the agent that plays the other moves, with `;` instead of `,`.
        moves: own moves of a game that may come from the book.
        temperature: 1 draws by the shares of the visits, 0 plays the most visited move.

    Raises:
        ValueError: for a book that is missing, damaged or of another game, or an unknown agent.
    """
    book, _ = storage.load(file, env)
    other = registry.make(agent.replace(";", ","), env)
    wrapped = BookThen(env.rules, other.agent, moves, temperature)
    return wrapped, BookParams(book, other.params)
