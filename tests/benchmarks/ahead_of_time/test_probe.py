"""Processes that are asked about a target before anything is compiled for it."""

import sys

import pytest

from benchmarks import environment
from benchmarks.ahead_of_time import probe, targets


@pytest.fixture
def answer(monkeypatch):
    """Replaces the process by a short program."""

    def replace(text):
        monkeypatch.setattr(probe, "COMMAND", [sys.executable, "-c", text])

    return replace


def test_the_record_is_made_by_another_process(answer, monkeypatch):
    def fail():
        raise AssertionError("this process would start a backend")

    monkeypatch.setattr(environment, "record", fail)
    answer("""print('noise'); print('{"device": "1 x cpu (cpu)", "command": "probe"}')""")
    found = probe.record()
    assert found["device"] == "1 x cpu (cpu)"
    assert found["command"] == environment.command()
    assert found["revision"] == environment.revision_at_start()


def test_a_process_says_what_is_wrong(answer):
    answer("import sys; print('cannot compile for v5e: no libtpu'); sys.exit(2)")
    with pytest.raises(ValueError, match=r"^cannot compile for v5e: no libtpu$"):
        probe.check("v5e")


def test_a_process_that_dies_is_a_target_that_cannot_be_used(answer):
    answer("import os, sys; print('no lock', file=sys.stderr, flush=True); os.abort()")
    with pytest.raises(ValueError, match=r"the target v5e: .* signal 6 \(Aborted\); no lock"):
        probe.check("v5e")


def test_the_process_prints_what_the_compiler_of_a_target_lacks(monkeypatch, capsys):
    def devices(target):
        raise ValueError(f"cannot compile for {target.name}:\nno plugin")

    monkeypatch.setattr(targets, "devices", devices)
    monkeypatch.setattr(targets, "set_environment", lambda target: None)
    assert probe.main(["h100"]) == probe.PROBLEM_STATUS
    assert capsys.readouterr().out == "cannot compile for h100: no plugin\n"


@pytest.mark.parametrize(("text", "shown"), [("", "NotImplementedError"), ("\nno\nmore", "no")])
def test_an_error_of_a_compiler_may_lack_a_text(monkeypatch, text, shown):
    from jax.experimental import topologies

    def fail(**keywords):
        raise NotImplementedError(text)

    monkeypatch.setattr(topologies, "get_topology_desc", fail)
    monkeypatch.setattr("importlib.metadata.distributions", lambda: [])
    with pytest.raises(ValueError, match=rf"v5e: {shown}; {targets.NOT_INSTALLED}: pip install"):
        targets.devices(targets.TARGETS["v5e"])
