"""How strong a trained network is: matches, and agreement with solved positions.

    python -m benchmarks.strength --run=runs/onitama-0

Matches are played from equal set-ups with seats swapped, without noise. Games without a deal need
`--opening-plies`, or players without chance repeat one game. The trained network plays with and
without search. Beside it play an untrained network of the same size and an evaluator that knows
nothing, both with the same search. Onitama's solved endgames then tell how often moves and values
are right (`benchmarks/solved_positions.py`).
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("strength")

import argparse
import functools
import logging
import math
import pathlib
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from benchmarks import measuring, solved_positions
from benchmarks.commands import Report
from benchmarks.solved_positions import Agreement, Share, Solved
from jaxgames import Env
from jaxgames.matches.match import check_match, match
from jaxgames.matches.statistics import Score, score
from jaxgames.players import registry, stand_ins, stored_networks
from jaxgames.players.network import GUMBEL, PriorPolicy, load_evaluator, search_of
from jaxgames.players.player import Player
from jaxgames.search.agent import Agent
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.factories import TreeSettings


class Contest(NamedTuple):
    """The result of one player against one opponent."""

    player: str
    opponent: str
    score: Score
    plies: float  # mean length of the games
    is_direct: bool  # between two of the players, not against one of the common opponents
    different: int  # number of different games


def measure(options: argparse.Namespace) -> Report:
    """Plays all matches and examines all players of solved positions.

    Raises:
        ValueError: for a network, an agent or positions that cannot be used.
    """
    for noisy in ("absl", "orbax"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    started = time.perf_counter()
    path = str(options.run or options.checkpoint)
    meta = stored_networks.load_network(path)[1]
    env = registry.make_env(meta["game"], meta["env_options"])
    check_match(env, env.num_players, options.games, options.opening_plies)
    network = Network(env, path, options.seed)
    opponents = [registry.make_program(spec, env) for spec in options.opponents]
    earlier = [Network(env, file, options.seed) for file in options.earlier]
    more = [registry.make_program(spec, env) for spec in options.solvers]
    solved = _read_positions(env.id, options)
    contests = compete(env, network, opponents, options)
    agreements = {} if solved is None else examine(network, earlier, more, solved, options)
    return Report(
        "Strength of a trained network",
        render(contests, agreements),
        {
            "matches": [c._asdict() | {"score": c.score._asdict()} for c in contests],
            "agreement": {name: found.numbers() for name, found in agreements.items()},
        },
        {
            "network": _describe(meta),
            "games of each match": options.games,
            "random plies first": options.opening_plies,
            **stand_ins.meaning([*options.opponents, *options.solvers], env),
            "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        },
    )


class Network:
    """The players that one network makes, trained and untrained.

    Raises:
        ValueError: if it cannot be read or does not fit the game.
    """

    def __init__(self, env: Env[Any], path: str, seed: int):
        """Reads the network; `seed` makes the untrained parameters."""
        self._rules = env.rules
        self._evaluator, trained = load_evaluator(env, path)
        network: Any = self._evaluator.network
        self._params = {True: trained, False: network.init(jax.random.key(seed))}
        self.label = "/".join(pathlib.Path(path).parts[-2:])  # the last folder and the name

    def policy(self, name: str, is_trained: bool = True) -> Player:
        """Returns the network without search."""
        agent = PriorPolicy(self._rules, self._evaluator)
        return Player(f"{name}, no search", agent, self._params[is_trained])

    def search(self, name: str, simulations: int, is_trained: bool = True) -> Player:
        """Returns the network with search, without noise, by its own model if it has one."""
        agent = _search(self._rules, self._evaluator, simulations)
        return Player(f"{name}, {simulations} simulations", agent, self._params[is_trained])

    def blind_search(self, simulations: int) -> Player:
        """Returns the same search with an evaluator that knows nothing."""
        agent = _search(self._rules, Uniform(self._rules), simulations)
        return Player(f"uniform evaluator, {simulations} simulations", agent, ())


def compete(
    env: Env[Any],
    network: Network,
    opponents: Sequence[Player],
    options: argparse.Namespace,
) -> list[Contest]:
    """Plays all matches: four players against each opponent, then the first against the last two.

    All players meet an opponent from the same set-ups.
    """
    search = network.search("trained", options.simulations)
    untrained = network.search("untrained", options.simulations, is_trained=False)
    blind = network.blind_search(options.simulations)
    players = [search, network.policy("trained"), untrained, blind]
    pairs = [(player, opponent) for opponent in opponents for player in players]
    direct = [(search, untrained), (search, blind)]
    key_of = {
        player.name: jax.random.fold_in(jax.random.key(options.seed), number)
        for number, player in enumerate([*opponents, untrained, blind])
    }
    contest = functools.partial(_contest, env, options.games, options.opening_plies)
    return [contest(pair, key_of[pair[1].name], is_direct=False) for pair in pairs] + [
        contest(pair, key_of[pair[1].name], is_direct=True) for pair in direct
    ]


def examine(
    network: Network,
    earlier: Sequence[Network],
    more: Sequence[Player],
    solved: Solved,
    options: argparse.Namespace,
) -> dict[str, Agreement]:
    """Returns the agreement with solved positions, by player: those of the networks, and `more`."""
    simulations = options.simulations
    players = [
        network.blind_search(simulations),
        network.policy("untrained", is_trained=False),
        network.search("untrained", simulations, is_trained=False),
    ]
    for other in earlier:
        players += [other.policy(other.label), other.search(other.label, simulations)]
    players += [
        network.policy("trained"),
        network.search("trained", simulations),
        network.search("trained", options.more_simulations),
        *more,
    ]
    result = {}
    for player in players:
        choices = solved_positions.choose(player, solved)
        result[player.name] = solved_positions.agreement(solved, choices)
        share = result[player.name].optimal.mean
        print(f"{player.name}: best move in {100 * share:.1f} %", file=sys.stderr, flush=True)
    return result


def render(contests: Sequence[Contest], agreements: Mapping[str, Agreement]) -> list[str]:
    """Returns the lines of the record."""
    opponents = list(dict.fromkeys(c.opponent for c in contests if not c.is_direct))
    found = {(c.player, c.opponent): _score(c.score) for c in contests}
    players = list(dict.fromkeys(c.player for c in contests))
    different = {f"{c.player} v {c.opponent}": (c.different, c.score.games) for c in contests}
    warnings = measuring.repeated_games(different)
    rows = [[player, *(found[player, opponent] for opponent in opponents)] for player in players]
    return [
        "## Matches",
        "",
        "Score of the player (wins + draws / 2) with its standard error; in brackets wins, draws "
        "and losses.",
        "",
        *measuring.table(["player", *opponents], rows),
        "",
        "Against each other:",
        "",
        *(
            f"- {c.player} v {c.opponent}: {_score(c.score)}, "
            f"**{standard_errors(c.score):.1f} standard errors** above one half"
            for c in contests
            if c.is_direct
        ),
        *(["", "Repeated games:", "", *warnings] if warnings else []),
        *(["", *_agreement_lines(agreements)] if agreements else []),
    ]


def standard_errors(score: Score) -> float:
    """Returns the number of standard errors between one half and a score.

    The error is at least that of independent games between equals, so that a match without a loss
    has a finite answer.
    """
    return (score.mean - 0.5) / max(score.standard_error, 0.5 / math.sqrt(score.games))


def _agreement_lines(agreements: Mapping[str, Agreement]) -> list[str]:
    shares = [[name, *map(_share, found[:3])] for name, found in agreements.items()]
    bands = list(next(iter(agreements.values())).optimal_by_distance)
    by_distance = [
        [name, *(f"{100 * share.mean:.1f} %" for share in found.optimal_by_distance.values())]
        for name, found in agreements.items()
    ]
    return [
        "## Agreement with solved positions",
        "",
        "Value sign: in decided positions, the value favours the side that wins (a value of zero "
        "counts half). Best move: the move is among the fastest wins, longest defences or drawing "
        "moves. Keeps the value: the result with best play stays the same; only positions count in "
        "which a move can err and the effect of each move is known. With standard errors and the "
        "number of positions.",
        "",
        *measuring.table(["player", "value sign", "best move", "keeps the value"], shares),
        "",
        "Best move, by plies to the end:",
        "",
        *measuring.table(["player", *bands], by_distance),
    ]


def _contest(
    env: Env[Any],
    games: int,
    opening_plies: int,
    pair: tuple[Player, Player],
    key: Any,
    is_direct: bool,
) -> Contest:
    result = match(env, pair, key, games, opening_plies)
    found = score(np.asarray(result.returns))
    names = pair[0].name, pair[1].name
    print(f"{names[0]} v {names[1]}: {_score(found)}", file=sys.stderr, flush=True)
    return Contest(*names, found, float(result.plies.mean()), is_direct, result.different)


def _read_positions(game: str, options: argparse.Namespace) -> Solved | None:
    if options.positions == 0 or game != solved_positions.GAME:
        for name in ("earlier", "solvers"):
            if getattr(options, name):
                raise ValueError(
                    f"--{name} needs solved positions: a network of {solved_positions.GAME} and "
                    f"--positions of at least 1; got {game} and {options.positions}"
                )
        return None
    solved = solved_positions.read_positions(options.golden, options.positions, options.seed)
    return solved_positions.add_tables(solved) if options.tables else solved


def _search(rules: Any, evaluator: Any, simulations: int) -> Agent:
    """Returns the search of an evaluator, with the model of its own if it has one."""
    return search_of(rules, evaluator, GUMBEL, TreeSettings(simulations))


def _describe(meta: Mapping[str, Any]) -> str:
    network = meta["network"]
    time_spent = f", {meta['minutes']:.1f} minutes" if "minutes" in meta else ""
    return (
        f"{meta['game']} {meta['env_options']}".strip()
        + f", {network['blocks']} residual blocks of {network['channels']} channels, "
        f"{meta['iteration']} iterations{time_spent}"
    )


def _score(score: Score) -> str:
    counts = f"+{score.wins} ={score.draws} -{score.losses}"
    return f"{100 * score.mean:.1f} ± {100 * score.standard_error:.1f} % ({counts})"


def _share(share: Share) -> str:
    if share.positions == 0:
        return "no position"
    return f"{100 * share.mean:.1f} ± {100 * share.standard_error:.1f} % of {share.positions}"
