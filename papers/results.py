"""Where a study puts its record and its pictures.

Records are in `benchmarks/results/papers/<paper>/`, pictures beside the page that shows them, in
`papers/<paper>/figures/`.
"""

import os
import pathlib

from benchmarks import environment

RECORDS = environment.RESULTS / "papers"
PAPERS = environment.CHECKOUT / "papers"


def figures(paper: str) -> pathlib.Path:
    """Returns the folder of the pictures that the page of a paper shows."""
    return PAPERS / paper / "figures"


def figures_of(output: pathlib.Path, paper: str) -> pathlib.Path:
    """Returns the folder for the pictures of a record: its own, unless it is one of the project.

    Args:
        output: file of the record.
        paper: folder of the paper in `papers/`.
    """
    is_of_project = output.resolve().parent == RECORDS / paper
    return figures(paper) if is_of_project else output.parent


def link(picture: pathlib.Path, output: pathlib.Path) -> str:
    """Returns the path of a picture as the record shows it, with slashes on every system."""
    path = os.path.relpath(picture.resolve(), output.resolve().parent)
    return pathlib.Path(path).as_posix()
