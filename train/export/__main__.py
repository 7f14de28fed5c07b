"""`python -m train.export`: writes a trained network in a format of other programs.

What has been written is read back and compared with the network on positions of random games.
"""

import argparse
import pathlib
import sys
from typing import NamedTuple

from agents import command_line
from jaxgames.internal import programs

PROGRAM = programs.command("train.export")
NAMES = ("onnx", "safetensors", "stablehlo")
MOST_DIFFERENCE = 1e-4
"""Between results; a larger one is an error. Sums in another order differ in the last bits."""


class Exported(NamedTuple):
    """A network in a file."""

    path: pathlib.Path
    size: int
    """Bytes of the file."""
    difference: float
    """The largest one between a result of the file and one of the network."""


def main(arguments: list[str] | None = None) -> int:
    """Writes the file and prints what it holds; returns the exit status."""
    given = command_line.begin_or_exit(PROGRAM, arguments)
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Writes a trained network in a format of other programs.",
        epilog=command_line.HELP,
    )
    parser.add_argument("network", help="name of a pretrained network, network file or run folder")
    parser.add_argument("--format", required=True, choices=NAMES)
    parser.add_argument("--output", type=pathlib.Path, help="file (default: NAME.FORMAT)")
    parser.add_argument("--replace", action="store_true", help="replace a file that is there")
    parser.add_argument(
        "--positions", type=int, default=100, help="of random games, for the comparison"
    )
    options = parser.parse_args(given)
    try:
        found = export(
            options.network, options.format, options.output, options.positions, options.replace
        )
    except (ValueError, OSError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    print(
        f"{found.path}: {found.size:,} bytes; largest difference of a result in "
        f"{options.positions:,} positions: {found.difference:.1e}"
    )
    return 0


def export(
    name: str,
    kind: str,
    output: pathlib.Path | None = None,
    positions: int = 100,
    replace: bool = False,
) -> Exported:
    """Writes a trained network, and compares it with itself as it is read back.

    Args:
        name: the name of a network of the library, a network file, or the folder of a run.
        kind: one of `NAMES`.
        output: the file; None: the name with the suffix of the format, in the working folder.
        positions: how many are compared, at least one.
        replace: whether a file that is there is replaced.

    Raises:
        ValueError: if there is no such network, a package is missing, the file is there, or its
            results differ from those of the network by more than `MOST_DIFFERENCE`.
        OSError: if the file cannot be written.
    """
    from jaxgames.internal import files
    from train.export import functions
    from train.export.formats import FORMATS, results

    if positions < 1:
        raise ValueError(f"--positions must be at least 1, got {positions}")
    form = FORMATS[kind]
    path = output or pathlib.Path(pathlib.Path(name).stem + form.suffix)
    if path.exists() and not replace:
        raise ValueError(f"there is a file at {path}; --replace takes its place")
    files.check_writable("--output", path)
    network = functions.load(name)
    content = form.encode(network)
    inputs = network.positions(positions, 0)
    difference = max(
        float(abs(mine - theirs).max())
        for mine, theirs in zip(
            results(network, inputs), form.evaluate(network, content, inputs), strict=True
        )
    )
    if not difference <= MOST_DIFFERENCE:
        raise ValueError(
            f"{name}: a result of the {kind} file differs by {difference:g} from the network's, "
            f"at most {MOST_DIFFERENCE:g} is expected; nothing is written"
        )
    files.replace(path, content)
    return Exported(path, len(content), difference)


if __name__ == "__main__":
    command_line.run(main)
