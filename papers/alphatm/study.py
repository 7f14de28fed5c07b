"""The tables of the AlphaTM paper, with its figures beside ours: average final points by faction.

    python -m papers.alphatm.study --run runs/terra_mystica_alphatm-0

All parts are about Engineers and Halflings. `recorded` averages the recorded games of the heuristic
program that the paper compares itself with; `random`, `passing`, `untrained` and `trained` play
AlphaTM against itself, the last with the network of a run (`python -m
papers.alphatm.train`). papers/alphatm/README.md says what can be compared with what.
"""

import argparse
import pathlib
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring, points

if TYPE_CHECKING:
    from jaxgames.players.player import Player

GAME = "terra_mystica_alphatm"
FACTIONS = ("engineers", "halflings")
ORDERS = (FACTIONS, FACTIONS[::-1])  # of the seats
RANDOM_PLAYER, HUMAN = "random", "human"  # names among the recorded players
RECORD_FIELDS = {"agents": [str], "players": int, "factions": [str], "vp": [int]}
TRAINED = "trained"


class Average(NamedTuple):
    """Average final points of one faction; `error` is the standard error, None where not stated."""

    mean: float
    error: float | None
    games: int | None


class Row(NamedTuple):
    """One line of the table: the players and their average points."""

    who: str
    source: str
    players: str
    engineers: Average | None
    halflings: Average | None


STATED = (
    Row("AlphaTM, 10,000 iterations, last 1,000 games of self-play", "paper", "2",
        Average(34.12, None, 1000), Average(32.11, None, 1000)),
    Row("heuristic program", "paper", "not stated",
        Average(77.12, None, None), Average(92.21, None, None)),
    Row("people, online", "paper", "2",
        Average(127.72, None, 1543), Average(133.32, None, 2227)),
    Row("heuristic program", "replayed by us", "2",
        Average(111.9, 0.4, 1000), Average(126.7, 0.4, 1000)),
)  # fmt: skip
"""Figures that this study does not compute: the paper's, and those of a thousand games of the
heuristic program, some of which are among the recorded games."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes one record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        check(options)
        started = time.perf_counter()
        rows = [row for part in options.parts for row in PARTS[part](options)]
        record = environment.record() | {
            "games": options.games, "simulations": options.simulations, "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        }  # fmt: skip
        lines = report([*STATED, *rows])
        page = measuring.page("Terra Mystica: average final points", record, lines)
        numbers = {"environment": record, "rows": [_plain(row) for row in (*STATED, *rows)]}
        measuring.write_result(options.output, page, numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "papers.alphatm.study",
        description="The tables of the AlphaTM paper.",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=list(PARTS),
        default=[part for part in PARTS if part != TRAINED],
        help="trained is added by --run (default: %(default)s)",
    )
    parser.add_argument("--run", help="folder of a run, or its network.npz, for part 'trained'")
    parser.add_argument(
        "--games", type=measuring.positive, default=64, help="of self-play; an even number"
    )
    parser.add_argument(
        "--simulations", type=measuring.positive, default=32, help="of the search, for a decision"
    )
    parser.add_argument("--preset", default="cpu", help="network of part 'untrained'")
    parser.add_argument("--golden", type=pathlib.Path, help="folder of the recorded games")
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "papers/alphatm/study")
    return parser


def check(options: argparse.Namespace) -> None:
    """Checks the options against each other, and adds part 'trained' if there is a run.

    Raises:
        ValueError: for an odd number of games, or part 'trained' without a run that can be read.
    """
    if options.games % 2:
        raise ValueError(f"--games must be even, for both orders of seats; got {options.games}")
    if options.run is not None and TRAINED not in options.parts:
        options.parts.append(TRAINED)
    if options.run is None and TRAINED in options.parts:
        raise ValueError(f"part {TRAINED!r} needs --run, the folder of a run or its network.npz")
    if options.run is not None:
        from jaxgames.players.stored_networks import load_network

        load_network(options.run)  # before other parts have played for minutes


def recorded(options: argparse.Namespace) -> list[Row]:
    """Averages the recorded games, by number of players."""
    from benchmarks.golden.core import runner
    from benchmarks.golden.core.records import read_records

    directory = options.golden or runner.shared_directory("terra_mystica")
    points: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    files = sorted(path for path in directory.glob("*.jsonl.gz") if "decisions" not in path.name)
    if not files:
        raise ValueError(f"there are no recorded games in {directory}")
    for path in files:
        for game in read_records(path, RECORD_FIELDS):
            if not game.get("complete") or RANDOM_PLAYER in game["agents"]:
                continue
            who = "people, league" if HUMAN in game["agents"] else "heuristic program"
            pair = set(game["factions"]) == set(FACTIONS)
            who += ", against each other" if pair else ""
            for faction, vp in zip(game["factions"], game["vp"], strict=True):
                points[who, game["players"], faction].append(vp)
    kinds = sorted({(who, players) for who, players, faction in points if faction in FACTIONS})
    return [
        Row(
            who,
            "recorded games",
            str(players),
            *(_average(points[who, players, faction]) for faction in FACTIONS),
        )
        for who, players in kinds
    ]


def play_random(options: argparse.Namespace) -> list[Row]:
    """Plays uniformly random outputs."""
    from jaxgames.players import registry

    return [_self_play("random outputs", lambda env: registry.make("random", env), options)]


def play_passing(options: argparse.Namespace) -> list[Row]:
    """Passes at the first opportunity of every round; the rest at random."""
    from jaxgames.players.player import Player

    return [_self_play("passing at once", lambda env: Player("", _passing(env), ()), options)]


def _passing(env: Any) -> Any:
    """Returns an agent that passes where it may, and else draws from the legal outputs."""
    import jax
    import jax.numpy as jnp

    from jaxgames.search.agent import Decision
    from papers.alphatm.game import outputs

    number = jnp.arange(env.num_actions)
    is_pass = (number >= outputs.PASS) & (number < outputs.TOWN)

    class Passing:
        def reset(self, batch_size: int) -> tuple[()]:
            del batch_size
            return ()

        def act(self, params: Any, memory: Any, state: Any, key: Any) -> tuple[Decision, Any]:
            del params
            legal = jax.vmap(env.rules.legal_actions)(state)
            passes = legal & is_pass
            chosen = jnp.where(passes.any(axis=1, keepdims=True), passes, legal)
            action = jax.random.categorical(key, jnp.where(chosen, 0.0, -jnp.inf))
            values = jnp.zeros((len(legal), env.num_players))
            return Decision(action, chosen.astype(jnp.float32), values), memory

    return Passing()


def play_untrained(options: argparse.Namespace) -> list[Row]:
    """Plays the search with a network that has learned nothing."""
    import jax

    from configs.presets import preset
    from jaxgames.networks.network import make_network
    from jaxgames.search.evaluators.network import NetworkEvaluator

    network_config = preset("alphazero", GAME, options.preset).network

    def make(env: Any) -> "Player":
        network = make_network(env, network_config)
        params = jax.jit(network.init)(jax.random.key(options.seed))
        return _searching(env, NetworkEvaluator(env.rules, network), params, options)

    return [_self_play(f"untrained network, {options.simulations} simulations", make, options)]


def play_trained(options: argparse.Namespace) -> list[Row]:
    """Plays the search with the network of a run, and the network alone."""
    from jaxgames.players.network import PriorPolicy, load_evaluator
    from jaxgames.players.player import Player
    from jaxgames.players.stored_networks import load_network

    iteration = load_network(options.run)[1]["iteration"]

    def make(env: Any) -> "Player":
        return _searching(env, *load_evaluator(env, options.run), options)

    def make_alone(env: Any) -> "Player":
        evaluator, params = load_evaluator(env, options.run)
        return Player("network", PriorPolicy(env.rules, evaluator, temperature=1.0), params)

    after = f"after {iteration} iterations"
    return [
        _self_play(f"network {after}, {options.simulations} simulations", make, options),
        _self_play(f"network {after}, without search", make_alone, options),
    ]


def _searching(env: Any, evaluator: Any, params: Any, options: argparse.Namespace) -> "Player":
    """Returns the search of the paper's self-play, with noise at the root."""
    from jaxgames.players.player import Player
    from jaxgames.search.factories import puct_search

    search = puct_search(env.rules, evaluator, simulations=options.simulations, c_init=1.0)
    return Player("search", search, params)


def _self_play(who: str, make: Callable[[Any], "Player"], options: argparse.Namespace) -> Row:
    """Plays half of the games in each order of seats."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    import jaxgames

    deal_key, play_key = jax.random.split(jax.random.key(options.seed))
    keys = jax.random.split(deal_key, (len(ORDERS), options.games // 2))
    envs = [jaxgames.make(GAME, factions=",".join(order)) for order in ORDERS]
    dealt = [jax.vmap(env.rules.init)(key) for env, key in zip(envs, keys, strict=True)]
    starts = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *dealt)
    # From the start on, the rules are the same in both orders: one program plays all games.
    played = points.final_points(envs[0], make(envs[0]), starts, play_key)
    first, second = np.split(played, 2)
    by_faction = np.concatenate([first, second[:, ::-1]]).T
    return Row(who, "AlphaTM", "2", *(_average(column.tolist()) for column in by_faction))


def _average(values: Sequence[float]) -> Average | None:
    if not values:
        return None
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return Average(statistics.fmean(values), error, len(values))


def report(rows: Sequence[Row]) -> list[str]:
    """Returns the lines of the table."""
    cells = [
        [row.who, row.source, row.players, *map(_text, (row.engineers, row.halflings))]
        for row in rows
    ]
    header = ["who plays", "figures from", "players", "Engineers", "Halflings"]
    return [
        "Average final points, with the standard error and the number of games where known.",
        "",
        *measuring.table(header, cells),
    ]


def _text(average: Average | None) -> str:
    if average is None:
        return "-"
    error = "" if average.error is None else f" +- {average.error:.1f}"
    games = "" if average.games is None else f" ({average.games:,})"
    return f"{average.mean:.1f}{error}{games}"


def _plain(row: Row) -> dict[str, Any]:
    plain = row._asdict()
    for faction in FACTIONS:
        average: Average | None = plain[faction]
        plain[faction] = None if average is None else average._asdict()
    return plain


PARTS: Mapping[str, Callable[[argparse.Namespace], list[Row]]] = {
    "recorded": recorded,
    "random": play_random,
    "passing": play_passing,
    "untrained": play_untrained,
    TRAINED: play_trained,
}


if __name__ == "__main__":
    command_line.run(main)
