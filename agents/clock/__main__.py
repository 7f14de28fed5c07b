"""`python -m agents.clock --players ms1 ms2 --scale=0.01`: a match with clocks."""

import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

import tyro

from agents import command_line
from configs.clock import ClockConfig

if TYPE_CHECKING:
    from agents.clock.match import TimedGame
    from jaxgames.env import Env

PROGRAM = "python -m agents.clock"
DESCRIPTION = f"{ClockConfig.__doc__}\n\n{command_line.HELP}"


def main() -> int:
    """Runs the match; returns the exit code, 2 for bad input."""
    try:
        arguments = command_line.begin()
        return run(tyro.cli(ClockConfig, prog=PROGRAM, args=arguments, description=DESCRIPTION))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def run(config: ClockConfig) -> int:
    """Plays the match, and prints a summary of each player."""
    # Imported here, since they import jax: the help text and errors in options come at once.
    from rich.console import Console
    from rich.table import Column, Table

    from agents import registry
    from agents.clock import match, players
    from jaxgames import compilation_cache, files

    if config.output is not None:
        files.check_writable("output", config.output)
        if config.output.exists():
            raise ValueError(f"output: {config.output} exists; name another file")
    env = registry.make_env(config.game, config.env_options)
    clock = players.scaled_clock(config.scale)
    pair = [
        players.make(spec, env, clock, 2 * config.seed + index)
        for index, spec in enumerate(config.players)
    ]
    compilation_cache.announce_long_compilations()
    console = Console()
    games, summaries = match.match(
        env,
        pair,
        config.seconds,
        clock,
        config.games,
        config.opening_plies,
        config.seed,
        report=lambda game: console.print(
            f"{len(game.moves)} plies, returns {game.returns} by {game.ended_by}"
        ),
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
        del options["output"]
        result = {
            "options": options,
            "players": [summary._asdict() for summary in summaries],
            "games": [_describe(env, game) for game in games],
        }
        files.deliver_new(config.output, json.dumps(result, indent=1) + "\n")
        console.print(f"results: {config.output}", soft_wrap=True)
    return 0


def _describe(env: "Env[Any]", game: "TimedGame") -> dict[str, Any]:
    """Returns a game as it is saved: start and moves in the notation of the game, if it has one."""
    import jax

    state = env.wrap(game.start)
    start = None if env.notation is None else env.state_to_text(state)
    step, moves = jax.jit(env.step), []
    for move in game.moves:
        text = {} if env.notation is None else {"text": env.action_to_text(state, move.action)}
        moves.append(text | move._asdict())
        state = step(state, move.action)
    return game._asdict() | {"start": start, "moves": moves}


if __name__ == "__main__":
    command_line.run(main)
