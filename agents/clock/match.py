"""Games of two players with clocks: a player that runs out of time loses, as in the course."""

import functools
import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from agents.clock.player import TimedPlayer
from agents.terminal.pondering import pondering
from jaxgames.env import Env
from jaxgames.internal import programs
from jaxgames.search.real_time.pieces import Clock

BY_RULES, BY_TIME, BY_FAILURE = "rules", "time", "failure"


class TimedMove(NamedTuple):
    """One move of a game."""

    seat: int
    action: int
    seconds: float
    depth: int  # plies that the search finished
    nodes: int
    is_panic: bool


class TimedGame(NamedTuple):
    """A game that is over."""

    start: Any  # position before the first move
    moves: tuple[TimedMove, ...]
    returns: tuple[float, float]  # by seat
    ended_by: str  # `BY_RULES`; `BY_TIME`: the loser ran out of time; `BY_FAILURE`: it did not move
    remaining: tuple[float, float]  # seconds left, by seat; negative after an overrun
    failure: str = ""  # why the program of the loser made no move


class Summary(NamedTuple):
    """Results of a player in a match."""

    name: str
    wins: int
    draws: int
    losses: int
    losses_on_time: int
    moves: int
    seconds: tuple[float, float, float]  # least, mean and most for a move
    nodes: tuple[int, float, int]  # likewise
    depth: float  # mean plies finished
    panic: float  # share of moves in panic mode


def check_env(env: Env[Any]) -> None:
    """Checks that a game can be played with clocks.

    Raises:
        ValueError: if it is not for two seats, or it has chance or hidden information.
    """
    if env.num_players != 2:
        raise ValueError(f"a game with clocks needs two seats, {env.id} has {env.num_players}")
    if env.rules.stochastic or not env.rules.perfect_information:
        raise ValueError(
            f"a game with clocks needs full information without chance, which {env.id} has not; "
            f"{programs.command('agents.arena')} --seconds=1 plays it with a time for each move"
        )


def play(
    env: Env[Any],
    players: Sequence[TimedPlayer],
    seconds: float,
    clock: Clock,
    start: Any | None = None,
) -> TimedGame:
    """Plays a game and returns it; compilation is over before the clock starts.

    Args:
        env: the game.
        players: the two players, in the order of the seats.
        seconds: time for all moves of a player.
        clock: the clock of both players.
        start: position to begin with; None: the initial position of the game.

    Raises:
        ValueError: if the time is not positive, for another number of players, or as `check_env`.
    """
    if not seconds > 0:
        raise ValueError(f"seconds must be more than 0, got {seconds}")
    check_env(env)
    if len(players) != 2:
        raise ValueError(f"a game with clocks needs two players, got {len(players)}")
    look = functools.partial(_look, env.rules)
    game = env.rules.init(jax.random.key(0)) if start is None else start
    game, is_over, seat, returns = jax.device_get(look(game))
    for player in players:
        player.new_game()
        if not is_over:
            player.warm_up(game)
    if not is_over:
        # Compiled here as well; the action does not matter.
        jax.block_until_ready(_step(env.rules, game, np.int32(0)))

    first, remaining = game, [seconds, seconds]
    moves: list[TimedMove] = []
    while not is_over and len(moves) < env.max_steps:
        mover = int(seat)
        ponder = players[1 - mover].pondering(game)
        with pondering(ponder, players[mover].is_person, clock):
            begin = clock()
            choice = players[mover].act(game, remaining[mover])
            used = clock() - begin
        remaining[mover] -= used
        moves.append(
            TimedMove(mover, choice.action, used, choice.depth, choice.nodes, choice.plan.is_panic)
        )
        if remaining[mover] < 0 or choice.failure:
            lost = (-1.0, 1.0) if mover == 0 else (1.0, -1.0)
            ended_by = BY_TIME if remaining[mover] < 0 else BY_FAILURE
            left = (remaining[0], remaining[1])
            return TimedGame(first, tuple(moves), lost, ended_by, left, choice.failure)
        after = _step(env.rules, game, np.int32(choice.action))
        game, is_over, seat, returns = jax.device_get(look(after))
    ended = (float(returns[0]), float(returns[1]))
    return TimedGame(first, tuple(moves), ended, BY_RULES, (remaining[0], remaining[1]))


def match(
    env: Env[Any],
    players: Sequence[TimedPlayer],
    seconds: float,
    clock: Clock,
    num_games: int = 2,
    opening_plies: int = 0,
    seed: int = 0,
    report: Callable[[TimedGame], None] = lambda game: None,
) -> tuple[list[TimedGame], tuple[Summary, Summary]]:
    """Plays games in pairs from equal positions, with seats exchanged, and summarizes them.

    Args:
        env: the game.
        players: the two players; the first one has seat 0 in the games of even number.
        seconds: for all moves of a player in a game.
        clock: the clock of both players.
        num_games: an even number.
        opening_plies: plies at the start that are drawn at random. The players choose alike in
            equal positions, so without such plies all pairs are the same.
        seed: decides set-ups and openings.
        report: called after each game.

    Raises:
        ValueError: if the numbers do not fit, or for a player with a book and opening plies.
    """
    check_env(env)
    if num_games < 2 or num_games % 2:
        raise ValueError(f"games must be an even number of at least 2, got {num_games}")
    if not 0 <= opening_plies < env.max_steps:
        raise ValueError(
            f"opening_plies must be from 0 to {env.max_steps - 1}, got {opening_plies}"
        )
    for player in players:
        if player.book is not None and opening_plies:
            raise ValueError(
                f"{player.name} has a book, which knows positions at their own ply only: with it "
                f"opening_plies must be 0, got {opening_plies}"
            )
    games = []
    for pair in range(num_games // 2):
        key = jax.random.fold_in(jax.random.key(seed), pair)
        start = _opening(env, key, opening_plies)
        for seats in (players, players[::-1]):
            games.append(play(env, seats, seconds, clock, start))
            report(games[-1])
    first, second = (
        summarize(player.name, _of_player(games, index)) for index, player in enumerate(players)
    )
    return games, (first, second)


def summarize(name: str, games: Sequence[tuple[TimedGame, int]]) -> Summary:
    """Returns the summary of a player from games, each with the seat of the player."""
    moves = [move for game, seat in games for move in game.moves if move.seat == seat]
    outcomes = [np.sign(game.returns[seat]) for game, seat in games]
    lost_on_time = [game.ended_by == BY_TIME and game.returns[seat] < 0 for game, seat in games]
    seconds, nodes = [move.seconds for move in moves], [move.nodes for move in moves]
    return Summary(
        name=name,
        wins=outcomes.count(1),
        draws=outcomes.count(0),
        losses=outcomes.count(-1),
        losses_on_time=sum(lost_on_time),
        moves=len(moves),
        seconds=(min(seconds), statistics.fmean(seconds), max(seconds)),
        nodes=(min(nodes), statistics.fmean(nodes), max(nodes)),
        depth=statistics.fmean(move.depth for move in moves),
        panic=statistics.fmean(move.is_panic for move in moves),
    )


def _of_player(games: Sequence[TimedGame], index: int) -> list[tuple[TimedGame, int]]:
    """Returns all games of a match with the seat of a player."""
    return [(game, (index + number) % 2) for number, game in enumerate(games)]


def _opening(env: Env[Any], key: jax.Array, num_plies: int) -> Any:
    """Returns a set-up after random plies, none of which ends the game."""
    deal_key, ply_key = jax.random.split(key)
    game = env.rules.init(deal_key)
    for ply in range(num_plies):
        word = jax.random.bits(jax.random.fold_in(ply_key, ply))
        moved = _step(env.rules, game, _sample(env.rules, game, word))
        if not _look(env.rules, moved)[1]:
            game = moved
    return game


@functools.partial(jax.jit, static_argnames="rules")
def _look(rules: Any, game: Any) -> tuple[Any, Any, Any, Any]:
    """Returns a position, whether it is over, the seat to move, and the outcome."""
    return game, rules.is_over(game), rules.to_move(game), rules.returns(game)


@functools.partial(jax.jit, static_argnames="rules")
def _step(rules: Any, game: Any, action: Any) -> Any:
    return rules.step(game, action, None)


@functools.partial(jax.jit, static_argnames="rules")
def _sample(rules: Any, game: Any, word: Any) -> Any:
    return rules.sample_action(game, word)
