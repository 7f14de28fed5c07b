"""Shared by all benchmarks: timing on a machine that others use too, tables, and result files."""

import argparse
import contextlib
import json
import math
import pathlib
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from agents import command_line
from benchmarks import environment
from jaxgames.internal import checks, files

NameT = TypeVar("NameT")
MAX_SEED = 2**32 - 1  # as in tournaments
_MOST_DIGITS = 20  # Python refuses to read numbers of thousands of digits


class Spread(NamedTuple):
    """A quantity over several repeats."""

    median: float
    lowest: float
    highest: float

    def text(self, form: str = ".1f") -> str:
        """Returns the median with the range in brackets, each in a format such as `.1f`."""
        middle, lowest, highest = (format(value, form) for value in self)
        return f"{middle} ({lowest} to {highest})"


def time_in_turns(
    work: Mapping[NameT, Callable[[], Any]], repeats: int
) -> dict[NameT, list[float]]:
    """Returns the seconds of each repeat of each piece of work.

    All pieces run once unmeasured, then in turns. Other load on the machine slows all of them
    alike, so ratios within one repeat can be trusted.

    Args:
        work: name -> function that returns arrays. Its time ends when they are ready.
        repeats: timed calls of each function.
    """
    import jax

    for function in work.values():
        jax.block_until_ready(function())
    seconds: dict[NameT, list[float]] = {name: [] for name in work}
    for _ in range(repeats):
        for name, function in work.items():
            started = time.perf_counter()
            jax.block_until_ready(function())
            seconds[name].append(time.perf_counter() - started)
    return seconds


def spread(values: Sequence[float], scale: float = 1) -> Spread:
    """Returns the median and the range of the values of all repeats, times `scale`."""
    scaled = [scale * value for value in values]
    return Spread(statistics.median(scaled), min(scaled), max(scaled))


def ratios(values: Sequence[float], others: Sequence[float]) -> Spread:
    """Returns the median and the range of the ratios within the repeats."""
    return spread([value / other for value, other in zip(values, others, strict=True)])


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Returns the lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def repeated_games(found: Mapping[str, tuple[int, int]]) -> list[str]:
    """Returns a line for each match with many repeated games.

    Args:
        found: the number of different games and of all games, by the name of the match.
    """
    from jaxgames.matches.statistics import repetition  # imports JAX, which `--help` must not

    warnings = {name: repetition(*counts, "--opening-plies") for name, counts in found.items()}
    return [f"- {name}: {text}" for name, text in warnings.items() if text]


def page(title: str, record: Mapping[str, Any], lines: Sequence[str]) -> str:
    """Returns a result file: its title, the record of the measurement, and the results."""
    return "\n".join([f"# {title}", "", environment.markdown(dict(record)), "", *lines]) + "\n"


def write_result(
    output: pathlib.Path,
    report: str,
    numbers: Mapping[str, Any],
    pictures: Mapping[pathlib.Path, bytes] | None = None,
) -> None:
    """Writes a report as Markdown, with all numbers as JSON beside it, and prints it.

    All files are written under other names first, so that a failure leaves the old ones whole.

    Args:
        output: the Markdown file; its folder is made.
        report: its text.
        numbers: for the JSON, in which numbers that are not finite become null.
        pictures: contents of further files.

    Raises:
        OSError: if they cannot be written; says where they are kept instead.
    """
    text = json.dumps(_finite(numbers), indent=1, allow_nan=False) + "\n"
    contents = dict(pictures or {})
    contents |= {output.with_suffix(".json"): text.encode(), output: report.encode()}
    files.deliver(contents)
    print(report)


def _finite(value: Any) -> Any:
    """Returns nested numbers with None in place of infinities and `nan`, which JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(x) for x in value]
    return value


@contextlib.contextmanager
def without_compilation_cache() -> Iterator[None]:
    """Switches JAX's persistent cache off, which would hide how long compilations take."""
    import jax

    before = jax.config.values["jax_enable_compilation_cache"]
    jax.config.update("jax_enable_compilation_cache", False)
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)


class Parser(argparse.ArgumentParser):
    """The command line of a benchmark: common options, and no result from an unknown program."""

    record: str | None = None
    """The default output below the folder of results; names of options in braces are filled in."""

    def __init__(self, program: str, description: str, **options: Any) -> None:
        """Makes a parser for `python -m program`."""
        super().__init__(
            prog=f"python -m {program}",
            description=description,
            epilog=command_line.HELP,
            **options,
        )

    def parse(self, arguments: Sequence[str] | None = None) -> argparse.Namespace:
        """Returns the options; mistakes end the program with a message and exit status 2."""
        options = self.parse_args(command_line.begin_or_exit(self.prog, arguments))
        if self.record is not None and options.output is None:
            options.output = self.default_output(options)
        if not options.allow_dirty:
            self._check_revision(options.output)
        return options

    def default_output(self, options: argparse.Namespace) -> pathlib.Path:
        """Returns the record of the project that a program with some options writes."""
        assert self.record is not None, "this program writes no record"
        return environment.RESULTS / (self.record.format_map(vars(options)) + ".md")

    def _check_revision(self, output: pathlib.Path) -> None:
        """Ends the program if a record of the project would not say which program it measured."""
        if not output.resolve().is_relative_to(environment.RESULTS):
            return
        if problem := environment.revision_problem():
            self.error(
                f"--output: {output} is a record of the project, and {problem}; commit first, name "
                "a file elsewhere, or mark the record with --allow-dirty"
            )


def add_output(parser: Parser, record: str) -> None:
    """Adds the options `--output` and `--allow-dirty`.

    Args:
        parser: the command line.
        record: default of `--output`, without its ending; see `Parser.record`.
    """
    parser.record = record
    folder = environment.RESULTS.relative_to(environment.CHECKOUT).as_posix()
    parser.add_argument(
        "--output",
        type=_markdown_path,
        help="result file (.md; a .json of the same name goes beside it; default: "
        f"{folder}/{record}.md)",
    )
    add_allow_dirty(parser)


def add_allow_dirty(parser: argparse.ArgumentParser) -> None:
    """Adds the option `--allow-dirty`."""
    parser.add_argument(
        "--allow-dirty",
        action="store_true",
        help="write a record of the project from changes that are not committed; it says so",
    )


def prepare_output(output: pathlib.Path, saved: Iterable[pathlib.Path]) -> None:
    """Makes the folder of a result file, and fails early if the file cannot be written.

    Args:
        output: the result file.
        saved: files of games, which a result must not overwrite.

    Raises:
        ValueError: if the file or its `.json` cannot be written, or is a file of games.
        OSError: if the folder cannot be made.
    """
    written = {path.resolve() for path in (output, output.with_suffix(".json"))}
    for path in saved:
        if path.resolve() in written:
            raise ValueError(f"--saved: {path} is a file of --output {output}; name another one")
    files.make_folder("--output", output.parent)
    for path in (output, output.with_suffix(".json")):
        files.check_writable("--output", path)


@contextlib.contextmanager
def user_errors(parser: argparse.ArgumentParser) -> Iterator[None]:
    """Turns a `ValueError` or `OSError` into a message and exit status 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, OSError) as error:
        parser.error(str(error))


def positive(text: str) -> int:
    """Reads a count of at least 1 from the command line.

    Raises:
        argparse.ArgumentTypeError: for anything else, or more than a 32-bit integer holds.
    """
    return _number(text, 1, checks.MOST)


def natural(text: str) -> int:
    """Reads a count of at least 0 from the command line; raises as `positive`."""
    return _number(text, 0, checks.MOST)


def seed(text: str) -> int:
    """Reads a seed; its 32 bits keep different seeds different in JAX; raises as `positive`."""
    return _number(text, 0, MAX_SEED)


def _number(text: str, least: int, most: int) -> int:
    is_number = text.isdecimal() and len(text) <= _MOST_DIGITS
    if not is_number or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from {least} to {most}, got {text!r}"
        )
    return int(text)


def _markdown_path(text: str) -> pathlib.Path:
    path = pathlib.Path(text)
    if path.suffix != ".md":
        raise argparse.ArgumentTypeError(f"expected a file name that ends in .md, got {text!r}")
    there = next(folder for folder in path.absolute().parents if folder.exists())
    try:
        files.check_writable("result file", path if path.parent.exists() else there / path.name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return path
