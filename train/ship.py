"""`python -m train.ship`: makes a trained network one of those that come with the library.

The network is written in half precision to `jaxgames/pretrained/`. What the command prints belongs
into the README of that folder, beside the strength of the network.
"""

import argparse
import hashlib
import pathlib
import sys
from typing import Any

import numpy as np

from agents import command_line
from jaxgames.networks import network_files
from jaxgames.networks.shipped import FOLDER
from jaxgames.players.stored_networks import load_network

PROGRAM = "python -m train.ship"
MOST_BYTES = 1_000_000


def main(arguments: list[str] | None = None) -> int:
    """Writes the file and prints its row of the README; returns the exit status."""
    given = command_line.begin_or_exit(PROGRAM, arguments)
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Makes a trained network one of those that come with the library.",
        epilog=command_line.HELP,
    )
    parser.add_argument("network", help="exported network, or run folder: its newest network")
    parser.add_argument("--name", help="name of the network (default: the id of its game)")
    parser.add_argument("--replace", action="store_true", help="replace a network of this name")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER, help="where to write it")
    options = parser.parse_args(given)
    try:
        path = ship(options.network, options.name, options.folder, replace=options.replace)
    except ValueError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    print(row(path))
    return 0


def ship(
    network: str, name: str | None, folder: pathlib.Path, *, replace: bool = False
) -> pathlib.Path:
    """Writes a network in half precision and returns its file.

    Args:
        network: a run's folder or an exported file.
        name: the name of the network; None: the id of its game.
        folder: where to write it.
        replace: whether it may take the place of a network of the same name.

    Raises:
        ValueError: if the network cannot be read, its parameters have no place in half precision,
            the file would be larger than `MOST_BYTES`, or there is one of this name.
    """
    params, meta = load_network(network)
    largest = max(float(np.abs(x).max()) for x in network_files.flatten(params).values())
    if not largest < float(np.finfo(np.float16).max):
        raise ValueError(f"{network}: a parameter is {largest:g}, too large for half precision")
    path = folder / f"{name or meta['game']}.npz"
    if path.exists() and not replace:
        raise ValueError(f"there is a network at {path}; --replace takes its place")
    trial = path.with_suffix(".trial")
    network_files.save_network(trial, params, meta, half_precision=True)
    if (size := trial.stat().st_size) > MOST_BYTES:
        trial.unlink()
        raise ValueError(f"{network}: the file would have {size:,} bytes, at most {MOST_BYTES:,}")
    trial.replace(path)
    return path


def row(path: pathlib.Path) -> str:
    """Returns the row of the README for a shipped file."""
    meta: dict[str, Any] = network_files.load_network(path)[1]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return (
        f"| `{path.stem}` | {meta['game']} {meta['env_options']} | {meta.get('minutes', 0):.1f} | "
        f"`{digest}` |"
    )


if __name__ == "__main__":
    command_line.run(main)
