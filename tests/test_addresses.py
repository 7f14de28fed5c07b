"""Addresses of object stores are refused before any work, wherever a path is expected."""

import dataclasses
import importlib
import pathlib
import sys

import pytest

from benchmarks.commands import COMMANDS
from configs import presets
from jaxgames.internal import compilation_cache, files, programs
from jaxgames.networks import network_files
from train import run_record

ADDRESSES = ("gs://bucket/x", "s3://bucket/runs/a.npz", "https://example.org/x", "az+blob://c/x")
MODULES = {
    *(program.module for program in programs.PROGRAMS.values()),
    "train.ship",
    "benchmarks.golden.__main__",
    "benchmarks.ahead_of_time.__main__",
    "papers.tribes.study.__main__",
    "papers.murus_gallicus.evolution.__main__",
    "papers.onitama_report.train",
}
WAYS = {
    "one word": lambda address: [f"--output={address}"],
    "two words": lambda address: ["--run-dir", address],
    "several": lambda address: ["--plot", "x.png", address],
    "in a spec": lambda address: [f"--agent=alphazero:path={address},simulations=4"],
    "the name alone": lambda address: [address],
    "the cache": lambda address: [f"--compilation-cache={address}"],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_command_refuses_an_address(monkeypatch, capsys, tmp_path, module, way):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["command", *WAYS[way](ADDRESSES[0])])
    try:
        status = importlib.import_module(module).main()
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert "expected a path of this machine, got the address gs:/" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_benchmark_refuses_an_address(monkeypatch, capsys, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        COMMANDS[name].parser(name).parse(["--output=gs://bucket/x.md"])
    assert "expected a path of this machine" in capsys.readouterr().err


CONFIG = presets.preset("alphazero", "onitama", "cpu")
WRITERS = {
    "run": lambda path: run_record.open_run(dataclasses.replace(CONFIG, run_dir=path), "1"),
    "export": network_files.check_target,
    "cache": compilation_cache.enable,
    "file": lambda path: files.deliver({pathlib.Path(path): "text"}),
    "check": lambda path: files.check_writable("output", pathlib.Path(path)),
}


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("writer", WRITERS)
def test_the_library_makes_no_folder_for_an_address(monkeypatch, tmp_path, writer, address):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, OSError), match="address"):
        WRITERS[writer](address)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["runs/a", "C:/runs/a", "C:\\runs", "a:b/c", "/x:y/z", "./gs:/x"])
def test_paths_are_no_addresses(path):
    assert not files.is_address(path)
