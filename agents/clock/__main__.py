"""`python -m agents.clock --players ms1 ms2 --scale=0.01`: a match with clocks."""

import json
import sys

import tyro

from configs.clock import ClockConfig

PROGRAM = "python -m agents.clock"


def main() -> int:
    """Runs the match; returns the exit code, 2 for bad input."""
    try:
        return run(tyro.cli(ClockConfig, prog=PROGRAM))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def run(config: ClockConfig) -> int:
    """Plays, and prints what each player did."""
    # Imported here, since they import jax: the help text and errors in options come at once.
    from rich.console import Console
    from rich.table import Column, Table

    from agents import registry
    from agents.arena import files
    from agents.clock import match, players

    if config.output is not None:
        files.check_writable("output", config.output)
    env = registry.make_env(config.game, config.env_options)
    clock = players.scaled_clock(config.scale)
    pair = [
        players.make(spec, env, clock, 2 * config.seed + index)
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
        result = {
            "players": [summary._asdict() for summary in summaries],
            "games": [
                game._asdict() | {"moves": [move._asdict() for move in game.moves]}
                for game in games
            ],
        }
        files.replace(config.output, json.dumps(result, indent=1) + "\n")
        console.print(f"results: {config.output}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
