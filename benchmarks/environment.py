"""On what a benchmark ran: hardware, versions, command. Every result file carries this record."""

import datetime
import os
import pathlib
import platform
import subprocess
import sys
from importlib import metadata
from typing import Any

PACKAGES = ("jax", "jaxlib", "flax", "numpy", "mctx", "optax", "pgx")
CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = CHECKOUT / "benchmarks" / "results"


def record() -> dict[str, Any]:
    """Returns the record as a dictionary of plain values. Starts the backend of JAX."""
    import jax

    devices = jax.devices()
    return {
        "command": command(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "revision": git_revision(),
        "device": f"{len(devices)} x {devices[0].device_kind} ({devices[0].platform})",
        "cpu": f"{_cpu_model()}, {os.cpu_count()} cores",
        "load": f"{os.getloadavg()[0]:.2f} (average of the last minute, when the record was made)",
        "python": platform.python_version(),
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", "").strip() or "none",
        "versions": {name: _version(name) for name in PACKAGES},
    }


def command() -> str:
    """Returns the command line, as `python -m module arguments` for a module of the checkout."""
    path = pathlib.Path(sys.argv[0])
    if path.is_relative_to(CHECKOUT):
        module = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
        return " ".join(["python -m", module.removesuffix(".__main__"), *sys.argv[1:]])
    return " ".join([path.name, *sys.argv[1:]])


def git_revision() -> str:
    """Returns the commit of the checkout, with `+` if other files than results differ from it."""
    try:
        results = (f":!{RESULTS.relative_to(CHECKOUT)}", ":!papers/*/figures")
        is_changed = _git("status", "--porcelain", "--", ".", *results)
        return _git("rev-parse", "--short", "HEAD") + ("+" if is_changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def revision_problem() -> str | None:
    """Returns why a record made now would not say which program it measured; None if it would."""
    revision = git_revision()
    if revision == "unknown":
        return "the revision is unknown (this is no git checkout)"
    if revision.endswith("+"):
        return f"files differ from the commit {revision[:-1]}"
    return None


def is_in_history(revision: str) -> bool:
    """Whether a revision of a record, such as `1a2b3c4` or `1a2b3c4+`, is clean and known here."""
    if revision.endswith("+"):
        return False
    try:
        _git("merge-base", "--is-ancestor", revision, "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def is_shallow() -> bool:
    """Whether the checkout has no full history, so that old revisions cannot be looked up."""
    try:
        return _git("rev-parse", "--is-shallow-repository") == "true"
    except (OSError, subprocess.CalledProcessError):
        return True


def markdown(entries: dict[str, Any]) -> str:
    """Returns the record as a list for a result file."""
    lines = []
    for name, value in entries.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {item}" for key, item in value.items() if item)
        lines.append(f"- {name}: {f'`{value}`' if name == 'command' else value}")
    return "\n".join(lines)


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _cpu_model() -> str:
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
