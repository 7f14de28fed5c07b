"""The command that plays a match with clocks."""

import dataclasses
import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from agents.clock import match, players
from agents.clock.match import TimedGame, TimedMove
from configs.clock import ClockConfig
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.matches.recording import check_game
from jaxgames.players import registry


def run(config: ClockConfig) -> None:
    """Plays the match, and prints a summary of each player."""
    for option, path in (("output", config.output), ("save_games", config.save_games)):
        if path is not None:
            files.check_writable(option, path)
            if path.exists():
                raise ValueError(f"{option}: {path} exists; name another file")
    env = registry.make_env(config.game, config.env_options)
    if config.save_games is not None:
        check_game(env)
    clock = players.scaled_clock(config.scale)
    pair = [
        players.make(spec, env, clock, 2 * config.seed + index, config.scale)
        for index, spec in enumerate(config.players)
    ]
    console = Console()
    games, summaries = match.match(
        env,
        pair,
        config.seconds,
        clock,
        config.games,
        config.opening_plies,
        config.seed,
        report=lambda game: console.print(_told(game)),
    )
    table = Table(
        *(
            Column(title, overflow="fold")
            for title in ("player", "won", "drawn", "lost", "on time", "seconds", "nodes", "depth")
        ),
        title=f"{config.game}, {config.seconds:g} s a game, 1 s takes {config.scale:g} s",
        caption="for a move: least / mean / most seconds and nodes; mean depth",
    )
    for summary in summaries:
        table.add_row(
            summary.name,
            *(str(n) for n in (summary.wins, summary.draws, summary.losses)),
            str(summary.losses_on_time),
            "/".join(f"{number:.1f}" for number in summary.seconds),
            "/".join(f"{number:.0f}" for number in summary.nodes),
            f"{summary.depth:.1f}",
        )
    console.print(table)
    if config.output is not None:
        options = dataclasses.asdict(config)
        del options["output"], options["save_games"]
        result = {
            "options": options,
            "players": [summary._asdict() for summary in summaries],
            "games": [_described(game) for game in games],
        }
        files.deliver_new(config.output, json.dumps(result, indent=1) + "\n")
        console.print(f"results: {config.output}", soft_wrap=True)
    if config.save_games is not None:
        played = [_record(env, config, number, game) for number, game in enumerate(games)]
        files.deliver_new(config.save_games, records.to_text(*played))
        console.print(f"games: {config.save_games}", soft_wrap=True)


def _told(game: TimedGame) -> str:
    """Returns what is printed of a game."""
    told = f"{len(game.moves)} plies, returns {game.returns} by {game.ended_by}"
    return f"{told}: {escape(game.failure)}" if game.failure else told


def _described(game: TimedGame) -> dict[str, Any]:
    """Returns a game as it stands among the results; `save_games` keeps its moves."""
    return {
        "returns": game.returns,
        "ended_by": game.ended_by,
        "failure": game.failure,
        "remaining": game.remaining,
        "plies": len(game.moves),
    }


def _record(env: Env[Any], config: ClockConfig, number: int, game: TimedGame) -> records.Record:
    """Returns the record of a game; comments of its moves say what their searches did."""
    seats = config.players if number % 2 == 0 else config.players[::-1]
    actions = [move.action for move in game.moves]
    tags = {"number": number, "clock": config.seconds, "remaining": list(game.remaining)}
    # Unless the rules end a game, its last move came too late or not at all.
    played = actions if game.ended_by == match.BY_RULES else actions[:-1]
    record = records.from_actions(env, env.wrap(game.start), played, seats, tags=tags)
    moves = [
        move._replace(seconds=timed.seconds, comment=_comment(timed))
        for move, timed in zip(record.moves, game.moves, strict=False)
    ]
    record = record._replace(moves=tuple(moves))
    if game.ended_by != match.BY_RULES:
        return records.finish(record, game.returns, game.ended_by)
    return record


def _comment(move: TimedMove) -> str:
    depth = f"depth {move.depth}, " if move.depth else ""  # that of a tree is not told
    return f"{depth}{move.nodes} nodes{', panic' if move.is_panic else ''}"
