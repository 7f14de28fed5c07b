"""What a benchmark measured, and where: revision, command, hardware and versions.

Every result file carries this record.
"""

import datetime
import functools
import os
import pathlib
import platform
import shlex
import sys
from importlib import metadata
from typing import Any

from jaxgames.internal import git

PACKAGES = ("jax", "jaxlib", "flax", "numpy", "mctx", "optax", "pgx")
CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = CHECKOUT / "benchmarks" / "results"
DIRTY = "+"  # follows a revision from which files differ


def record() -> dict[str, Any]:
    """Returns the record as a dictionary of plain values. Starts the backend of JAX."""
    import jax

    from train.run_record import cpu_model

    devices = jax.devices()
    return {
        "command": command(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "revision": revision_at_start(),
        "device": f"{len(devices)} x {devices[0].device_kind} ({devices[0].platform})",
        "cpu": f"{cpu_model()}, {os.cpu_count()} cores",
        "load": _load(),
        "python": platform.python_version(),
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", "").strip() or "none",
        "versions": {name: _version(name) for name in PACKAGES},
    }


def command() -> str:
    """Returns the command line for a shell: `python -m MODULE` for a module of the checkout."""
    path = pathlib.Path(sys.argv[0])
    program = [path.name]
    if path.is_relative_to(CHECKOUT):
        module = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
        program = ["python", "-m", module.removesuffix(".__main__")]
    return shlex.join([*program, *sys.argv[1:]])


def git_revision() -> str:
    """Returns the commit of the checkout, or `unknown`.

    A `+` follows if files differ from the commit. Results and figures do not count: a benchmark
    writes them.
    """
    results = (f":!{RESULTS.relative_to(CHECKOUT)}", ":!papers/*/figures")
    changes = git.ask(CHECKOUT, "status", "--porcelain", "--", ".", *results)
    revision = git.ask(CHECKOUT, "rev-parse", "--short", "HEAD")
    if changes is None or revision is None:
        return "unknown"
    return revision + (DIRTY if changes else "")


@functools.cache
def revision_at_start() -> str:
    """Returns the revision when this was first asked for: at the start of a benchmark.

    Commits and changes made while a benchmark runs are not in the program that it measures.
    """
    return git_revision()


def revision_problem() -> str | None:
    """Returns why a record would not say which program it measures; None if it would."""
    revision = revision_at_start()
    if revision == "unknown":
        return "the revision is unknown (this is no git checkout)"
    if revision.endswith(DIRTY):
        return f"files differ from the commit {revision[:-1]}"
    return None


def is_in_history(revision: str) -> bool:
    """Whether a revision of a record is clean, and an ancestor of the commit that is checked out.

    Args:
        revision: such as `1a2b3c4`, or `1a2b3c4+` for a commit with changes.
    """
    is_clean = not revision.endswith(DIRTY)
    return (
        is_clean and git.ask(CHECKOUT, "merge-base", "--is-ancestor", revision, "HEAD") is not None
    )


def is_shallow() -> bool:
    """Whether the checkout has no full history, so that old revisions cannot be looked up."""
    return git.ask(CHECKOUT, "rev-parse", "--is-shallow-repository") in ("true", None)


def markdown(entries: dict[str, Any]) -> str:
    """Returns the record as a list for a result file."""
    lines = []
    for name, value in entries.items():
        if name == "revision" and value.endswith(DIRTY):
            value = f"{value} (with changes that are not committed)"
        if isinstance(value, dict):
            value = ", ".join(f"{key} {item}" for key, item in value.items() if item)
        lines.append(f"- {name}: {f'`{value}`' if name == 'command' else value}")
    return "\n".join(lines)


def _load() -> str:
    if not hasattr(os, "getloadavg"):  # on Windows
        return "unknown"
    return f"{os.getloadavg()[0]:.2f} (average of the last minute, when the record was made)"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
