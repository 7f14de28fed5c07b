"""The commands `python -m benchmarks.NAME`: their options, and the frame in which they all run.

The module of a benchmark begins with `commands.run(NAME)`, before its other imports. So `--help`
and mistakes are answered before JAX is imported. Its function `measure` maps the options to a
`Report`, which the frame writes as a record.
"""

import importlib
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from agents import command_line
from benchmarks import environment, measuring
from benchmarks.measuring import natural, positive

REPORT_LIMITS = {"compile_time": 60, "search": 120, "training": 150, "throughput": 140}
"""Seconds of each part of `report`, in their order: together just under 8 minutes."""


class Report(NamedTuple):
    """What a benchmark found."""

    title: str
    lines: Sequence[str]  # Markdown
    numbers: Mapping[str, Any]  # for the JSON file
    entries: Mapping[str, Any]  # of the record, beside those of every record
    status: int = 0  # of the process


class Option(NamedTuple):
    """An option of a command line, as `argparse` takes it."""

    names: Sequence[str]
    keywords: Mapping[str, Any]


class Command(NamedTuple):
    """The command line of a benchmark."""

    description: str
    record: str  # default output; see `measuring.Parser.record`
    options: Sequence[Option]
    one_of: Sequence[Option] = ()  # of which exactly one must be given

    def parser(self, program: str) -> measuring.Parser:
        """Returns the parser for `python -m program`."""
        parser = measuring.Parser(program, self.description)
        if self.one_of:
            group = parser.add_mutually_exclusive_group(required=True)
            for names, keywords in self.one_of:
                group.add_argument(*names, **keywords)
        for names, keywords in self.options:
            parser.add_argument(*names, **keywords)
        measuring.add_output(parser, self.record)
        return parser


def run(name: str) -> NoReturn:
    """Runs the benchmark `benchmarks.NAME` as the program of this process."""
    command_line.run(lambda: main(name))


def main(name: str, arguments: Sequence[str] | None = None) -> int:
    """Runs a benchmark, writes its record and returns the exit status."""
    module = f"benchmarks.{name}"
    parser = COMMANDS[name].parser(module)
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        report: Report = importlib.import_module(module).measure(options)
    record = environment.record() | dict(report.entries)
    page = measuring.page(report.title, record, report.lines)
    measuring.write_result(options.output, page, {"environment": record} | dict(report.numbers))
    return report.status


def _option(*names: str, **keywords: Any) -> Option:
    return Option(names, keywords)


def _text(name: str, default: str, help: str = "", metavar: str | None = None) -> Option:
    return _option(name, default=default, metavar=metavar, help=f"{help} {_DEFAULT}".strip())


def _count(name: str, default: int, help: str = "", least: int = 1) -> Option:
    kind = positive if least else natural
    return _option(name, type=kind, default=default, help=f"{help} {_DEFAULT}".strip())


def _counts(name: str, *default: int, help: str = "", metavar: str | None = None) -> Option:
    """Returns an option with several counts; without a default, `help` says what happens then."""
    shown = f"{help} {_DEFAULT}".strip() if default else help
    chosen = default or None
    return _option(name, nargs="+", type=positive, default=chosen, metavar=metavar, help=shown)


def _choices(name: str, choices: Sequence[str], *default: str, help: str = "") -> Option:
    shown = f"{help} {_DEFAULT}".strip()
    return _option(name, nargs="+", choices=choices, default=default, help=shown)


def _words(name: str, *default: str, help: str = "", metavar: str = "SPEC") -> Option:
    shown = f"{help} {_DEFAULT}".strip() if default else help
    return _option(name, nargs="+", metavar=metavar, default=default, help=shown)


def _path(name: str, help: str) -> Option:
    return _option(name, type=pathlib.Path, help=help)


def _flag(name: str, help: str) -> Option:
    return _option(name, action="store_true", help=help)


_DEFAULT = "(default: %(default)s)"
_GAME = _text("--game", "onitama", "id of a game")
_GAME_WITH_POINTS = _text("--game", "terra_mystica", "id of a game")
_ENV_OPTIONS = _option("--env-options", default="", help="options of the game")
_SEED = _option("--seed", type=measuring.seed, default=0)
_OPENING_PLIES = _count("--opening-plies", 0, "drawn at random at the start of each game", least=0)
_POLICIES = ("gumbel_muzero_policy", "muzero_policy")
_MODES = ("lean", "full", "plain", "versus")
_PEERS = "also measure games of pgx (default: connect_four animal_shogi)"

COMMANDS = {
    "throughput": Command(
        "Steps per second of random play.",
        "speed/throughput_{game}",
        [
            _GAME,
            _option("--peers", nargs="*", metavar="GAME", help=_PEERS),
            _counts("--batches", *(4**k for k in range(11)), help="batch sizes"),
            _choices("--modes", _MODES, *_MODES[:3]),
            _count("--steps", 64, "steps of one compiled call"),
            _count("--repeats", 7, "timed repeats of each measurement"),
            _SEED,
        ],
    ),
    "search": Command(
        "Time of self-play, split into network, tree and environment.",
        "speed/search_{game}",
        [
            _GAME,
            _counts("--batches", help="games at once (default: 256; accelerators: 256 2048)"),
            _count("--simulations", 32),
            _choices("--searches", ("gumbel", "puct", "mctx"), "gumbel", "mctx"),
            _count("--blocks", 4, "residual blocks", least=0),
            _count("--channels", 32),
            _count("--plies", 1, "plies of one call of self-play"),
            _count("--repeats", 15),
            _SEED,
            _flag("--peers", "compare with gardner_chess of pgx"),
            _counts("--peer-batches", 64, 128, 256, 512, help="games at once of both then"),
        ],
    ),
    "model_search": Command(
        "Time and memory of searches with a learned model, by mctx and by ours.",
        "speed/model_search",
        [
            _choices("--policies", _POLICIES, _POLICIES[0]),
            _counts("--actions", 16, 200),
            _counts("--simulations", 32, 200, 800),
            _count("--lanes", 128, "roots searched at once"),
            _count("--repeats", 3),
            _count("--most-seconds", 60, "no further repeat of a size that has taken longer"),
        ],
    ),
    "search_scaling": Command(
        "Time and memory of a simulation as trees and action spaces grow.",
        "speed/search_scaling",
        [
            _option("--lanes", type=positive, help="games at once (default: by the actions)"),
            _count("--repeats", 5),
            _SEED,
        ],
    ),
    "planning": Command(
        "Forward-model calls a second inside planners, and those of random play.",
        "speed/planning",
        [
            _GAME,
            _ENV_OPTIONS,
            _words("--agents", "mc", "rhea"),
            _count("--lanes", 1024, "games played at once, rounded up to whole decisions"),
            _count("--plies", 8, "most random plies before a position", least=0),
            _count("--repeats", 5),
            _SEED,
        ],
    ),
    "play": Command(
        "Time from a move on the page to the answer of an agent.",
        "speed/play_{game}",
        [
            _GAME,
            _ENV_OPTIONS,
            _count("--players", 2, "seats of the game"),
            _text("--agent", "gumbel:evaluator=rollout,simulations=32"),
            _count("--answers", 100),
            _count("--games", 0, "games before memory is measured", least=0),
            _SEED,
        ],
    ),
    "one_position": Command(
        "Seconds to a move in one position, and how far a search comes in them.",
        "speed/one_position_{game}",
        [
            _GAME,
            _ENV_OPTIONS,
            _words("--agents", "best"),
            _option(
                "--seconds",
                type=float,
                nargs="+",
                default=(0.1, 1.0),
                help=f"for a move {_DEFAULT}",
            ),
            _count("--positions", 20, "of random games"),
            _SEED,
        ],
    ),
    "depth_first": Command(
        "Positions a second of the batched depth-first search.",
        "speed/depth_first",
        [
            _text("--game", "murus_gallicus", "id of a game"),
            _count("--depth", 9, "plies looked ahead"),
            _count("--table", 12, "2^TABLE entries for each lane"),
            _counts("--lanes", 2, 128, 1024, 4096),
            _count("--devices", 1, "devices that share the lanes (CPU)"),
            _count("--repeats", 5),
            _SEED,
        ],
    ),
    "compile_time": Command(
        "Compile seconds and program size of each game.",
        "speed/compile_time",
        [
            _words("--games", metavar="GAME", help="default: all registered games"),
            _count("--batch", 1024, "games in the compiled batch"),
        ],
    ),
    "first_answer": Command(
        "Seconds to the first decision of a player, with empty and with filled caches.",
        "speed/first_answer",
        [
            _words("--games", metavar="GAME", help="default: all registered games"),
            _text("--player", "best", "spec of the player"),
        ],
    ),
    "training": Command(
        "Positions/s of training, or milestones of a run.",
        "strength/training_{game}",
        [
            _GAME,
            _count("--iterations", 5, "timed, after a first one"),
            _text("--preset", "auto", "cpu, accelerator, many, or auto: by the devices"),
            _path("--run", "folder of a run: report its milestones"),
        ],
    ),
    "strength": Command(
        "Matches of a trained network, and agreement with solved positions.",
        "strength/onitama",
        [
            _count("--simulations", 32),
            _count("--games", 400, "of each match, seats swapped"),
            _OPENING_PLIES,
            _words("--opponents", "random", "minimax:depth=1", "minimax:depth=2"),
            _count("--positions", 2000, "solved positions, drawn at random; 0: none", least=0),
            _count("--more-simulations", 256, "of one more player of solved positions"),
            _words("--earlier", metavar="FILE", help="networks to compare with, on positions"),
            _words("--solvers", help="more players of solved positions, for instance best"),
            _flag("--tables", "solve small endgames, to judge moves in won positions (minutes)"),
            _path("--golden", "folder of Onitama's golden data (default: shared)"),
            _SEED,
        ],
        one_of=[
            _path("--run", "folder of a run: its newest network"),
            _path("--checkpoint", "exported network file"),
        ],
    ),
    "points": Command(
        "The final points that agents make against themselves.",
        "strength/points_{game}",
        [
            _GAME_WITH_POINTS,
            _ENV_OPTIONS,
            _words("--agents", "greedy", "random"),
            _count("--games", 64),
            _SEED,
        ],
    ),
    "ranks": Command(
        "The rank of an agent among copies of another one.",
        "strength/ranks_{game}",
        [
            _GAME_WITH_POINTS,
            _ENV_OPTIONS,
            _words("--agents", "best"),
            _text("--others", "greedy", metavar="SPEC"),
            _count("--games", 400, "rounded up to whole groups"),
            _SEED,
        ],
    ),
    "levels": Command(
        "The score of each level against the one below, and the time of its decisions.",
        "strength/levels_{game}",
        [
            _GAME,
            _ENV_OPTIONS,
            _count("--games", 200, "of each level"),
            _option("--games-of-best", type=positive, help="of the last level (default: --games)"),
            _count("--opening-plies", 2, "drawn at random at the start of each game", least=0),
            _count("--decisions", 40, "timed, of each level"),
            _SEED,
        ],
    ),
    "exploitability": Command(
        "How far a player can be exploited: a lower bound by a trained response.",
        "strength/exploitability_{game}",
        [
            _GAME,
            _option("--env-options", help="options of the game (default: those of the preset)"),
            _text("--agent", "best", "spec of the player, which stays as it is"),
            _count("--minutes", 60, "of training"),
            _option("--train-against", metavar="SPEC", help="a quicker player for the training"),
            _option("--start", metavar="NETWORK", help="to start from, or none (default: best's)"),
            _path("--config", "settings of the training, as its --config reads them"),
            _path("--run-dir", "folder of the training (default: runs/exploitability-GAME-SEED)"),
            _option("--games", type=positive, help="of the match (default: 400; large games: 100)"),
            _option(
                "--simulations",
                type=positive,
                help="of the response for a move of the match (default: those of best)",
            ),
            _option(
                "--opening-plies",
                type=natural,
                help="random plies first (default: 4 where seats move in turns, else 0)",
            ),
            _count("--positions", 1000, "solved positions of Onitama; 0: none", least=0),
            _flag("--tables", "solve small endgames, to judge moves in won positions (minutes)"),
            _path("--golden", "folder of Onitama's golden data (default: shared)"),
            _SEED,
        ],
    ),
    "model_error": Command(
        "How far a learned model is right, step by step, and what its errors cost in a match.",
        "training/model_error_{game}",
        [
            _GAME,
            _ENV_OPTIONS,
            _option("--network", required=True, help="run folder or network file of train.muzero"),
            _count("--steps", 8, "after each position"),
            _count("--lanes", 32, "games played by the policy"),
            _count("--plies", 128, "of each of these games"),
            _text("--opponent", "random", "of the matches"),
            _count("--games", 100, "of each match"),
            _OPENING_PLIES,
            _count("--simulations", 16),
            _flag("--no-rescale-values", "values count by their size, as after a teacher"),
            _SEED,
        ],
    ),
    "calibration": Command(
        "How far the chances or points that a player expects are right.",
        "strength/calibration_{game}",
        [
            _GAME,
            _ENV_OPTIONS,
            _text("--judge", "best", "spec of the player that judges"),
            _words("--players", "best", "gumbel:evaluator=rollout,simulations=16", "random"),
            _count("--games", 100, "of each pairing"),
            _count("--positions", 1000),
            _SEED,
        ],
    ),
    "report": Command(
        "Runs several benchmarks and writes one report.",
        "speed/report",
        [
            _GAME,
            _choices("--parts", tuple(REPORT_LIMITS), *REPORT_LIMITS),
            _count("--minutes", 8, "limit of all parts"),
            _flag("--peers", "compare with games of pgx, where a part does"),
        ],
    ),
}
