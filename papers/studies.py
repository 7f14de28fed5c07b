"""The frame of all studies: where games in progress, records and pictures are, and their writing.

Records are in `benchmarks/results/papers/<paper>/`, pictures beside the page that shows them, in
`papers/<paper>/figures/`. Options are read by `benchmarks.measuring.Parser`.
"""

import os
import pathlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks import environment, measuring
from jaxgames.internal import files
from jaxgames.matches import resumable

RECORDS = environment.RESULTS / "papers"
PAPERS = environment.CHECKOUT / "papers"
Drawing = Callable[[pathlib.Path], None]
"""Draws a picture into a file."""


def checkpoint(option: str, path: pathlib.Path, name: str) -> resumable.Checkpoint:
    """Returns the checkpoint of a match: a file beside the one that its result goes to."""
    return resumable.Checkpoint(path.with_name(f"{path.stem}.{name}.npz"), option)


def stored(output: pathlib.Path) -> dict[str, Any]:
    """Returns the numbers of a record that was written before.

    Raises:
        ValueError: if there is none.
    """
    path = output.with_suffix(".json")
    if not path.is_file():
        raise ValueError(f"there is no record {path}")
    numbers: dict[str, Any] = files.parse_json(path.read_bytes())
    return numbers


def write(
    output: pathlib.Path,
    paper: str,
    title: str,
    record: Mapping[str, Any],
    lines: Sequence[str],
    numbers: Mapping[str, Any],
    figures: Mapping[str, Figure | Drawing],
) -> None:
    """Writes the record of a study and its pictures; a failure leaves the old ones whole.

    Args:
        output: the Markdown file; the numbers go beside it as JSON.
        paper: folder of the paper in `papers/`.
        title: heading of the page.
        record: how and where the study was made.
        lines: the results as Markdown; the pictures follow them.
        numbers: the results for the JSON.
        figures: pictures by file name, whose ending is their format.
    """
    folder = figures_of(output, paper)
    pictures = {folder / name: _drawn(figure, name) for name, figure in figures.items()}
    links = [f"![{path.stem}]({link(path, output)})" for path in pictures]
    shown = [line for picture in links for line in ("", picture)]
    page = measuring.page(title, record, [*lines, *shown])
    measuring.write_result(output, page, {"environment": record, **numbers}, pictures)


def figures_of(output: pathlib.Path, paper: str) -> pathlib.Path:
    """Returns the folder for the pictures of a record: its own, unless it is one of the project."""
    is_of_project = output.resolve().parent == RECORDS / paper
    return PAPERS / paper / "figures" if is_of_project else output.parent


def link(picture: pathlib.Path, output: pathlib.Path) -> str:
    """Returns the path of a picture as the record shows it, with slashes on every system."""
    path = os.path.relpath(picture.resolve(), output.resolve().parent)
    return pathlib.Path(path).as_posix()


def _drawn(figure: Figure | Drawing, name: str) -> bytes:
    """Returns the content of a picture file; the same figure always gives the same file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        if isinstance(figure, Figure):
            metadata = {"Date": None} if path.suffix == ".svg" else None
            with rc_context({"svg.fonttype": "none", "svg.hashsalt": "study"}):
                figure.savefig(path, dpi=120, metadata=metadata)
        else:
            figure(path)
        return path.read_bytes()
