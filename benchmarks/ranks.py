"""The rank of an agent among copies of another one, in games of two to five seats.

    python -m benchmarks.ranks --game=terra_mystica --env-options=num_players=4 --others=greedy

The agent has one seat, and copies of the other one have the rest. Games come in groups of one game
for each seat, all from the same position: the agent plays every seat once.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from agents import command_line
from benchmarks import environment, measuring
from jaxgames.matches.statistics import Mean, over_groups


class Standing(NamedTuple):
    """What one agent reached."""

    agent: str
    others: str
    games: int
    rank: Mean  # from 1, the best; seats with equal returns share the mean of their ranks
    firsts: Mean  # share of the games in which no seat did better; ties count in part
    points: Mean | None  # in games that count points
    points_of_others: Mean | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    parser = _parser()
    options = parser.parse(arguments)
    started = time.perf_counter()
    import jax

    from jaxgames.matches.match import devices_for, match
    from jaxgames.players import best, registry

    with measuring.user_errors(parser):
        env = registry.make_env(options.game, options.env_options)
        others = [registry.make_program(options.others, env)] * (env.num_players - 1)
        players = [registry.make_program(spec, env) for spec in options.agents]
    games = -(-options.games // env.num_players) * env.num_players
    standings = []
    for player in players:
        result = match(
            env,
            (player, *others),
            jax.random.key(options.seed),
            games,
            num_devices=devices_for(games, env),
        )
        points = None if result.points is None else np.asarray(result.points)
        returns = np.asarray(result.returns)
        standings.append(standing(player.name, options.others, returns, points))
    record = environment.record() | {
        "game": f"{options.game} {options.env_options}".strip(),
        "seats": env.num_players,
        **best.meaning([*options.agents, options.others], env),
        "seed": options.seed,
        "seconds": round(time.perf_counter() - started),
    }
    report = measuring.page("Ranks among copies of another agent", record, _table(standings))
    numbers = {"environment": record, "standings": [row._asdict() for row in standings]}
    measuring.write_result(options.output, report, numbers)


def standing(
    agent: str,
    others: str,
    returns: Float[np.ndarray, "games players"],
    points: Float[np.ndarray, "games players"] | None,
) -> Standing:
    """Returns what the first player reached; the games stand in groups (`matches/match.py`).

    Args:
        agent: name of the first player.
        others: name of all other players.
        returns: outcome of each player.
        points: points of each player, in games that count any.
    """
    num_players = returns.shape[1]
    own, rest = returns[:, :1], returns[:, 1:]
    better, equal = (rest > own).sum(axis=1), (rest == own).sum(axis=1)

    def mean(by_game: Float[np.ndarray, "games"]) -> Mean:
        return over_groups(by_game, num_players)

    return Standing(
        agent,
        others,
        len(returns),
        rank=mean(1 + better + equal / 2),
        firsts=mean((better == 0) / (1 + equal)),
        points=None if points is None else mean(points[:, 0]),
        points_of_others=None if points is None else mean(points[:, 1:].mean(axis=1)),
    )


def _table(standings: Sequence[Standing]) -> list[str]:
    header = ["agent", "others", "games", "mean rank", "first", "points", "points of the others"]
    return measuring.table(
        header,
        [
            [row.agent, row.others, row.games]
            + [_text(mean) for mean in (row.rank, row.firsts, row.points, row.points_of_others)]
            for row in standings
        ],
    )


def _text(mean: Mean | None) -> str:
    return "" if mean is None else f"{mean.value:.2f} ± {mean.error:.2f}"


def _parser() -> measuring.Parser:
    parser = measuring.Parser(
        "benchmarks.ranks",
        description="The rank of an agent among copies of another one.",
    )
    parser.add_argument("--game", default="terra_mystica")
    parser.add_argument("--env-options", default="", help="options of the game")
    parser.add_argument("--agents", nargs="+", metavar="SPEC", default=["best"])
    parser.add_argument("--others", metavar="SPEC", default="greedy")
    parser.add_argument(
        "--games",
        type=measuring.positive,
        default=400,
        help="rounded up to whole groups (default: %(default)s)",
    )
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "strength/ranks_{game}")
    return parser


if __name__ == "__main__":
    command_line.run(main)
