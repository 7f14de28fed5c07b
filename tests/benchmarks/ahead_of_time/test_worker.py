"""The worker: no cache, plugins, and results in place of tracebacks."""

import jax
import pytest

from benchmarks.ahead_of_time import examine, kept, programs, this_machine, worker
from benchmarks.ahead_of_time.targets import H100
from tests.benchmarks.ahead_of_time.results import compiled


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Returns a function that runs the worker for two programs and returns what it found."""
    monkeypatch.setattr(this_machine, "chip", lambda: H100)

    def run(*arguments, game="onitama"):
        common = ["--target=here", f"--game={game}", "--preset=cpu", "--batch=4"]
        status = worker.main([*common, f"--folder={tmp_path}", *arguments, "init", "step"])
        assert status == 0
        names = [kept.file_name("here", game, "cpu", 4, name) for name in ("init", "step")]
        return [kept.read(tmp_path / name) for name in names]

    return run


@pytest.fixture
def examined(monkeypatch):
    """Returns whether JAX's cache was on at each examination; nothing is compiled."""
    cached = []

    def describe(program, chip, num_devices, run):
        cached.append(jax.config.values["jax_enable_compilation_cache"])
        if len(cached) == 2:
            raise RuntimeError("no memory")
        return compiled()

    monkeypatch.setattr(examine, "examine", describe)
    monkeypatch.setattr(programs.Programs, "make", lambda self, name: name)
    return cached


def test_compilations_are_timed_without_the_cache(work, examined, monkeypatch):
    monkeypatch.setitem(jax.config.values, "jax_enable_compilation_cache", True)
    assert work() == [compiled(), {"error": "RuntimeError: no memory"}]
    assert examined == [False, False]


def test_a_game_that_cannot_be_made_is_the_result_of_all_its_programs(work):
    for found in work(game="onitma"):
        assert "did you mean 'onitama'?" in found["error"]


def test_a_plugin_is_imported(work, examined):
    for found in work("--plugin=tests.nowhere"):
        assert "--plugin: cannot import 'tests.nowhere'" in found["error"]
    work("--plugin=tests.points_nim")
    assert len(examined) == 2
