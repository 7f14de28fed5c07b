"""Matches: many games at once between players that share the seats fairly.

A group has as many games as there are players. All games of a group start from the same position.
From game to game, the players move on by one seat, so each player plays every seat once.

In each tick, a player acts in a batch of games: as many games as there are groups, or fewer if the
match sets a width. If seats alternate, the same number of games waits for each player. The whole
batch then moves on by one ply, and each player computes only for the games that wait for it. If a
seat has several actions in a row, the games fall out of step. A player then acts only when enough
games wait for it, the furthest-behind games first, so it never computes for a half-empty batch.
Nothing depends on alternation. If an action has several plies, its later plies have ticks of their
own: a planner knows these plies already, and then none of its games needs a search.

If some games take several times as many plies as others, the last games would be left alone in a
batch. With a width below the number of groups, the furthest-behind games go first, so all games end
at about the same time.

A match with people is played on the host, one game after the other (`hosted.py`).

A match of hours can be kept in a file while it is played. If it is stopped, it goes on from the
file to the same end. Its last games can be played in a narrower batch, by a program of their own.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from agents.arena import hosted, plies, resumable, scheduling
from agents.player import Player
from jaxgames import jax_modes
from jaxgames.batches import select_rows
from jaxgames.env import Env, State
from jaxgames.search.agent import Agent, GameStates, Memory, Params


class PlayedPlies(NamedTuple):
    """The data from which the games can be played again."""

    starts: GameStates
    """Position of each group before its random opening."""
    actions: Int32[Array, "games max_steps"]
    """Random opening included; zero after the end."""
    keys: UInt32[Array, "games max_steps words"]
    """Data of the random key of each step; no columns in games without chance."""


class Tally(Protocol):
    """Counts something in games while they are played. Must be hashable."""

    def start(self, num_games: int) -> Any:
        """Returns the counts of `num_games` games before their first ply."""
        ...

    def add(self, counts: Any, games: GameStates, moves: Bool[Array, "games"]) -> Any:
        """Returns the counts, updated by the positions `games` before the next ply.

        `moves` is the mask of games in which a ply is about to be played.
        """
        ...


class MatchResult(NamedTuple):
    """The games of a match. Game `i` is number `i % players` of group `i // players`."""

    returns: Float[Array, "games players"]
    """Outcome for each player, in the order in which the players were given."""
    seats: Int32[Array, "games players"]
    """Seat of each player."""
    plies: Int32[Array, "games"]
    """Length of each game, random opening plies included."""
    winner: Int32[Array, "games"]
    """The player with the highest outcome, -1 if it is shared."""
    finals: GameStates
    """Position at the end of each game."""
    record: PlayedPlies | None = None
    """Positions and plies, if they were asked for."""
    points: Float[Array, "games players"] | None = None
    """Points of each player, in games that count any."""
    roles: Int32[Array, "games players"] | None = None
    """Role of each player (index into `Rules.roles`), in games that have roles."""
    counts: Any = None
    """Counts of the tally, if there was one."""


class _Setting(NamedTuple):
    """The static options of a match: a change needs another compilation."""

    env: Env[Any]
    agents: tuple[Agent, ...]  # of the players
    num_groups: int
    opening_plies: int
    record: bool
    tally: Tally | None
    width: int
    least: int = 0  # stops when at most this number of games is left

    @property
    def num_lanes(self) -> int:
        """`B`, the number of games."""
        return self.num_groups * len(self.agents)

    def player_of_seat(self) -> Int32[Array, "B seats"]:
        """Returns the player in each seat.

        In game `r` of a group, player `p` has seat `(p + r) % players`.
        """
        num_players = len(self.agents)
        rotation = jnp.arange(self.num_lanes)[:, None] % num_players
        return (jnp.arange(num_players) - rotation) % num_players


class _Progress(NamedTuple):
    """The loop's variables; `B` is groups x players."""

    deals: GameStates  # of each group, before its opening; nothing if there is no record
    states: State[Any]  # without observations
    returns: Float[Array, "B seats"]
    memories: tuple[Memory, ...]  # one for each player, for all B games
    noted: plies.Plies
    is_midway: Bool[Array, "B"]  # the action at hand needs another ply
    counts: Any  # of the tally
    tick: Int32[Array, ""]


@jax_modes.standard
def match(
    env: Env[Any],
    players: Sequence[Player],
    key: PRNGKeyArray,
    num_games: int,
    opening_plies: int = 0,
    record: bool = False,
    starts: GameStates | None = None,
    tally: Tally | None = None,
    width: int | None = None,
    checkpoint: resumable.Checkpoint | None = None,
    tail: int | None = None,
) -> MatchResult:
    """Plays a match and returns its games as NumPy arrays.

    Args:
        env: the game.
        players: one for each seat.
        key: decides set-ups and all choices; the same key gives the same match.
        num_games: a multiple of the number of seats.
        opening_plies: plies at the start of each game that are drawn at random, equal for all games
            of a group. A random ply that would end the game is left out.
        record: whether the result holds the plies.
        starts: position from which each group starts, before its opening; drawn if not given.
        tally: counts something while the games are played.
        width: largest number of games in which a player acts at once; by default the number of
            groups.
        checkpoint: keeps the match in a file while it is played, and continues it from the file.
        tail: width as soon as at most this number of games is left; only with `checkpoint`. It is
            worth its compilation in a match of hours.

    Raises:
        ValueError: if the numbers do not fit the game, or the file is not of this match.
    """
    check_match(env, len(players), num_games, opening_plies)
    num_groups = num_games // len(players)
    if width is not None and not 1 <= width <= num_groups:
        raise ValueError(f"width must be from 1 to {num_groups}, the number of groups; got {width}")
    if tail is not None and (checkpoint is None or not 1 <= tail <= (width or num_groups)):
        raise ValueError(
            f"tail must be from 1 to the width, {width or num_groups}, and needs a checkpoint; "
            f"got {tail}"
        )
    if starts is not None and {len(x) for x in jax.tree.leaves(starts)} != {num_groups}:
        raise ValueError(f"starts must be {num_groups} positions, one for each group")
    agents = tuple(player.agent for player in players)
    params = tuple(player.params for player in players)
    setting = _Setting(env, agents, num_groups, opening_plies, record, tally, width or num_groups)
    if hosted.has_humans(players):
        return _hosted(setting, players, key, starts)
    if checkpoint is None:
        return MatchResult(*jax.device_get(_play(setting, params, key, starts)))
    first = setting._replace(least=tail or 0)
    last = setting._replace(width=tail or setting.width)

    def advance(progress: _Progress, ticks: int) -> _Progress:
        left = int((~plies.is_over(progress.states)).sum())
        part = first if left > first.least else last
        return _advance_compiled(part, params, key, progress, ticks)

    progress = resumable.run(
        lambda: _start_compiled(setting, key, starts),
        advance,
        lambda progress: plies.is_over(progress.states),
        checkpoint,
        _identity(setting, players, key, starts) | ({} if tail is None else {"tail": tail}),
    )
    return MatchResult(*jax.device_get(_result_compiled(setting, progress)))


def _hosted(
    setting: _Setting, players: Sequence[Player], key: PRNGKeyArray, starts: GameStates | None
) -> MatchResult:
    """Plays a match with people, one game after the other."""
    if setting.tally is not None:
        raise ValueError("games of people are played one by one, in which no tally counts")
    _, _, play_key = jax.random.split(key, 3)
    progress = _start_compiled(setting, key, starts)
    states, returns, noted = hosted.play(
        setting.env, players, setting.player_of_seat(), progress.states, progress.noted, play_key
    )
    over = progress._replace(states=states, returns=returns, noted=noted)
    return MatchResult(*jax.device_get(_result_compiled(setting, over)))


def _identity(
    setting: _Setting, players: Sequence[Player], key: PRNGKeyArray, starts: GameStates | None
) -> dict[str, Any]:
    """Returns the values that identify this match in the file of a kept match."""
    return {
        "game": f"{setting.env.id}-v{setting.env.version}",
        "rules": repr(setting.env.rules),
        "players": [player.name for player in players],
        "networks": [resumable.fingerprint(player.params) for player in players],
        "games": setting.num_lanes,
        "opening_plies": setting.opening_plies,
        "width": setting.width,
        "key": jax.random.key_data(key).tolist(),
        "starts": resumable.fingerprint(starts),
    }


def check_match(env: Env[Any], num_players: int, num_games: int, opening_plies: int) -> None:
    """Raises a `ValueError` if a match with these numbers cannot be fair or played."""
    if num_players != env.num_players:
        raise ValueError(f"{env.id} is played by {env.num_players} players, got {num_players}")
    if num_games < 1 or num_games % num_players:
        raise ValueError(
            f"num_games must be a positive multiple of {num_players}, so that every player sits in "
            f"every seat equally often; got {num_games}"
        )
    if not 0 <= opening_plies < env.max_steps:
        raise ValueError(
            f"opening_plies must be from 0 to {env.max_steps - 1}, got {opening_plies}"
        )


def _start(setting: _Setting, key: PRNGKeyArray, starts: GameStates | None) -> _Progress:
    """Deals the games and plays their openings."""
    env, num_players = setting.env, len(setting.agents)
    deal_key, opening_key, _ = jax.random.split(key, 3)
    if starts is None:
        deals = jax.vmap(env.init)(jax.random.split(deal_key, setting.num_groups))
    else:
        deals = jax.vmap(env.wrap)(starts)
    deals = deals.replace(observation=())
    noted = plies.nothing(env, setting.num_groups, env.max_steps if setting.record else 0)
    opened, noted = plies.random_opening(env, deals, noted, opening_key, setting.opening_plies)
    states, noted = jax.tree.map(lambda x: jnp.repeat(x, num_players, axis=0), (opened, noted))
    return _Progress(
        deals=deals.game if setting.record else (),
        states=states,
        returns=jnp.zeros((setting.num_lanes, num_players), jnp.float32),
        memories=tuple(agent.reset(setting.num_lanes) for agent in setting.agents),
        noted=noted,
        is_midway=jnp.zeros(setting.num_lanes, bool),
        counts=() if setting.tally is None else setting.tally.start(setting.num_lanes),
        tick=jnp.int32(0),
    )


def _advance(
    setting: _Setting,
    params: tuple[Params, ...],
    key: PRNGKeyArray,
    progress: _Progress,
    ticks: Int32[Array, ""] | int | None = None,
) -> _Progress:
    """Plays on for at most `ticks` ticks, or until at most `setting.least` games are left."""
    _, _, play_key = jax.random.split(key, 3)
    last = jnp.iinfo(jnp.int32).max if ticks is None else progress.tick + ticks

    def goes_on(progress: _Progress) -> Bool[Array, ""]:
        left = (~plies.is_over(progress.states)).sum()
        return (left > setting.least) & (progress.tick < last)

    tick = functools.partial(_tick, setting, params, play_key)
    return jax.lax.while_loop(goes_on, tick, progress)


def _result(setting: _Setting, progress: _Progress) -> MatchResult:
    """Returns the result of a match that is over."""
    rules, player_of_seat = setting.env.rules, setting.player_of_seat()
    seats = player_of_seat.argsort(axis=1).astype(jnp.int32)
    returns = jnp.take_along_axis(progress.returns, seats, axis=1)
    is_top = returns == returns.max(axis=1, keepdims=True)
    winner = jnp.where(is_top.sum(axis=1) == 1, is_top.argmax(axis=1), -1)

    def of_players(of_seats: Callable[[Any], Array]) -> Array:
        by_seat = jax.vmap(of_seats)(progress.states.game)
        return jnp.take_along_axis(by_seat, seats, axis=1)

    return MatchResult(
        returns,
        seats,
        progress.states.step_count,
        winner.astype(jnp.int32),
        progress.states.game,
        PlayedPlies(progress.deals, *progress.noted) if setting.record else None,
        points=of_players(rules.score) if rules.counts_points else None,
        roles=of_players(rules.role) if rules.roles else None,
        counts=None if setting.tally is None else progress.counts,
    )


@functools.partial(jax.jit, static_argnames="setting")
def _play(
    setting: _Setting, params: tuple[Params, ...], key: PRNGKeyArray, starts: GameStates | None
) -> MatchResult:
    """Plays a whole match."""
    progress = _advance(setting, params, key, _start(setting, key, starts))
    return _result(setting, progress)


_start_compiled = jax.jit(_start, static_argnames="setting")
_advance_compiled = jax.jit(_advance, static_argnames="setting", donate_argnames="progress")
_result_compiled = jax.jit(_result, static_argnames="setting")


def _tick(
    setting: _Setting, params: tuple[Params, ...], key: PRNGKeyArray, progress: _Progress
) -> _Progress:
    """Lets players act in games that wait for them, and plays the moves.

    While some games are in the middle of an action, only these games are due.
    """
    env, tally, width = setting.env, setting.tally, setting.width
    num_players, num_lanes = len(setting.agents), setting.num_lanes
    states, running = progress.states, ~plies.is_over(progress.states)
    midway = running & progress.is_midway
    due = jnp.where(midway.any(), midway, running)
    player_of_seat = setting.player_of_seat()
    player = jnp.take_along_axis(player_of_seat, states.current_player[:, None], axis=1)[:, 0]
    chance_key, *agent_keys = jax.random.split(
        jax.random.fold_in(key, progress.tick), num_players + 1
    )
    waits = due & (player == jnp.arange(num_players)[:, None])
    waits &= (midway.any() | scheduling.has_enough(waits.sum(axis=1), width))[:, None]
    actions = jnp.zeros(num_lanes, jnp.int32)
    is_decided = jnp.zeros(num_lanes, bool)
    how_far = states.step_count, jax.vmap(env.rules.turns_played)(states.game)
    memories = []
    for index, agent in enumerate(setting.agents):
        lanes, asked = scheduling.furthest_behind(waits[index], how_far, ~running, width)
        memory = progress.memories[index]
        decision, memory = jax.lax.cond(
            asked.any(),
            functools.partial(scheduling.decide, env, agent),
            lambda params, memory, games, lanes, asked, key: (jnp.zeros_like(lanes), memory),
            params[index],
            memory,
            states.game,
            lanes,
            asked,
            agent_keys[index],
        )
        memories.append(memory)
        actions = actions.at[jnp.where(asked, lanes, num_lanes)].set(decision, mode="drop")
        is_decided = is_decided.at[lanes].max(asked)

    chance_keys = jax.random.split(chance_key, num_lanes)
    moved = jax.vmap(env.step)(states, actions, chance_keys).replace(observation=())
    completes = jax.vmap(env.rules.completes_action)(states.game, actions)
    counts = progress.counts
    if tally is not None:
        counts = tally.add(counts, states.game, is_decided)
    states = select_rows(is_decided, moved, states)
    returns = progress.returns + jnp.where(is_decided[:, None], moved.rewards, 0.0)
    noted = plies.note(progress.noted, progress.states, actions, chance_keys, is_decided)
    return _Progress(
        deals=progress.deals,
        states=states,
        returns=returns,
        memories=tuple(memories),
        noted=noted,
        is_midway=jnp.where(is_decided, ~completes, progress.is_midway),
        counts=counts,
        tick=progress.tick + 1,
    )
