"""The tables of the AlphaTM paper, with its figures beside ours: average final points by faction.

    python -m papers.alphatm.study --run runs/terra_mystica_alphatm-0

All parts are about Engineers and Halflings. `recorded` averages the recorded games of the heuristic
program that the paper compares itself with; `random`, `passing`, `untrained` and `trained` play
AlphaTM against itself, the last with the network of a run (`python -m
papers.alphatm.train`). papers/alphatm/README.md says what can be compared with what.
"""

import argparse
import dataclasses
import pathlib
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

import jaxgames
from agents import command_line
from benchmarks import environment, measuring, points
from benchmarks.golden.core import runner
from benchmarks.golden.core.records import read_records
from configs.presets import preset
from jaxgames.env import Env
from jaxgames.networks.network import make_network
from jaxgames.players import registry
from jaxgames.players.network import PriorPolicy, load_evaluator
from jaxgames.players.player import Player
from jaxgames.players.stored_networks import load_network
from jaxgames.search.agent import Decision, Memoryless
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.factories import puct_search
from papers import studies
from papers.alphatm.game import outputs

GAME = "terra_mystica_alphatm"
FACTIONS = ("engineers", "halflings")
ORDERS = (FACTIONS, FACTIONS[::-1])  # of the seats
RANDOM_PLAYER, HUMAN = "random", "human"  # names among the recorded players
RECORD_FIELDS = {"agents": [str], "players": int, "factions": [str], "vp": [int]}
TRAINED = "trained"
Average = dict[str, Any] | None  # final points of one faction; None without games
Row = dict[str, Any]


def row(who: str, source: str, players: str, *averages: Average) -> Row:
    """Returns one line of the table: who plays, and the average points of both factions."""
    return {
        "who": who,
        "source": source,
        "players": players,
        **dict(zip(FACTIONS, averages, strict=True)),
    }


def stated(mean: float, games: int | None = None, error: float | None = None) -> Average:
    """Returns average final points; `error` is the standard error, None where not stated."""
    return {"mean": mean, "error": error, "games": games}


STATED = (
    row("AlphaTM, 10,000 iterations, last 1,000 games of self-play", "paper", "2",
        stated(34.12, 1000), stated(32.11, 1000)),
    row("heuristic program", "paper", "not stated", stated(77.12), stated(92.21)),
    row("people, online", "paper", "2", stated(127.72, 1543), stated(133.32, 2227)),
    row("heuristic program", "replayed by us", "2",
        stated(111.9, 1000, 0.4), stated(126.7, 1000, 0.4)),
)  # fmt: skip
"""Figures that this study does not compute: the paper's, and those of a thousand games of the
heuristic program, some of which are among the recorded games."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes one record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        if options.games % 2:
            raise ValueError(f"--games must be even, for both orders of seats; got {options.games}")
        parts = [*options.parts, TRAINED] if options.run else options.parts
        if TRAINED in parts:
            if options.run is None:
                raise ValueError(f"part {TRAINED!r} needs --run, a run's folder or network.npz")
            load_network(options.run)  # before other parts have played for minutes
        began = time.perf_counter()
        rows = [*STATED, *(row for part in dict.fromkeys(parts) for row in PARTS[part](options))]
        record = environment.record() | {
            "games": options.games, "simulations": options.simulations, "seed": options.seed,
            "seconds": round(time.perf_counter() - began),
        }  # fmt: skip
        title = "Terra Mystica: average final points"
        studies.write(options.output, "alphatm", title, record, report(rows), {"rows": rows}, {})


def make_parser() -> measuring.Parser:
    """Returns the command line."""
    parser = measuring.Parser("papers.alphatm.study", "The tables of the AlphaTM paper.")
    add, own = parser.add_argument, [part for part in PARTS if part != TRAINED]
    add("--parts", nargs="+", choices=list(PARTS), default=own, help="--run adds 'trained'")
    add("--run", help="folder of a run, or its network.npz, for part 'trained'")
    add("--games", type=measuring.positive, default=64, help="of self-play; an even number")
    add("--simulations", type=measuring.positive, default=32, help="of the search, for a decision")
    add("--preset", default="cpu", help="network of part 'untrained'")
    add("--golden", type=pathlib.Path, help="folder of the recorded games")
    add("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "papers/alphatm/study")
    return parser


def recorded(options: argparse.Namespace) -> list[Row]:
    """Averages the recorded games, by number of players."""
    directory = options.golden or runner.shared_directory("terra_mystica")
    found: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    files = sorted(path for path in directory.glob("*.jsonl.gz") if "decisions" not in path.name)
    if not files:
        raise ValueError(f"there are no recorded games in {directory}")
    for game in (game for path in files for game in read_records(path, RECORD_FIELDS)):
        if not game.get("complete") or RANDOM_PLAYER in game["agents"]:
            continue
        who = "people, league" if HUMAN in game["agents"] else "heuristic program"
        who += ", against each other" if set(game["factions"]) == set(FACTIONS) else ""
        for faction, vp in zip(game["factions"], game["vp"], strict=True):
            found[who, game["players"], faction].append(vp)
    kinds = sorted({(who, players) for who, players, faction in found if faction in FACTIONS})
    return [
        row(
            who,
            "recorded games",
            f"{players}",
            *(average(found[who, players, x]) for x in FACTIONS),
        )
        for who, players in kinds
    ]


def play_random(options: argparse.Namespace) -> list[Row]:
    """Plays uniformly random outputs."""
    return [self_play("random outputs", lambda env: registry.make("random", env), options)]


@dataclasses.dataclass(frozen=True)
class Passing(Memoryless):
    """An agent that passes where it may, and else draws from the legal outputs."""

    env: Env[Any]

    def act(self, params: Any, memory: Any, state: Any, key: Any) -> tuple[Decision, Any]:
        """Returns a decision for each game."""
        del params
        number = jnp.arange(self.env.num_actions)
        legal = jax.vmap(self.env.rules.legal_actions)(state)
        passes = legal & (number >= outputs.PASS) & (number < outputs.TOWN)
        chosen = jnp.where(passes.any(axis=1, keepdims=True), passes, legal)
        action = jax.random.categorical(key, jnp.where(chosen, 0.0, -jnp.inf))
        values = jnp.zeros((len(legal), self.env.num_players))
        return Decision(action, chosen.astype(jnp.float32), values), memory


def play_passing(options: argparse.Namespace) -> list[Row]:
    """Passes at the first opportunity of every round; the rest at random."""
    return [self_play("passing at once", lambda env: Player("", Passing(env), ()), options)]


def play_untrained(options: argparse.Namespace) -> list[Row]:
    """Plays the search with a network that has learned nothing."""
    config = preset("alphazero", GAME, options.preset).network

    def make(env: Any) -> Player:
        network = make_network(env, config)
        params = jax.jit(network.init)(jax.random.key(options.seed))
        return searching(env, NetworkEvaluator(env.rules, network), params, options)

    return [self_play(f"untrained network, {options.simulations} simulations", make, options)]


def play_trained(options: argparse.Namespace) -> list[Row]:
    """Plays the search with the network of a run, and the network alone."""

    def make(env: Any) -> Player:
        return searching(env, *load_evaluator(env, options.run), options)

    def make_alone(env: Any) -> Player:
        evaluator, params = load_evaluator(env, options.run)
        return Player("network", PriorPolicy(env.rules, evaluator, temperature=1.0), params)

    after = f"network after {load_network(options.run)[1]['iteration']} iterations"
    return [
        self_play(f"{after}, {options.simulations} simulations", make, options),
        self_play(f"{after}, without search", make_alone, options),
    ]


def searching(env: Any, evaluator: Any, params: Any, options: argparse.Namespace) -> Player:
    """Returns the search of the paper's self-play, with noise at the root."""
    search = puct_search(env.rules, evaluator, simulations=options.simulations, c_init=1.0)
    return Player("search", search, params)


def self_play(who: str, make: Callable[[Any], Player], options: argparse.Namespace) -> Row:
    """Plays half of the games in each order of seats."""
    deal_key, play_key = jax.random.split(jax.random.key(options.seed))
    keys = jax.random.split(deal_key, (len(ORDERS), options.games // 2))
    envs = [jaxgames.make(GAME, factions=",".join(order)) for order in ORDERS]
    dealt = [jax.vmap(env.rules.init)(key) for env, key in zip(envs, keys, strict=True)]
    starts = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *dealt)
    # From the start on, the rules are the same in both orders: one program plays all games.
    found = {x.role: x for x in points.by_role(envs[0], make(envs[0]), starts, play_key)}
    own = (found[faction] for faction in FACTIONS)
    return row(who, "AlphaTM", "2", *(stated(x.mean, x.seats, x.error) for x in own))


def average(values: Sequence[float]) -> Average:
    """Returns the mean of some final points; None without any."""
    if not values:
        return None
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return stated(statistics.fmean(values), len(values), error)


def report(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the lines of the table, from its numbers."""

    def text(cell: Any) -> str:
        if not isinstance(cell, Mapping):
            return cell or "-"
        error = "" if cell["error"] is None else f" +- {cell['error']:.1f}"
        return f"{cell['mean']:.1f}{error}" + (f" ({cell['games']:,})" if cell["games"] else "")

    header = ["who plays", "figures from", "players", "Engineers", "Halflings"]
    return [
        "Average final points, with the standard error and the number of games where known.",
        "",
        *measuring.table(header, [list(map(text, row.values())) for row in rows]),
    ]


PARTS: Mapping[str, Callable[[argparse.Namespace], list[Row]]] = {
    "recorded": recorded,
    "random": play_random,
    "passing": play_passing,
    "untrained": play_untrained,
    TRAINED: play_trained,
}


if __name__ == "__main__":
    command_line.run(main)
