"""Matches with people, or with time for a move: games that are played one at a time on the host.

The games are those of any match: dealt, opened and seated by the same key. Agents decide in batches
of one game. A program of another process that fails to move loses its game.
"""

import time
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray

from agents.external.process import Failure
from agents.terminal import asking
from agents.terminal.console import Console
from agents.terminal.host_player import HostPlayer
from agents.terminal.human import is_human
from agents.terminal.pondering import pondering
from jaxgames.analysis.host_states import step
from jaxgames.batching import trees
from jaxgames.env import Env
from jaxgames.matches import match_loop
from jaxgames.matches.match import make_setting
from jaxgames.matches.match_loop import MatchResult
from jaxgames.matches.plies import PlyRecord, is_over
from jaxgames.players.player import Player, decides_on_host
from jaxgames.state import State


def is_needed(players: Sequence[Player]) -> bool:
    """Returns whether a person, or a player that decides on the host, takes part."""
    return any(is_human(player.agent) or decides_on_host(player.agent) for player in players)


def match(
    env: Env[Any],
    players: Sequence[Player],
    key: PRNGKeyArray,
    num_games: int,
    opening_plies: int = 0,
    record: bool = False,
) -> MatchResult:
    """Plays a match on the host and returns its games; the arguments are those of any match.

    Raises:
        ValueError: if the numbers do not fit the game.
        Left: if a person leaves.
    """
    setting = make_setting(env, players, num_games, opening_plies, record=record)
    _, _, play_key = jax.random.split(key, 3)
    progress = match_loop.begin(setting, key, None)
    states, returns, noted = play(
        env, players, setting.player_of_seat(), progress.states, progress.noted, play_key
    )
    return match_loop.finish(
        setting, progress._replace(states=states, returns=returns, noted=noted)
    )


def play(
    env: Env[Any],
    players: Sequence[Player],
    seating: Int32[Array, "B seats"],
    states: State[Any],
    noted: PlyRecord,
    key: PRNGKeyArray,
    console: Console | None = None,
) -> tuple[State[Any], Array, PlyRecord]:
    """Plays games to their ends; returns their last positions, the returns of seats and the plies.

    Args:
        env: the game.
        players: the players.
        seating: the player in each seat of each game.
        states: the games after their openings, without observations.
        noted: the plies of the openings; without columns for games that are not recorded.
        key: decides all chance.
        console: where people are asked; by default the terminal of the process.

    Raises:
        Left: if a person leaves.
    """
    console = console or Console()
    hosts = [HostPlayer(env, player, console) for player in players]
    is_watched = any(host.is_human for host in hosts)
    states, noted = jax.device_get((states, noted))
    actions, keys = np.array(noted.actions), np.array(noted.keys)
    seats = np.asarray(seating)
    ends: list[State[Any]] = []
    returns = np.zeros(seats.shape, np.float32)
    for game in range(len(seats)):
        state = jax.tree.map(lambda x, game=game: x[game], states)
        for host in hosts:
            host.new_game()
        title = " v ".join(hosts[player].name for player in seats[game])
        console.say(f"\ngame {game + 1} of {len(seats)}: {title}")
        while not is_over(state):
            ply = int(state.step_count)
            ply_key = jax.random.fold_in(jax.random.fold_in(key, game), ply)
            agent_key, chance_key = jax.random.split(jax.random.clone(ply_key))
            ponder_key = jax.random.fold_in(ply_key, 2)  # 0 and 1 are those of the split
            seat = int(state.current_player)
            player = int(seats[game, seat])
            # In games of more seats nobody ponders.
            ponder = hosts[int(seats[game, seat - 1])].pondering(state, ponder_key)
            try:
                with pondering(ponder, hosts[player].is_human, time.perf_counter):
                    action = hosts[player].choose(state, agent_key)
            except Failure as error:
                console.say(f"{hosts[player].name} loses: {error}")
                action = env.num_actions  # an illegal action, as the game and its record have it
            assert isinstance(action, int)  # no commands are offered
            if actions.shape[1]:
                actions[game, ply] = action
            if keys.shape[1]:
                keys[game, ply] = np.asarray(jax.random.key_data(chance_key))
            if is_watched and not hosts[player].is_human and action < env.num_actions:
                console.say(f"{hosts[player].name}: {_text(env, state, action)}")
            state = jax.device_get(step(env, state, jnp.int32(action), chance_key))
            returns[game] += state.rewards
        if is_watched:
            asking.show_board(env, state, console, None)
        console.say(f"game over: {title} {(returns[game] + 0.0).tolist()}")
        ends.append(state)
    return (
        trees.stack(ends),
        jnp.asarray(returns),
        PlyRecord(jnp.asarray(actions), jnp.asarray(keys)),
    )


def _text(env: Env[Any], state: State[Any], action: int) -> str:
    """Returns what an opponent is told of an action."""
    if not env.rules.perfect_information:
        return "has moved"
    return env.action_to_text(state, action)
