"""An agent of your own on the paper's 25 levels, against the paper's players.

    python -m papers.tribes.challenge --agent best --opponents RB RHEA MCTS

Two games make a group: both seats on one level. The groups take the levels in turn.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import command_line
from agents.arena.statistics import Mean, over_groups
from benchmarks import environment, measuring
from papers.tribes.study import games, paper


class Result(NamedTuple):
    """What an agent reached against one player of the paper."""

    opponent: str
    games: int
    wins: int
    score: Mean  # wins and half of the draws, as a share of the games
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays all pairs and writes the record."""
    parser = _parser()
    options = parser.parse(arguments)
    import jax

    from agents import registry

    with measuring.user_errors(parser):
        measuring.prepare_output(options.output, [])
        env = games.make_env(options.env_options)
        agent = registry.make(options.agent, env)
        opponents = {
            name: registry.make(paper.PLAYERS[name].format(calls=options.calls), env)
            for name in options.opponents
        }
    results: list[Result] = []
    for name, opponent in opponents.items():
        result = play(env, (agent, opponent), options.games, jax.random.key(options.seed))
        results.append(result._replace(opponent=name))
        print(f"{name}: {_percent(result.score)} of {result.games} games", flush=True)
        _write(options, results)  # a pair may take an hour: nothing is lost with the next


def _write(options: argparse.Namespace, results: Sequence[Result]) -> None:
    record = environment.record() | {
        "options": options.env_options or "those of the paper",
        "calls of a decision": options.calls,
        "seed": options.seed,
    }
    title = f"{options.agent} on the levels of the Tribes paper"
    rows = [
        [row.opponent, row.games, row.wins, _percent(row.score), round(row.seconds)]
        for row in results
    ]
    header = ["opponent", "games", "won", "score", "seconds"]
    report = measuring.page(title, record, measuring.table(header, rows))
    numbers = {"environment": record, "results": [row._asdict() for row in results]}
    measuring.write_result(options.output, report, numbers)


def play(env: Any, players: tuple[Any, Any], count: int, key: Any) -> Result:
    """Returns the result of a match, the first player's.

    Args:
        env: the paper's game.
        players: the agent and its opponent.
        count: games, rounded up to whole groups.
        key: of the match.
    """
    from agents.arena.match import match

    began = time.perf_counter()
    groups = -(-count // 2)
    starts = games.first_positions(env, range(groups))
    result = match(env, players, key, 2 * groups, starts=starts)
    returns = np.asarray(result.returns)[:, 0]
    return Result(
        opponent=players[1].name,
        games=len(returns),
        wins=int((returns > 0).sum()),
        score=over_groups((returns + 1) / 2, 2),
        seconds=time.perf_counter() - began,
    )


def _percent(mean: Mean) -> str:
    return f"{100 * mean.value:.1f} ± {100 * mean.error:.1f} %"


def _parser() -> measuring.Parser:
    parser = measuring.Parser(
        "papers.tribes.challenge",
        description="An agent against the players of the Tribes paper, on its levels.",
    )
    parser.add_argument("--agent", metavar="SPEC", default="best")
    parser.add_argument("--env-options", default="", help="options of the game, such as fog=true")
    parser.add_argument(
        "--opponents",
        nargs="+",
        choices=list(paper.PLAYERS),
        default=["RB", "RHEA", "MCTS"],
        help="players by the names of the paper (default: %(default)s)",
    )
    parser.add_argument(
        "--calls",
        type=measuring.positive,
        default=paper.CALLS,
        help="of the forward model, for one decision (default: %(default)s)",
    )
    parser.add_argument(
        "--games",
        type=measuring.positive,
        default=100,
        help="against each opponent, rounded up to both seats (default: %(default)s)",
    )
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "strength/tribes_levels")
    return parser


if __name__ == "__main__":
    command_line.run(main)
