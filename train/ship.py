"""`python -m train.ship`: makes a trained network one of those that come with the library.

The network is written in half precision to `jaxgames/pretrained/`. What the command prints belongs
into the README of that folder, beside the strength of the network.
"""

import argparse
import hashlib
import pathlib
import re
import sys
from typing import Any

import numpy as np

from agents import command_line
from jaxgames.networks import network_files
from jaxgames.networks.shipped import FOLDER
from jaxgames.players import registry, spec
from jaxgames.players.afterstate import PLAYS_AS
from jaxgames.players.knowledge import afterstate_domain_of
from jaxgames.players.stored_networks import load_network
from jaxgames.search.agent import Params
from train.afterstates.seats import with_more_seats

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
    parser.add_argument(
        "--seats",
        type=int,
        help="fit values of afterstates to a game of more seats, whose opponents count alike",
    )
    parser.add_argument("--replace", action="store_true", help="replace a network of this name")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER, help="where to write it")
    options = parser.parse_args(given)
    try:
        path = ship(
            options.network,
            options.name,
            options.folder,
            seats=options.seats,
            replace=options.replace,
        )
    except ValueError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    print(row(path))
    return 0


def ship(
    network: str,
    name: str | None,
    folder: pathlib.Path,
    *,
    seats: int | None = None,
    replace: bool = False,
) -> pathlib.Path:
    """Writes a network in half precision and returns its file.

    Args:
        network: a run's folder or an exported file.
        name: the name of the network; None: the id of its game.
        folder: where to write it.
        seats: the seats of a game to which values of afterstates are fitted; None: as learned.
        replace: whether it may take the place of a network of the same name.

    Raises:
        ValueError: if the name is anything but lower-case letters, digits and underscores, the
            network cannot be read or fitted, its parameters have no place in half precision, the
            file would be larger than `MOST_BYTES`, or there is one of this name.
    """
    params, meta = load_network(network)
    name = _checked(meta["game"] if name is None else name)
    if seats is not None:
        params, meta = _with_seats(network, params, meta, seats)
    largest = max(float(np.abs(x).max()) for x in network_files.flatten(params).values())
    if not largest < float(np.finfo(np.float16).max):
        raise ValueError(f"{network}: a parameter is {largest:g}, too large for half precision")
    path = folder / f"{name}.npz"
    if path.exists() and not replace:
        raise ValueError(f"there is a network at {path}; --replace takes its place")
    trial = path.with_suffix(".trial")
    network_files.save_network(trial, params, meta, half_precision=True)
    if (size := trial.stat().st_size) > MOST_BYTES:
        trial.unlink()
        raise ValueError(f"{network}: the file would have {size:,} bytes, at most {MOST_BYTES:,}")
    trial.replace(path)
    return path


def _checked(name: str) -> str:
    """Returns a name, which becomes that of a file and stands in specs: `network=NAME`."""
    if re.fullmatch(r"[a-z0-9_]+", name, re.ASCII):
        return name
    nearest = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    hint = f"; did you mean {nearest!r}?" if nearest else ""
    raise ValueError(
        f"--name must have lower-case letters, digits and underscores only, got {name!r}{hint}"
    )


def _with_seats(
    source: str, params: Params, meta: dict[str, Any], seats: int
) -> tuple[Params, dict[str, Any]]:
    """Returns a network of a game with more seats, and its description."""
    if meta.get("plays_as") != PLAYS_AS:
        raise ValueError(f"{source}: only values of afterstates can be fitted to more seats")
    fields = spec.parse_fields(meta["env_options"]) | {"num_players": str(seats)}
    options = ",".join(f"{name}={value}" for name, value in fields.items())
    env = registry.make_env(meta["game"], options)
    if not (of_seat := afterstate_domain_of(env).num_seat_features):
        raise ValueError(
            f"{source}: features of {env.id} are not by seat, so no seats can be added"
        )
    fitted, changes = with_more_seats(params, meta, env, of_seat)
    if not changes:
        before = registry.make_env(meta["game"], meta["env_options"]).num_players
        raise ValueError(f"{source}: seats must be more than its {before}, got {seats}")
    return fitted, meta | {"env_options": options}


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
