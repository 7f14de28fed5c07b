"""The experiments of the Murus Gallicus paper, with its figures beside ours.

    python -m papers.murus_gallicus.study --parts nodes ladder milestones book

Each part writes a record and a picture; `--redraw` makes them anew from the numbers of the record.
A stopped match goes on from a file beside the record.

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020),
and the log of its authors' program. `python -m papers.murus_gallicus.evolution` repeats the
evolution, `python -m agents.clock` plays with a clock, `python -m benchmarks.strength` measures the
learned player.
"""

import argparse
import pathlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

from agents import command_line
from agents.opening_book import building
from benchmarks import environment, measuring
from configs.opening_book import BookConfig
from jaxgames.batching import trees
from jaxgames.matches import statistics
from jaxgames.matches.match import match
from jaxgames.murus_gallicus import notation
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.players import registry
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.players.opening_book import storage
from jaxgames.search.depth_first.search import DepthFirst
from papers import studies

GAME = "murus_gallicus"
POSITIONS = {
    "start": "tttttttt/8/8/8/8/8/TTTTTTTT r",
    "middle game": "tt6/6w1/twtt1tW1/3w1WT1/W1TTWW2/1TW1W3/8 r",
}
LOGGED = {
    ("start", "NegaMax"): (32, 1056, 5504, 156596, 276310, 7994756, 11037630),
    ("start", "NegaScout"): (32, 1056, 5632, 62414, 271432, 1949283, 10292516),
    ("middle game", "NegaMax"): (17, 482, 2954, 27063, 205874, 2196587, 8322639),
    ("middle game", "NegaScout"): (17, 482, 3274, 20380, 200061, 873262, 8035799),
}
"""Nodes of each iteration of deepening that the program logged, by position and search."""
PAPER_SPEEDUP = {"NegaScout": "1.5 x", "NegaScout and table": "2.9 x"}  # in time, over NegaMax
KINDS: Mapping[str, Mapping[str, Any]] = {
    "NegaMax": {"pruning": "alpha_beta"},
    "NegaScout": {"pruning": "pvs"},
    "NegaScout and table": {"pruning": "pvs", "table_bits": 20},
}
MATCHES = {
    "ladder": (
        ("negascout:depth=1", "random"),
        *(
            (f"negascout:depth={a}", f"negascout:depth={b}")
            for a, b in ("21", "32", "43", "42", "53")
        ),
    ),
    "milestones": (
        ("ms2:depth=3", "ms1:depth=3"),
        ("ms2:depth=5", "ms1:depth=5"),
        ("ms3:depth=3", "ms2:depth=3"),
        ("ms3:depth=3,weights=evolved", "ms2:depth=3"),
        ("ms3:depth=5", "ms2:depth=5"),
    ),
    "book": tuple(("ms3:depth=3,book=FILE", f"{other}:depth=3") for other in ("ms2", "ms1", "ms3")),
}
MATCH_POSITION_PLIES = 4  # plies before the first of the drawn positions
OPENING_PLIES = 2  # drawn at random, equal for both games of a pair; none with a book
BOOK_POSITIONS = 64  # most positions of the book at each ply


OPENING = f"{OPENING_PLIES} random plies at the start, equal for both games of a pair."
TEXTS = {
    "nodes": "The first two positions are those of the program's log, the others from games of "
    "NegaScout players of depth 2. All are searched at once, with iterative deepening; moves are "
    "ordered by the table or the last iteration, tactics, killers and history.",
    "ladder": f"NegaScout with the full evaluation, by depth. {OPENING}",
    "milestones": "The paper: about 30 percentage points more wins from MS1 to MS2 against other "
    f"groups, five more moves a game, and slightly better scores of evolved weights. {OPENING}",
    "book": "A book for the first three own moves, 2000 simulations each: `python -m "
    f"agents.opening_book --game={GAME} --positions={BOOK_POSITIONS} --output=FILE`. No random "
    "plies at the start: a book knows positions at their own ply only. Games differ by the draws "
    "from the book, and some are equal.",
}
"""Introductions of the parts."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes a record of each."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        for name in options.parts:
            output = options.output / f"{name}.md"
            measure, lines, draw = play_matches, match_lines, draw_matches
            if name == "nodes":
                measure, lines, draw = search_nodes, node_lines, draw_nodes
            if options.redraw:
                old = studies.stored(output)
                record, numbers = old["environment"], old[name]
            else:
                measuring.prepare_output(output, [])
                began = time.perf_counter()
                numbers = measure(options, output)
                seconds = round(time.perf_counter() - began)
                record = environment.record() | {"seed": options.seed, "seconds": seconds}
            page, pictures = [TEXTS[name], "", *lines(numbers)], {f"{name}.svg": draw(numbers)}
            title = f"Murus Gallicus: {name}"
            studies.write(output, GAME, title, record, page, {name: numbers}, pictures)
            for file in output.parent.glob(f"{name}.*.npz"):  # of matches that are in the record
                file.unlink()


def make_parser() -> measuring.Parser:
    """Returns the command line."""
    parser = measuring.Parser("papers.murus_gallicus.study", "The experiments of the paper.")
    add = parser.add_argument
    add("--parts", nargs="+", choices=list(TEXTS), default=list(TEXTS))
    add("--redraw", action="store_true", help="play nothing: pages and pictures of the records")
    add("--depth", type=measuring.positive, default=7, help="of part 'nodes'")
    add("--positions", type=measuring.positive, default=20, help="of part 'nodes', 3 at least")
    add("--games", type=measuring.positive, default=200, help="of each match; an even number")
    add("--seed", type=measuring.seed, default=0)
    add("--output", type=pathlib.Path, default=studies.RECORDS / GAME, help="folder of the records")
    measuring.add_allow_dirty(parser)
    return parser


def search_nodes(options: argparse.Namespace, output: pathlib.Path) -> Any:
    """Returns values, nodes and time of each kind of search in all positions."""
    del output
    if options.positions < 3:
        raise ValueError(f"positions must be at least 3, got {options.positions}")
    drawn = played_positions(options.positions - len(POSITIONS), options.seed)
    positions = [*POSITIONS.values(), *drawn]
    env, rules = registry.make_env(GAME), MurusGallicus()
    score, one = integer_score_of(env)
    params = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(positions), *x.shape)), one)
    read = [notation.text_to_state(rules, position) for position in positions]
    games = jax.tree.map(jnp.asarray, trees.stack(read))
    searches = []
    for kind, settings in KINDS.items():
        searcher = DepthFirst(rules, score, options.depth, tactics=tactics_of(env), **settings)
        compiled = jax.jit(searcher.search).lower(params, games, jax.random.key(0)).compile()
        began = time.perf_counter()
        result = jax.device_get(compiled(params, games, jax.random.key(options.seed)))
        searches.append(
            {
                "kind": kind,
                "values": result.value.tolist(),
                "nodes": result.iterations.nodes.tolist(),  # by position and iteration
                "seconds": time.perf_counter() - began,
            }
        )
    return {"positions": positions, "searches": searches}


def played_positions(number: int, seed: int) -> list[str]:
    """Returns positions of games between players of depth 2, each later in its game than the last.

    None of them is over.
    """
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


def node_lines(numbers: Any) -> list[str]:
    """Returns the tables of nodes and times."""
    searches = numbers["searches"]
    base = searches[0]
    agree = all(each["values"] == base["values"] for each in searches)
    rows, nodes = [], []
    for each in searches:
        ratios = [sum(a) / sum(b) for a, b in zip(base["nodes"], each["nodes"], strict=True)]
        rows.append(
            [
                each["kind"],
                f"{sum(map(sum, each['nodes'])) / 1e6:.2f} M",
                f"{measuring.spread(ratios).median:.2f} x",
                f"{each['seconds']:.1f} s",
                f"{base['seconds'] / each['seconds']:.2f} x",
                PAPER_SPEEDUP.get(each["kind"], "1"),
            ]
        )
    for index, position in enumerate(POSITIONS):
        for each in searches:
            kind, counts = each["kind"], each["nodes"][index]
            for who, shown in ("ours", counts), ("paper", LOGGED.get((position, kind), ())):
                if shown:
                    nodes.append([position, kind, who, *(f"{n:,}" for n in shown[: len(counts)])])
    depths = [f"depth {depth}" for depth in range(1, len(base["nodes"][0]) + 1)]
    header = ["search", "nodes", "fewer nodes (median)", "time", "faster", "faster, paper"]
    return [
        f"{len(numbers['positions'])} positions. "
        f"Values of all three: {'equal' if agree else 'NOT EQUAL'} in every position.",
        "",
        *measuring.table(header, rows),
        "",
        "Nodes of each iteration, ours and those that the paper's program logged:",
        "",
        *measuring.table(["position", "search", "", *depths], nodes),
    ]


def draw_nodes(numbers: Any) -> Figure:
    """Draws the nodes of each iteration, ours and those that the paper's program logged."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for index, (axes, position) in enumerate(zip(panels, POSITIONS, strict=True)):
        for color, search in enumerate(numbers["searches"]):
            kind, counts = search["kind"], search["nodes"][index]
            axes.plot(range(1, len(counts) + 1), counts, f"C{color}o-", label=f"{kind}, ours")
            if logged := LOGGED.get((position, kind)):
                axes.plot(range(1, len(logged) + 1), logged, f"C{color}s:", label=f"{kind}, paper")
        axes.set(title=position.capitalize(), xlabel="depth", yscale="log")
    panels[0].set_ylabel("nodes of the iteration")
    panels[0].legend(frameon=False)
    return figure


def play_matches(options: argparse.Namespace, output: pathlib.Path) -> Any:
    """Plays the matches of a part; returns their numbers, scores from the view of the first.

    Raises:
        ValueError: for an odd number of games.
    """
    env, key = registry.make_env(GAME), jax.random.key(options.seed)
    book = output.with_name(f"{output.stem}.book.npz")
    has_book = output.stem == "book"
    if has_book and not book.exists():
        config = BookConfig(book, GAME, positions=BOOK_POSITIONS, seed=options.seed)
        storage.save(book, building.build(env, config), storage.describe(env, {}))
    opening, matches = 0 if has_book else OPENING_PLIES, []
    for number, pair in enumerate(MATCHES[output.stem]):
        players = [registry.make(spec.replace("FILE", str(book)), env) for spec in pair]
        kept, began = studies.checkpoint("--output", output, f"{number}"), time.perf_counter()
        result = match(env, players, key, options.games, opening, record=True, checkpoint=kept)
        assert result.record is not None
        score = statistics.score(np.asarray(result.returns))
        matches.append(
            {
                "first": pair[0],
                "second": pair[1],
                "wins": score.wins,
                "draws": score.draws,
                "losses": score.losses,
                "mean": score.mean,
                "error": score.standard_error,
                "plies": float(result.plies.mean()),
                "romans": int(((result.returns > 0) & (result.seats == 0)).sum()),  # won by them
                "different": len(np.unique(result.record.actions, axis=0)),
                "seconds": kept.spent + time.perf_counter() - began,
            }
        )
    return matches


def match_lines(numbers: Any) -> list[str]:
    """Returns the table of some matches."""
    header = ["first", "second", "won / drawn / lost", "score", "plies", "Romans won",
              "different games", "seconds"]  # fmt: skip
    rows = [
        [
            each["first"],
            each["second"],
            f"{each['wins']} / {each['draws']} / {each['losses']}",
            f"{100 * each['mean']:.1f} +- {100 * each['error']:.1f} %",
            f"{each['plies']:.1f}",
            f"{100 * each['romans'] / (each['wins'] + each['draws'] + each['losses']):.0f} %",
            *([each["different"]] if "different" in each else []),  # not in older records
            f"{each['seconds']:.0f}",
        ]
        for each in numbers
    ]
    return measuring.table([x for x in header if x != "different games" or len(rows[0]) > 7], rows)


def draw_matches(numbers: Any) -> Figure:
    """Draws the score of each match's first player with its standard error."""
    figure = Figure(figsize=(8, 1 + 0.45 * len(numbers)), layout="constrained")
    axes = figure.subplots()
    axes.invert_yaxis()
    names = [f"{each['first']} v {each['second']}" for each in numbers]
    scores, errors = ([100 * each[name] for each in numbers] for name in ("mean", "error"))
    axes.barh(names, scores, xerr=errors, color="C0", height=0.6)
    axes.axvline(50, color="grey", linewidth=0.8)
    axes.set(xlim=(0, 100), xlabel="score of the first in %, with one standard error")
    return figure


if __name__ == "__main__":
    command_line.run(main)
