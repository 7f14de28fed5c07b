"""`python -m agents.play --terminal`: a game on the terminal, people and agents in any seats.

The game is a record (`jaxgames.records`) all the time: what is saved, loaded, taken back and
continued is the record.
"""

import pathlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from agents.analyse import game_files
from agents.play import seating
from agents.terminal import asking
from agents.terminal.asking import Command
from agents.terminal.console import Console, Left
from agents.terminal.host_player import HostPlayer
from agents.terminal.pondering import pondering
from configs.play import PlayConfig
from jaxgames import records
from jaxgames.analysis.host_states import begin, step, without_observation
from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.players import registry
from jaxgames.players.stand_ins import stands_for
from jaxgames.records import Record
from jaxgames.records.replay import is_over, positions
from jaxgames.state import State

COMMANDS = {
    "undo": "take back your last move, and what followed it",
    "save FILE": "write the game to a file; .oni and .ledger files for games that have them",
    "load FILE": "go on with the game of a file",
    "resign": "give up",
    "new": "begin a new game",
}
DEFAULT_FILE = "game.jsonl"
DEFAULT_GAME = "onitama"


class TerminalGame:
    """A game in progress: its record, its positions and its players."""

    def __init__(
        self, env: Env[Any], specs: Sequence[str], console: Console, seed: int | None = None
    ) -> None:
        """Makes the players.

        Args:
            env: the game.
            specs: what plays each seat: an agent spec, `human` or `human:name=Ann`.
            console: where people are asked.
            seed: decides set-ups and all chance; None: other games every time.

        Raises:
            ValueError: for a wrong number of seats, an unknown agent, or one that cannot play.
        """
        if len(specs) != env.num_players:
            raise ValueError(f"{env.id} has {env.num_players} seats, got {len(specs)}: {specs}")
        self.env = env
        self.console = console
        self.specs = tuple(stands_for(spec, env) for spec in specs)
        self.hosts = [HostPlayer(env, registry.make(spec, env), console) for spec in specs]
        self._key = jax.random.key(secrets.randbits(32) if seed is None else seed)
        self.new()

    @property
    def state(self) -> State[Any]:
        """The position."""
        return self.states[-1]

    def new(self, state: State[Any] | None = None) -> None:
        """Begins a game, from a position or from a new set-up."""
        if state is None:
            first = begin(self.env, self._next_key())
        else:
            first = without_observation(self.env, state.game)
        self.states = [jax.device_get(first)]
        self.record = records.begin(self.env, self.state, self.specs)
        self._forget()

    def load(self, path: pathlib.Path) -> None:
        """Goes on with the game of a file, from its last position, with the players of this table.

        Raises:
            ValueError: if the file is no game, or one of another game or of other options.
        """
        self.go_on(read_game(self.env, path), path)

    def go_on(self, record: Record, path: pathlib.Path) -> None:
        """Goes on with a game that was read from a file; raises as `load`."""
        made = records.make_env(record)
        if made != self.env:
            raise ValueError(
                f"{path} is a game of {record.game} with options {dict(record.options)}; start the "
                "program for it"
            )
        played = list(positions(self.env, record))
        self.states = [jax.device_get(state.replace(observation=())) for state in played]
        seats = tuple(records.Seat(spec) for spec in self.specs)
        self.record = record._replace(seats=seats, returns=None, ending="")
        if is_over(self.state):
            self.record = self.record._replace(returns=record.returns)
        self._forget()

    def save(self, path: pathlib.Path) -> None:
        """Writes the game to a file.

        Raises:
            ValueError: for another suffix than those of records and of the formats of the game.
            OSError: if it cannot be written.
        """
        if game_files.is_of_records(path, self.env.id):
            records.write(path, self.record)
        else:
            records.export_game(self.env, path, self.record)

    def play(self, action: int, seconds: float | None = None) -> None:
        """Plays an action of the seat to move."""
        key = self._next_key()
        before = self.state
        after = jax.device_get(step(self.env, before, jnp.int32(action), key))
        self.record = records.add(
            self.env, self.record, before, action, after, key=key, seconds=seconds
        )
        self.states.append(after)

    def undo(self) -> bool:
        """Takes back the last move of the person to move, and all after it; returns whether."""
        seat = int(self.state.current_player)
        for number in reversed(range(len(self.states) - 1)):
            if int(self.states[number].current_player) == seat:
                self.states = self.states[: number + 1]
                self.record = records.shorten(self.env, self.record, number, self.state)
                self._forget()
                return True
        return False

    def resign(self) -> None:
        """Ends the game as a loss of the seat to move."""
        count = self.env.num_players
        share = 1 / max(count - 1, 1)
        outcome = np.full(count, share)
        outcome[int(self.state.current_player)] = -1.0
        self.record = records.finish(self.record, outcome.tolist(), "resignation")

    def decide(self) -> int | Command:
        """Returns the action of the player to move, or the command of a person.

        Raises:
            Left: if a person leaves.
        """
        seat = int(self.state.current_player)
        host, key = self.hosts[seat], self._next_key()
        # In games of more seats nobody ponders.
        opponent = self.hosts[seat - 1]
        ponder = opponent.pondering(self.state, jax.random.fold_in(key, 0))
        with pondering(ponder, host.is_human, time.perf_counter):
            return host.choose(self.state, key, COMMANDS)

    def _forget(self) -> None:
        for host in self.hosts:
            host.new_game()

    def _next_key(self) -> Any:
        self._key, key = jax.random.split(self._key)
        return key


def read_game(env: Env[Any], path: pathlib.Path) -> Record:
    """Returns the first game of a file of records, or the game of another format that `env` has.

    Raises:
        ValueError: if it is no such file.
    """
    if game_files.is_of_records(path, env.id):
        return records.read(path)[0]
    return records.import_game(env, path)


def run(config: PlayConfig) -> None:
    """Plays a game on the terminal."""
    record = None
    if config.load is None:
        env = registry.make_env(config.game or DEFAULT_GAME, config.env_options)
    else:  # a record says which game it is, and with which options
        env, record = game_files.read(config.load, config.game or DEFAULT_GAME, config.env_options)
    table = TerminalGame(env, seating.seats(env, config.seats), Console(), config.seed)
    if config.load is not None and record is not None:
        table.go_on(record, config.load)
    if config.position is not None:
        table.new(env.text_to_state(config.position))
    play(table, config.save)


def play(table: TerminalGame, save: pathlib.Path | None = None) -> None:
    """Plays on until a game is over or a person leaves.

    Args:
        table: the game.
        save: file that the game is written to after every move.
    """
    console = table.console
    if save is not None:
        files.check_writable("save", save)
    try:
        while table.record.returns is None:
            choice = table.decide()
            if isinstance(choice, Command):
                _obey(table, choice)
            else:
                _move(table, choice)
            if save is not None:
                _keep(table, save)
    except Left as reason:
        where = f"; it is in {save}" if save is not None else ""
        console.say(f"{reason}{where}")
        return
    asking.show_board(table.env, table.state, console, None)
    console.say(_result(table))


def _keep(table: TerminalGame, path: pathlib.Path) -> None:
    """Saves a game; a file that cannot be written is told, and the game goes on."""
    try:
        table.save(path)
    except (ValueError, OSError) as error:
        table.console.say(f"error: the game is not saved: {error}")


def _move(table: TerminalGame, action: int) -> None:
    host = table.hosts[int(table.state.current_player)]
    seat, before = int(table.state.current_player), table.state
    table.play(action)
    if not host.is_human:
        is_open = table.env.rules.perfect_information or not any(h.is_human for h in table.hosts)
        text = table.env.action_to_text(before, action) if is_open else "has moved"
        table.console.say(f"{host.name} (seat {seat}): {text}")


def _obey(table: TerminalGame, command: Command) -> None:
    """Carries out a command; what is wrong with it is told, and the game goes on."""
    path = pathlib.Path(command.argument or DEFAULT_FILE)
    actions: dict[str, Callable[[], object]] = {
        "undo": lambda: None if table.undo() else table.console.say("there is nothing to undo"),
        "save": lambda: table.save(path),
        "load": lambda: table.load(path),
        "resign": table.resign,
        "new": table.new,
    }
    try:
        actions[command.word]()
    except (ValueError, OSError) as error:
        table.console.say(f"error: {error}")
    else:
        if command.word in ("save", "load"):
            table.console.say(f"{command.word}: {path}")


def _result(table: TerminalGame) -> str:
    returns = table.record.returns or ()
    seats = [f"{host.name} {value:g}" for host, value in zip(table.hosts, returns, strict=True)]
    ending = f" ({table.record.ending})" if table.record.ending else ""
    return f"game over{ending}: {', '.join(seats)}"
