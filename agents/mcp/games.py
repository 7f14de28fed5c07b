"""`Games`: games in progress by number, and what a language model may do with them.

A position is described as to a player in another process (`agents.external.protocol`): as the seat
to move may know it.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from agents.external import protocol
from agents.play.engine.limits import Allowance
from jaxgames.analysis import analysis, host_states
from jaxgames.env import Env
from jaxgames.internal import checks
from jaxgames.internal.messages import unknown
from jaxgames.matches.plies import is_over
from jaxgames.players import registry
from jaxgames.state import State

Document = dict[str, Any]
_MOST_SEED = 2**63 - 1  # JAX takes signed numbers of 64 bits


class Game:
    """One game in progress."""

    def __init__(self, number: str, env: Env[Any], key: PRNGKeyArray) -> None:
        start_key, self._key = jax.random.split(key)
        self.number = number
        self.env = env
        self.state: State[Any] = jax.device_get(host_states.begin(env, start_key))
        self.moves: list[str] = []

    @property
    def chance(self) -> PRNGKeyArray:
        """The key of what happens in this position."""
        return jax.random.fold_in(self._key, len(self.moves))

    def seen(self) -> State[Any]:
        """Returns the position as the seat to move may know it, with the rest drawn at random."""
        if self.env.rules.perfect_information:
            return self.state
        seat = jnp.int32(self.state.current_player)
        game = host_states.known_to(self.env, self.state.game, seat, self.chance)
        return jax.device_get(host_states.without_observation(self.env, game))

    def play(self, move: str) -> None:
        """Plays a move of the seat to move.

        Raises:
            ValueError: if it is not legal, or the game is over.
        """
        if is_over(self.state):
            raise ValueError("the game is over; begin a new one with new_game")
        action = self.env.text_to_action(self.state, move)
        text = self.env.action_to_text(self.state, action)
        after = host_states.step(self.env, self.state, jnp.int32(action), self.chance)
        self.state = jax.device_get(after)
        self.moves.append(text)

    def described(self) -> Document:
        """Returns the position in a document."""
        about = {"game_id": self.number, "game": self.env.id, "ply": len(self.moves)}
        if is_over(self.state):
            returns = (self.state.rewards + 0.0).tolist()
            return {**about, "is_over": True, "returns": returns, "board": self._last_board()}
        moves = self.env.legal_moves(self.state).values()
        return {**about, "is_over": False, **protocol.position(self.env, self.seen(), moves)}

    def _last_board(self) -> str | None:
        return None if self.env.text_boards is None else self.env.text_board(self.state)


class Games:
    """The games of one language model; every method is a tool."""

    def __init__(self, default: str, most: int) -> None:
        """Takes the game that is begun by default, and the most games that are kept."""
        self._default = default
        self._most = most
        self._games: dict[str, Game] = {}
        self._begun = 0
        self._allowance = Allowance(())  # a model names no files and runs no programs
        registry.make_env(default)

    def new_game(self, game: str = "", options: str = "", seed: int = 0) -> Document:
        """Begins a game and returns its position.

        Args:
            game: id of the game; empty: the default one.
            options: options of the game, such as "num_players=3", separated by commas.
            seed: decides the set-up and all chance of the game; a whole number of 64 bits.
        """
        checks.number(seed, -_MOST_SEED - 1, _MOST_SEED, "seed")
        env = registry.make_env(game or self._default, options)
        if env.notation is None:
            raise ValueError(f"{env.id} has no moves in words")
        self._begun += 1
        begun = Game(f"game-{self._begun}", env, jax.random.key(seed))
        self._games[begun.number] = begun
        if len(self._games) > self._most:
            del self._games[next(iter(self._games))]
        return begun.described()

    def position(self, game_id: str) -> Document:
        """Returns the position of a game: seat to move, position text, board and legal moves.

        A game that is over has `returns`, the outcome of each seat from -1 (lost) to 1 (won).
        """
        return self._find(game_id).described()

    def legal_moves(self, game_id: str) -> list[str]:
        """Returns the legal moves of the seat to move, in the notation that `play` takes."""
        found = self._find(game_id)
        return [] if is_over(found.state) else list(found.env.legal_moves(found.state).values())

    def play(self, game_id: str, move: str = "", agent: str = "") -> Document:
        """Plays a move for the seat to move and returns the position after it.

        Args:
            game_id: the game.
            move: one of the legal moves; empty if an agent decides.
            agent: the player that decides instead, such as "best", "random" or "level:number=2".
        """
        found = self._find(game_id)
        if bool(move) == bool(agent):
            raise ValueError("play takes a move, or an agent that decides: give one of them")
        found.play(move or self._judged(found, agent, 1).move)
        return {"played": found.moves[-1], **found.described()}

    def analyse(self, game_id: str, agent: str = "best", top: int = 5) -> Document:
        """Returns how an agent judges a position: its move, the best moves, and values of seats.

        Args:
            game_id: the game.
            agent: the player that judges, such as "best" or "minimax:depth=2".
            top: the most moves that are listed.
        """
        found = dataclasses.asdict(self._judged(self._find(game_id), agent, top))
        found["moves"] = [_without_none(move) for move in found["moves"]]
        return _without_none(found)

    def drawing(self, game_id: str, theme: str = "light") -> Any:
        """Returns a drawing of a position as the seat to move sees it, light or dark."""
        found = self._find(game_id)
        seat = None if is_over(found.state) else int(found.state.current_player)
        return found.env.render(found.state, theme=theme, seat=seat)

    def _judged(self, game: Game, agent: str, top: int) -> analysis.Analysis:
        spec = self._allowance.check(agent)
        player = registry.make_program(spec, game.env)
        return analysis.analyse(game.env, game.state, player, top, game.chance)

    def _find(self, game_id: str) -> Game:
        if game_id not in self._games:
            raise ValueError(unknown("game_id", game_id, self._games))
        return self._games[game_id]


def _without_none(fields: Document) -> Document:
    return {name: value for name, value in fields.items() if value is not None}
