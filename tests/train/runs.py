"""What the tests of all training programs share."""

import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.locations import CHECKOUT
from train import metrics


def read(folder: str | pathlib.Path) -> list[dict[str, float]]:
    """Returns the metrics of a run without its times."""
    rows = metrics.read_metrics(pathlib.Path(folder) / metrics.FILE_NAME)
    return [{k: v for k, v in row.items() if not k.startswith("time/")} for row in rows]


def message(main: Callable[[list[str]], Any], arguments: list[str], capsys: Any) -> str:
    """Returns what a wrong command line prints, in one line without frames."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    return " ".join(capsys.readouterr().err.replace("│", " ").split())


def check_that_parsing_needs_no_jax(program: str, *mistake: str) -> None:
    """Asks a program for help, then makes a mistake: both are answered without JAX."""
    code = (
        f"import importlib, sys\nprogram = importlib.import_module({program!r})\n"
        "try: program.parse(sys.argv[1:])\n"
        "finally: print('jax imported:', 'jax' in sys.modules)"
    )
    for arguments, status in ((["--help"], 0), (list(mistake), 2)):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=CHECKOUT, capture_output=True, text=True
        )
        assert done.returncode == status, done.stderr
        assert done.stdout.splitlines()[-1] == "jax imported: False"
