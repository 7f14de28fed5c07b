"""The compiled loop of a match: the games of all groups, tick by tick.

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

Groups can be divided among devices: each device then plays a match of its own. On a CPU this keeps
all cores busy.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames.batching.trees import select_rows
from jaxgames.env import Env
from jaxgames.internal import devices
from jaxgames.internal.messages import title
from jaxgames.internal.program_cache import cached_jit
from jaxgames.matches import plies, scheduling
from jaxgames.matches.statistics import Score, count_different, repetition, score
from jaxgames.search.agent import Agent, GameStates, Memory, Params
from jaxgames.state import State


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
    """The games of a match. Game `i` is number `i % players` of group `i // players`.

    Printed, it is a table of the scores.
    """

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
    action_hashes: UInt32[Array, "games"]
    """A hash of all actions of each game, in their order."""
    record: PlayedPlies | None = None
    """Positions and plies, if they were asked for."""
    points: Float[Array, "games players"] | None = None
    """Points of each player, in games that count any."""
    roles: Int32[Array, "games players"] | None = None
    """Role of each player (index into `Rules.roles`), in games that have roles."""
    counts: Any = None
    """Counts of the tally, if there was one."""
    names: tuple[str, ...] = ()
    """Name of each player."""

    @property
    def scores(self) -> tuple[Score, ...]:
        """The score of each player: mean in [0, 1], standard error, wins, draws and losses."""
        returns = np.asarray(self.returns)
        return tuple(score(returns, player) for player in range(returns.shape[1]))

    @property
    def different(self) -> int:
        """Number of different games; equal ones have equal seats, actions and final position."""
        num_players = np.shape(self.returns)[1]
        return count_different(np.asarray(self.action_hashes), self.finals, num_players)

    def __repr__(self) -> str:
        scores = self.scores
        names = self.names or [f"player {player}" for player in range(len(scores))]
        width = max(map(len, names))
        lines = [
            f"{name:{width}}  {100 * s.mean:5.1f} ± {100 * s.standard_error:.1f} %  "
            f"{s.wins} won, {s.draws} drawn, {s.losses} lost"
            for name, s in zip(names, scores, strict=True)
        ]
        lines.append(f"{len(self.plies)} games, {np.mean(self.plies):.1f} plies each")
        if warning := repetition(self.different, len(self.plies), "opening_plies"):
            lines.append(warning)
        return "\n".join(lines)


class Setting(NamedTuple):
    """The static options of a match: a change needs another compilation."""

    env: Env[Any]
    agents: tuple[Agent, ...]  # of the players
    num_groups: int
    opening_plies: int
    record: bool
    tally: Tally | None
    width: int
    least: int = 0  # stops when at most this number of games is left
    num_devices: int = 1

    @property
    def num_lanes(self) -> int:
        """`B`, the number of games."""
        return self.num_groups * len(self.agents)

    def mesh(self) -> Mesh:
        """Returns the devices that divide the groups."""
        return devices.make_mesh(jax.local_devices()[: self.num_devices])

    def player_of_seat(self) -> Int32[Array, "B seats"]:
        """Returns the player in each seat.

        In game `r` of a group, player `p` has seat `(p + r) % players`.
        """
        num_players = len(self.agents)
        rotation = jnp.arange(self.num_lanes)[:, None] % num_players
        return (jnp.arange(num_players) - rotation) % num_players


class MatchProgress(NamedTuple):
    """The loop's variables; `B` is groups x players."""

    deals: GameStates  # of each group, before its opening; nothing if there is no record
    states: State[Any]  # without observations
    returns: Float[Array, "B seats"]
    memories: tuple[Memory, ...]  # one for each player, for all B games
    noted: plies.PlyRecord
    is_midway: Bool[Array, "B"]  # the action at hand needs another ply
    counts: Any  # of the tally
    tick: Int32[Array, "devices"]


def _start(setting: Setting, key: PRNGKeyArray, starts: GameStates | None) -> MatchProgress:
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
    return MatchProgress(
        deals=deals.game if setting.record else (),
        states=states,
        returns=jnp.zeros((setting.num_lanes, num_players), jnp.float32),
        memories=tuple(agent.reset(setting.num_lanes) for agent in setting.agents),
        noted=noted,
        is_midway=jnp.zeros(setting.num_lanes, bool),
        counts=() if setting.tally is None else setting.tally.start(setting.num_lanes),
        tick=jnp.zeros(setting.num_devices, jnp.int32),
    )


def _advance(
    setting: Setting,
    params: tuple[Params, ...],
    key: PRNGKeyArray,
    progress: MatchProgress,
    ticks: Int32[Array, ""] | np.int32 | None = None,
) -> MatchProgress:
    """Plays on for at most `ticks` ticks, or until at most `setting.least` games are left."""
    if setting.num_devices == 1:
        return _advance_part(setting, params, key, progress, ticks)
    part = setting._replace(
        num_groups=setting.num_groups // setting.num_devices,
        width=-(-setting.width // setting.num_devices),
        num_devices=1,
    )

    def advance_part(
        params: tuple[Params, ...], key: PRNGKeyArray, progress: MatchProgress, ticks: Any
    ) -> MatchProgress:
        return _advance_part(part, params, devices.device_key(key), progress, ticks)

    copied, split = devices.COPIED, devices.SPLIT
    everywhere = devices.on_each_device(
        advance_part, setting.mesh(), (copied, copied, split, copied), split
    )
    moved: MatchProgress = everywhere(params, key, progress, ticks)
    return moved


def _advance_part(
    setting: Setting,
    params: tuple[Params, ...],
    key: PRNGKeyArray,
    progress: MatchProgress,
    ticks: Int32[Array, ""] | np.int32 | None,
) -> MatchProgress:
    """Plays on with the games of one device."""
    _, _, play_key = jax.random.split(jax.random.clone(key), 3)  # `_start` uses the other parts
    last = jnp.iinfo(jnp.int32).max if ticks is None else progress.tick + ticks

    def goes_on(progress: MatchProgress) -> Bool[Array, ""]:
        left = (~plies.is_over(progress.states)).sum()
        return (left > setting.least) & (progress.tick < last)[0]

    tick = functools.partial(_tick, setting, params, play_key)
    return jax.lax.while_loop(goes_on, tick, progress)


def _result(setting: Setting, progress: MatchProgress) -> MatchResult:
    """Returns the result of a match that is over."""
    rules, player_of_seat = setting.env.rules, setting.player_of_seat()
    noted = progress.noted
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
        noted.hashes,
        PlayedPlies(progress.deals, noted.actions, noted.keys) if setting.record else None,
        points=of_players(rules.score) if rules.counts_points else None,
        roles=of_players(rules.role) if rules.roles else None,
        counts=None if setting.tally is None else progress.counts,
    )


def _purpose(setting: Setting) -> str:
    return f"a match in {title(setting.env.id)}"


_START = cached_jit.jit(_start, static_argnames="setting", label=_purpose)
advance = cached_jit.jit(
    _advance, static_argnames="setting", donate_argnames="progress", label=_purpose
)
_RESULT = cached_jit.jit(_result, static_argnames="setting", label=_purpose)


def begin(setting: Setting, key: PRNGKeyArray, starts: GameStates | None) -> MatchProgress:
    """Returns the games after their openings, on the devices that play them."""
    progress = _START(setting, key, starts)
    if setting.num_devices == 1:
        return progress
    return jax.device_put(progress, NamedSharding(setting.mesh(), devices.SPLIT))


def finish(setting: Setting, progress: MatchProgress) -> MatchResult:
    """Returns the result of a match that is over, as NumPy arrays."""
    if setting.num_devices > 1:
        progress = jax.device_get(progress)  # the result is computed on one device
    return MatchResult(*jax.device_get(_RESULT(setting, progress)))


def _tick(
    setting: Setting, params: tuple[Params, ...], key: PRNGKeyArray, progress: MatchProgress
) -> MatchProgress:
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
        jax.random.fold_in(key, progress.tick[0]), num_players + 1
    )
    waits = due & (player == jnp.arange(num_players)[:, None])
    waits &= (midway.any() | scheduling.has_enough(waits.sum(axis=1), width))[:, None]
    actions = jnp.zeros(num_lanes, jnp.int32)
    is_decided = jnp.zeros(num_lanes, bool)
    how_far = states.step_count, jax.vmap(env.rules.turns_played)(states.game)
    memories = []
    for index, agent in enumerate(setting.agents):
        lanes, is_filled = scheduling.furthest_behind(waits[index], how_far, ~running, width)
        memory = progress.memories[index]
        decision, memory = jax.lax.cond(
            is_filled.any(),
            functools.partial(scheduling.decide, env, agent),
            lambda params, memory, games, lanes, is_filled, key: (jnp.zeros_like(lanes), memory),
            params[index],
            memory,
            states.game,
            lanes,
            is_filled,
            agent_keys[index],
        )
        memories.append(memory)
        actions = actions.at[jnp.where(is_filled, lanes, num_lanes)].set(decision, mode="drop")
        is_decided = is_decided.at[lanes].max(is_filled)

    chance_keys = jax.random.split(chance_key, num_lanes)
    moved = jax.vmap(env.step)(states, actions, chance_keys).replace(observation=())
    completes = jax.vmap(env.rules.completes_action)(states.game, actions)
    counts = progress.counts
    if tally is not None:
        counts = tally.add(counts, states.game, is_decided)
    states = select_rows(is_decided, moved, states)
    returns = progress.returns + jnp.where(is_decided[:, None], moved.rewards, 0.0)
    noted = plies.note(progress.noted, progress.states, actions, chance_keys, is_decided)
    return MatchProgress(
        deals=progress.deals,
        states=states,
        returns=returns,
        memories=tuple(memories),
        noted=noted,
        is_midway=jnp.where(is_decided, ~completes, progress.is_midway),
        counts=counts,
        tick=progress.tick + 1,
    )
