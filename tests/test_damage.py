"""Whatever happened to a file or an argument, it is read as it stands or refused by a message."""

import contextlib
import dataclasses
import json
import pathlib
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
import pytest
import tyro

import jaxgames
from agents.arena import tournament
from benchmarks import measuring
from configs import presets
from configs.tournament import TournamentConfig
from jaxgames import records
from jaxgames.internal import array_files
from jaxgames.matches import resumable
from jaxgames.networks import network_files
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.evaluators import load_evaluator
from jaxgames.networks.network import make_network
from jaxgames.players import registry
from jaxgames.players.opening_book import storage
from jaxgames.players.stored_networks import load_network
from tests import damage
from tests.jaxgames.players.opening_book import books
from train import metrics, run_record

QUICK = 60  # damages of each kind
THOROUGH = 1_500  # 20,000 damages in all
SIZES = NetworkConfig(channels=4, blocks=1, policy_channels=2, value_channels=1, value_hidden=3)
GAMES = TournamentConfig(agents=("first_legal", "random"), games=2, env_options="max_plies=30")
SPECS = (
    "random",
    "minimax:depth=2",
    "alpha_beta:depth=3",
    "negascout:depth=2,table=4",
    "mcts:simulations=8,c=0.5",
    "gumbel:evaluator=uniform,simulations=4",
    "gumbel:evaluator=heuristic,simulations=4,max_children=8",
    "puct:evaluator=rollout,simulations=4,dirichlet_alpha=0.3",
    "greedy",
    "rhea:budget=8,depth=2",
)
OPTIONS = ("max_plies=30", "deck=all,max_plies=9", "deal=boar,ox|elephant,horse|crab")
Reader = Callable[[pathlib.Path], object]


def check(
    read: Callable[[Any], object],
    whole: Sequence[Any],
    damaged: Callable[[Any, np.random.Generator], Any],
    number: int,
) -> None:
    """Reads each whole thing, then many damaged ones; only a `ValueError` may come of these.

    A whole thing that is refused would hide every fault behind that refusal.
    """
    for thing in whole:
        read(thing)
    for index in range(number):
        random = np.random.default_rng([zlib.crc32(read.__name__.encode()), index])
        thing = damaged(whole[random.integers(len(whole))], random)
        with contextlib.suppress(ValueError):
            read(thing)


@pytest.fixture(params=[QUICK, pytest.param(THOROUGH, marks=pytest.mark.slow)])
def number(request) -> int:
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> pathlib.Path:
    """A whole file of each kind."""
    folder = tmp_path_factory.mktemp("whole")
    env = jaxgames.make("onitama")
    network = make_network(env, SIZES)
    network_files.save_network(
        folder / "network.npz",
        network.init(jax.random.key(0)),
        network_files.describe(env, "", SIZES, 3),
    )
    book = folder / "book.npz"
    storage.save(book, books.small(), storage.describe(books.ENV, {"seed": 0}))
    saved = {"output": folder / "results.json", "save_games": folder / "games.jsonl"}
    tournament.run(dataclasses.replace(GAMES, **saved))
    rows = [{"iteration": n, "learner/loss": 1.5, "time/minutes": None} for n in range(4)]
    (folder / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    config = dataclasses.replace(
        presets.preset("alphazero", "onitama", "cpu"), run_dir=str(folder / "run")
    )
    run_record.open_run(config, "1").lock.release()
    record = json.loads((folder / "run" / "record.json").read_text())
    (folder / "record.json").write_text(json.dumps(record) + "\n")
    progress = resumable.Checkpoint(folder / "progress.npz")
    resumable._save(progress, {"what": "numbers"}, np.arange(3), 1.0)
    return folder


def read_record(path: pathlib.Path) -> None:
    config = dataclasses.replace(
        presets.preset("alphazero", "onitama", "cpu"), run_dir=str(path.parent)
    )
    run_record.open_run(config, "1").lock.release()


def read_games(path: pathlib.Path) -> None:
    for game in records.read(path):
        records.check(game)


def read_network(path: pathlib.Path) -> None:
    load_network(path)
    load_evaluator(jaxgames.make("onitama"), path)


def read_progress(path: pathlib.Path) -> None:
    like = jax.ShapeDtypeStruct((3,), np.int64)
    resumable._load(resumable.Checkpoint(path), {"what": "numbers"}, like)


READERS: dict[str, Reader] = {
    "book.npz": lambda path: storage.load(path, books.ENV),
    "games.jsonl": read_games,
    "metrics.jsonl": metrics.read_metrics,
    "network.npz": read_network,
    "progress.npz": read_progress,
    "record.json": read_record,
    "results.json": lambda path: tournament.check(dataclasses.replace(GAMES, output=path)),
}


@pytest.mark.parametrize("name", sorted(READERS))
def test_files_with_changed_bytes(name, folder, tmp_path, number):
    def read_bytes(content):
        (tmp_path / name).write_bytes(content)
        READERS[name](tmp_path / name)

    check(read_bytes, [(folder / name).read_bytes()], damage.damaged_bytes, number)


@pytest.mark.parametrize("name", [name for name in sorted(READERS) if "json" in name])
def test_files_with_other_values(name, folder, tmp_path, number):
    contents = [json.loads(line) for line in (folder / name).read_text().splitlines()]
    for content in contents:
        content.pop("checksum", None)  # so that the values themselves are read

    def read_text(text):
        (tmp_path / name).write_text(text)
        READERS[name](tmp_path / name)

    text = "".join(f"{json.dumps(content)}\n" for content in contents)
    check(read_text, [text], damage.damaged_json_text, number)


@pytest.mark.parametrize("name", [name for name in sorted(READERS) if name.endswith(".npz")])
def test_files_of_arrays_with_another_description_or_other_arrays(name, folder, tmp_path, number):
    def read_parts(parts):
        arrays, meta = parts
        if isinstance(meta, dict):
            array_files.write(tmp_path / name, arrays, meta)
        else:
            np.savez(tmp_path / name, meta=np.array(meta), **arrays)
        READERS[name](tmp_path / name)

    def damaged(parts, random):
        arrays, meta = parts
        if random.integers(2):
            return arrays, json.dumps(damage.damaged_json(meta, random))
        return damage.damaged_arrays(arrays, random), meta

    check(read_parts, [array_files.read(folder / name)], damaged, number)


def test_specs_of_agents(number):
    env = jaxgames.make("onitama")

    def read_spec(spec):
        registry.make(spec, env)

    check(read_spec, SPECS, damage.damaged_text, number)


def test_options_of_games(number):
    def read_options(options):
        registry.make_env("onitama", options)

    check(read_options, OPTIONS, damage.damaged_text, number)


@pytest.mark.parametrize("option", ["--games", "--seed", "--opening-plies", "--k-factor"])
def test_numbers_of_a_command(option):
    def read_number(value):
        arguments = ["--agents", "random", "first_legal", f"{option}={value}"]
        tournament.check(tyro.cli(TournamentConfig, args=arguments))

    read_number("2")
    for value in damage.ODD_TEXTS:
        with contextlib.suppress(ValueError, SystemExit):
            read_number(value)


@pytest.mark.parametrize("read", [measuring.positive, measuring.natural, measuring.seed])
def test_numbers_of_a_benchmark(read):
    assert read("2") == 2
    for value in damage.ODD_TEXTS:
        with contextlib.suppress(measuring.argparse.ArgumentTypeError):
            assert read(value) < 2**32
