"""The experiments of the Murus Gallicus paper, with its figures beside ours.

    python -m papers.murus_gallicus.study --parts nodes ladder milestones book times

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020),
and the log of its authors' program. `python -m papers.murus_gallicus.evolution` repeats the
evolution, `python -m benchmarks.strength` measures the learned player; the README beside this file
shows all results.
"""

import argparse
import pathlib
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring
from papers import results

GAME = "murus_gallicus"
START = "tttttttt/8/8/8/8/8/TTTTTTTT r"
MIDDLE_GAME = "tt6/6w1/twtt1tW1/3w1WT1/W1TTWW2/1TW1W3/8 r"
LOGGED = {
    (START, "NegaMax"): (32, 1056, 5504, 156596, 276310, 7994756, 11037630),
    (START, "NegaScout"): (32, 1056, 5632, 62414, 271432, 1949283, 10292516),
    (MIDDLE_GAME, "NegaMax"): (17, 482, 2954, 27063, 205874, 2196587, 8322639),
    (MIDDLE_GAME, "NegaScout"): (17, 482, 3274, 20380, 200061, 873262, 8035799),
}
"""Nodes of each iteration of deepening that the program logged, by position and search."""
PAPER_SPEEDUP = {"NegaScout": 1.5, "NegaScout and table": 2.9}  # in time, over NegaMax
KINDS: Mapping[str, Mapping[str, Any]] = {
    "NegaMax": {"pruning": "alpha_beta"},
    "NegaScout": {"pruning": "pvs"},
    "NegaScout and table": {"pruning": "pvs", "table_bits": 20},
}
MATCH_POSITION_PLIES = 4  # plies before the first of the drawn positions
LADDER = ((1, None), (2, 1), (3, 2), (4, 3), (4, 2), (5, 3))  # depth against depth; None: random
OPENING_PLIES = 2
OPENING = f"{OPENING_PLIES} random plies at the start, equal for both games of a pair."
BOOK_POSITIONS = 64  # most positions of the book at each ply


class SearchResult(NamedTuple):
    """The result of one kind of search on all positions."""

    kind: str
    values: Sequence[int]
    nodes: Sequence[Sequence[int]]  # by position and iteration
    seconds: float  # of all positions, searched at once


class Contest(NamedTuple):
    """A match between two players."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    mean: float
    """Score of the first."""
    error: float
    """Its standard error, over pairs of games with the same start."""
    plies: float
    romans: int  # games that the Romans won
    different: int  # games, those with equal moves counted once
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes a record of each."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        for part in options.parts:
            started = time.perf_counter()
            report, numbers = PARTS[part](options)
            record = environment.record() | {
                "seed": options.seed, "seconds": round(time.perf_counter() - started),
            }  # fmt: skip
            page = measuring.page(f"Murus Gallicus: {part}", record, report)
            output = options.output / f"{part}.md"
            measuring.write_result(output, page, {"environment": record, part: numbers})


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "papers.murus_gallicus.study",
        description="The experiments of the Murus Gallicus paper.",
    )
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--depth", type=measuring.positive, default=7, help="of part 'nodes'")
    parser.add_argument("--positions", type=measuring.positive, default=20, help="of part 'nodes'")
    parser.add_argument(
        "--games", type=measuring.positive, default=200, help="of each match; an even number"
    )
    parser.add_argument("--clock-games", type=measuring.positive, default=4, help="of part 'times'")
    parser.add_argument(
        "--scale", type=float, default=0.1, help="real seconds of a second of the players' clocks"
    )
    parser.add_argument("--seed", type=measuring.seed, default=0)
    parser.add_argument(
        "--output", type=pathlib.Path, default=results.RECORDS / GAME, help="folder of the records"
    )
    measuring.add_allow_dirty(parser)
    return parser


def nodes(options: argparse.Namespace) -> tuple[list[str], Any]:
    """Compares NegaMax, NegaScout and NegaScout with a table: nodes and time."""
    if options.positions < 3:
        raise ValueError(f"positions must be at least 3, got {options.positions}")
    positions = [START, MIDDLE_GAME, *played_positions(options.positions - 2, options.seed)]
    found = [search(kind, positions, options) for kind in KINDS]
    values = [result.values for result in found]
    lines = [
        f"{len(positions)} positions: the two of the program's log, the others from games between "
        "NegaScout players of depth 2. All are searched at once, with iterative deepening; moves "
        "are ordered by the table or the last iteration, tactics, killers and history. Positions "
        "share one loop, so the slowest position decides the time.",
        "",
    ]
    agree = all(value == values[0] for value in values)
    lines += [f"Values of all three: {'equal' if agree else 'NOT EQUAL'} in every position.", ""]
    base = found[0]
    rows = []
    for result in found:
        total = sum(map(sum, result.nodes))
        ratios = [sum(a) / sum(b) for a, b in zip(base.nodes, result.nodes, strict=True)]
        rows.append(
            [
                result.kind,
                f"{total / 1e6:.2f} M",
                f"{measuring.spread(ratios).median:.2f} x",
                f"{result.seconds:.1f} s",
                f"{base.seconds / result.seconds:.2f} x",
                f"{PAPER_SPEEDUP[result.kind]} x" if result.kind in PAPER_SPEEDUP else "1",
            ]
        )
    header = ["search", "nodes", "fewer nodes (median)", "time", "faster", "faster, paper"]
    lines += measuring.table(header, rows)
    lines += ["", "Nodes of each iteration, ours and those that the paper's program logged:", ""]
    rows = []
    for index, (name, text) in enumerate((("start", START), ("middle game", MIDDLE_GAME))):
        for result in found:
            rows.append([name, result.kind, "ours", *(f"{n:,}" for n in result.nodes[index])])
            logged = LOGGED.get((text, result.kind))
            if logged is not None:
                shown = [f"{count:,}" for count in logged[: options.depth]]
                rows.append([name, result.kind, "paper", *shown])
    depths = [f"depth {depth}" for depth in range(1, options.depth + 1)]
    lines += measuring.table(["position", "search", "", *depths], rows)
    numbers = {"positions": positions, "searches": [result._asdict() for result in found]}
    return lines, numbers


def search(kind: str, positions: Sequence[str], options: argparse.Namespace) -> SearchResult:
    """Searches all positions at once with one kind of search."""
    import jax
    import jax.numpy as jnp

    import jaxgames
    from jaxgames.murus_gallicus import notation
    from jaxgames.murus_gallicus.rules import MurusGallicus
    from jaxgames.players.knowledge import integer_score_of, tactics_of
    from jaxgames.search.depth_first.search import DepthFirst

    env, rules = jaxgames.make(GAME), MurusGallicus()
    score, one = integer_score_of(env)
    tactics = tactics_of(env)
    params = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(positions), *x.shape)), one)
    games = jax.tree.map(jnp.asarray, notation.texts_to_states(rules, positions))
    searcher = DepthFirst(rules, score, options.depth, tactics=tactics, **KINDS[kind])
    compiled = jax.jit(searcher.search).lower(params, games, jax.random.key(0)).compile()
    started = time.perf_counter()
    found = jax.device_get(compiled(params, games, jax.random.key(options.seed)))
    seconds = time.perf_counter() - started
    return SearchResult(kind, found.value.tolist(), found.iterations.nodes.tolist(), seconds)


def played_positions(number: int, seed: int) -> list[str]:
    """Returns positions of games between players of depth 2, each later in its game than the last.

    None of them is over.
    """
    import jax

    from jaxgames.matches.match import match
    from jaxgames.murus_gallicus import notation
    from jaxgames.murus_gallicus.rules import MurusGallicus
    from jaxgames.players import registry

    env, rules = registry.make_env(GAME), MurusGallicus()
    player = registry.make("negascout:depth=2", env)
    games = 2 * -(-number // 2)
    result = match(env, [player] * 2, jax.random.key(seed), games, OPENING_PLIES, record=True)
    assert result.record is not None
    texts = []
    for index in range(number):
        game = jax.tree.map(lambda x, i=index // 2: x[i], result.record.starts)
        # Late enough to differ from other games, and at least six plies before the end.
        plies = max(0, min(MATCH_POSITION_PLIES + index, int(result.plies[index]) - 6))
        for action in result.record.actions[index][:plies]:
            game = rules.step(game, action)
        texts.append(notation.state_to_text(rules, jax.device_get(game)))
    return texts


def ladder(options: argparse.Namespace) -> tuple[list[str], Any]:
    """Plays each depth against a lower one."""
    pairs = [
        (f"negascout:depth={high}", "random" if low is None else f"negascout:depth={low}")
        for high, low in LADDER
    ]
    contests = [contest(*pair, options) for pair in pairs]
    text = f"NegaScout with the full evaluation, by depth. {OPENING}"
    return _matches(contests, text), [c._asdict() for c in contests]


def milestones(options: argparse.Namespace) -> tuple[list[str], Any]:
    """Plays the paper's players of its three milestones against each other."""
    pairs = [
        ("ms2:depth=3", "ms1:depth=3"),
        ("ms2:depth=5", "ms1:depth=5"),
        ("ms3:depth=3", "ms2:depth=3"),
        ("ms3:depth=3,weights=evolved", "ms2:depth=3"),
        ("ms3:depth=5", "ms2:depth=5"),
    ]
    contests = [contest(*pair, options) for pair in pairs]
    text = (
        "The paper: about 30 percentage points more wins from MS1 to MS2 against the other groups, "
        "five more moves a game, and slightly better scores of the evolved weights (MS3). "
        f"{OPENING}"
    )
    return _matches(contests, text), [c._asdict() for c in contests]


def book(options: argparse.Namespace) -> tuple[list[str], Any]:
    """Plays the third milestone with an opening book from MCTS, as the paper's, against others."""
    from agents.opening_book import building
    from configs.opening_book import BookConfig
    from jaxgames.players import registry
    from jaxgames.players.opening_book import storage

    env = registry.make_env(GAME)
    with tempfile.TemporaryDirectory() as folder:
        config = BookConfig(
            pathlib.Path(folder, "book.npz"), GAME, positions=BOOK_POSITIONS, seed=options.seed
        )
        started = time.perf_counter()
        built = building.build(env, config)
        seconds = time.perf_counter() - started
        storage.save(config.output, built, storage.describe(env, {}))
        contests = []
        for second in ("ms2:depth=3", "ms1:depth=3", "ms3:depth=3"):
            found = contest(f"ms3:depth=3,book={config.output}", second, options, opening_plies=0)
            contests.append(found._replace(first="ms3:depth=3,book=FILE"))
    text = (
        f"A book of {len(built)} positions for the first {config.moves} own moves, "
        f"{config.simulations} simulations each, built in {seconds:.0f} s: `python -m "
        f"agents.opening_book --game={GAME} --positions={BOOK_POSITIONS} --seed={options.seed} "
        "--output=FILE`. No random plies at the start: a book knows positions at their own ply "
        "only. Games differ by the draws from the book, and some are equal."
    )
    return _matches(contests, text), [c._asdict() for c in contests]


def contest(
    first: str, second: str, options: argparse.Namespace, opening_plies: int = OPENING_PLIES
) -> Contest:
    """Plays one match.

    Raises:
        ValueError: for an odd number of games.
    """
    import jax
    import numpy as np

    from jaxgames.matches import statistics
    from jaxgames.matches.match import match
    from jaxgames.players import registry

    env = registry.make_env(GAME)
    players = [registry.make(spec, env) for spec in (first, second)]
    started = time.perf_counter()
    key = jax.random.key(options.seed)
    result = match(env, players, key, options.games, opening_plies, record=True)
    seconds = time.perf_counter() - started
    assert result.record is not None
    romans = (result.returns > 0) & (result.seats == 0)
    score = statistics.score(np.asarray(result.returns))
    return Contest(
        first,
        second,
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        mean=score.mean,
        error=score.standard_error,
        plies=float(result.plies.mean()),
        romans=int(romans.sum()),
        different=len(np.unique(result.record.actions, axis=0)),
        seconds=seconds,
    )


def times(options: argparse.Namespace) -> tuple[list[str], Any]:
    """Plays the milestones with a clock: least, mean and most seconds of a move."""
    from agents.clock import match, players
    from jaxgames.players import registry

    env = registry.make_env(GAME)
    clock = players.scaled_clock(options.scale)
    lines = [
        f"Games of 120 seconds a side, one of which takes {options.scale:g} real seconds; "
        f"{options.clock_games} games, {OPENING_PLIES} random plies at the start.",
        "",
    ]
    rows, numbers = [], []
    for pair in (("ms2", "ms1"), ("ms3", "ms2")):
        made = [
            players.make(spec, env, clock, 2 * options.seed + index)
            for index, spec in enumerate(pair)
        ]
        _, summaries = match.match(
            env, made, 120.0, clock, options.clock_games, OPENING_PLIES, options.seed
        )
        numbers.append([summary._asdict() for summary in summaries])
        for summary in summaries:
            rows.append(
                [
                    " v ".join(pair),
                    summary.name,
                    f"{summary.wins} / {summary.draws} / {summary.losses}",
                    summary.losses_on_time,
                    " / ".join(f"{seconds:.2f}" for seconds in summary.seconds),
                    f"{summary.nodes[1]:,.0f}",
                    f"{summary.depth:.1f}",
                ]
            )
    header = [
        "match", "player", "won / drawn / lost", "on time", "seconds a move: least / mean / most",
        "nodes a move", "depth",
    ]  # fmt: skip
    lines += measuring.table(header, rows)
    lines += [
        "",
        'The paper: at least 0 ms; at most "approximately 5 ms" for MS1 and MS2 and "tripled" to '
        "15,162 ms for MS3, so that 5 ms must mean about 5 s.",
    ]
    return lines, numbers


def _matches(contests: Sequence[Contest], text: str) -> list[str]:
    header = [
        "first", "second", "won / drawn / lost", "score", "plies", "Romans won", "different games",
        "seconds",
    ]  # fmt: skip
    rows = []
    for found in contests:
        games = found.wins + found.draws + found.losses
        rows.append(
            [
                found.first,
                found.second,
                f"{found.wins} / {found.draws} / {found.losses}",
                f"{100 * found.mean:.1f} +- {100 * found.error:.1f} %",
                f"{found.plies:.1f}",
                f"{100 * found.romans / games:.0f} %",
                found.different,
                f"{found.seconds:.0f}",
            ]
        )
    return [text, "", *measuring.table(header, rows)]


Part = Callable[[argparse.Namespace], tuple[list[str], Any]]
PARTS: Mapping[str, Part] = {
    "nodes": nodes,
    "ladder": ladder,
    "milestones": milestones,
    "book": book,
    "times": times,
}


if __name__ == "__main__":
    command_line.run(main)
