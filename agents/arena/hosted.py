"""Matches with people, or with time for a move: games that are played one at a time on the host.

The games are those of any match: dealt, opened and seated by the same key. Agents decide in batches
of one game. A program of another process that fails to move loses its game.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from agents.external.process import Failure
from agents.terminal import asking
from agents.terminal.console import Console
from agents.terminal.host_player import HostPlayer
from agents.terminal.human import is_human
from agents.terminal.pondering import pondering
from jaxgames.analysis.host_states import step
from jaxgames.batching import trees
from jaxgames.env import Env
from jaxgames.matches import match_loop, resumable
from jaxgames.matches.match import identity as match_identity
from jaxgames.matches.match import make_setting
from jaxgames.matches.match_loop import MatchResult
from jaxgames.matches.plies import PlyRecord, add_to_hash, is_over
from jaxgames.players.player import Player, decides_on_host
from jaxgames.state import State


def is_needed(players: Sequence[Player]) -> bool:
    """Returns whether a person, or a player that decides on the host, takes part."""
    return any(is_human(player.agent) or decides_on_host(player.agent) for player in players)


class Games(NamedTuple):
    """The `B` games of a match, some at their ends, the others after their openings."""

    states: State[Any]  # without observations
    returns: Float[Array, "B seats"]
    noted: PlyRecord  # without columns for games that are not recorded


def match(
    env: Env[Any],
    players: Sequence[Player],
    key: PRNGKeyArray,
    num_games: int,
    opening_plies: int = 0,
    record: bool = False,
    checkpoint: resumable.Checkpoint | None = None,
) -> MatchResult:
    """Plays a match on the host and returns its games; the arguments are those of any match.

    A checkpoint keeps whole games.

    Raises:
        ValueError: if the numbers do not fit the game, or the file is not of this match.
        Left: if a person leaves.
    """
    setting = make_setting(env, players, num_games, opening_plies, record=record)
    _, _, play_key = jax.random.split(key, 3)
    begun = match_loop.begin(setting, key, None)
    games = Games(begun.states, begun.returns, begun.noted)
    table = _Table(env, players, np.asarray(setting.player_of_seat()), play_key)
    if checkpoint is None:
        games = table.play(games, num_games)
    else:
        games = resumable.run(
            lambda: games,
            table.play,
            lambda games: is_over(games.states),
            checkpoint,
            match_identity(setting, players, key, None),
        )
    return match_loop.finish(setting, begun._replace(**games._asdict()))


class _Table:
    """Where the games of a match are played, one after the other."""

    def __init__(
        self,
        env: Env[Any],
        players: Sequence[Player],
        seating: Int32[np.ndarray, "B seats"],
        key: PRNGKeyArray,
    ) -> None:
        self._env = env
        self._console = Console()
        self._hosts = [HostPlayer(env, player, self._console) for player in players]
        self._is_watched = any(host.is_human for host in self._hosts)
        self._seating = seating  # the player in each seat of each game
        self._key = key

    def play(self, games: Games, most: int) -> Games:
        """Returns the games after so many more have been played to their ends, or all.

        Raises:
            Left: if a person leaves.
        """
        games = jax.device_get(games)
        rows = [jax.tree.map(lambda x, n=n: x[n], games) for n in range(len(self._seating))]
        for game in np.flatnonzero(~is_over(games.states))[:most].tolist():
            rows[game] = self._play_one(game, rows[game])
        return trees.stack(rows)

    def _play_one(self, game: int, begun: Games) -> Games:
        """Returns a game at its end, as a row of `Games`."""
        env, hosts, console = self._env, self._hosts, self._console
        state, returns, noted = begun
        actions, keys, hashed = np.array(noted.actions), np.array(noted.keys), noted.hashes
        for host in hosts:
            host.new_game()
        seats = self._seating[game]
        title = " v ".join(hosts[player].name for player in seats)
        console.say(f"\ngame {game + 1} of {len(self._seating)}: {title}")
        while not is_over(state):
            ply = int(state.step_count)
            ply_key = jax.random.fold_in(jax.random.fold_in(self._key, game), ply)
            agent_key, chance_key = jax.random.split(jax.random.clone(ply_key))
            ponder_key = jax.random.fold_in(ply_key, 2)  # 0 and 1 are those of the split
            seat = int(state.current_player)
            player = int(seats[seat])
            # In games of more seats nobody ponders.
            ponder = hosts[int(seats[seat - 1])].pondering(state, ponder_key)
            try:
                with pondering(ponder, hosts[player].is_human, time.perf_counter):
                    action = hosts[player].choose(state, agent_key)
            except Failure as error:
                console.say(f"{hosts[player].name} loses: {error}")
                action = env.num_actions  # an illegal action, as the game and its record have it
            assert isinstance(action, int)  # no commands are offered
            if len(actions):
                actions[ply] = action
            if len(keys):
                keys[ply] = np.asarray(jax.random.key_data(chance_key))
            if self._is_watched and not hosts[player].is_human and action < env.num_actions:
                console.say(f"{hosts[player].name}: {_text(env, state, action)}")
            hashed = add_to_hash(jnp.asarray(hashed), jnp.int32(action))
            state = jax.device_get(step(env, state, jnp.int32(action), chance_key))
            returns = returns + state.rewards
        if self._is_watched:
            asking.show_board(env, state, console, None)
        console.say(f"game over: {title} {(returns + 0.0).tolist()}")
        record = PlyRecord(jnp.asarray(actions), jnp.asarray(keys), hashed)
        return Games(state, returns, record)


def _text(env: Env[Any], state: State[Any], action: int) -> str:
    """Returns what an opponent is told of an action."""
    if not env.rules.perfect_information:
        return "has moved"
    return env.action_to_text(state, action)
