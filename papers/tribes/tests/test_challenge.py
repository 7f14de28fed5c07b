"""`papers.tribes.challenge`: groups of both seats on the paper's levels."""

import dataclasses
import json

import pytest

from jaxgames.internal import array_files, devices
from papers import studies
from papers.tribes import challenge


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (["--agent=nobody"], "unknown agent 'nobody'"),
        (["--opponents", "RBB"], "invalid choice: 'RBB'"),
        (["--opponents", "RHEA", "--calls=5"], "budget=5 must pay for one generation"),
        (["--cpu-devices=1025"], "--cpu-devices must be from 0 to 1024, got 1025"),
        (["--cpu-devices=2", "--games=6"], "cpu_devices must divide the 3 groups of games"),
        (["--agent=human"], "nobody can be asked here"),
        (["--agent=random", "--games=2"], "result.RB.npz is no file of games that were stopped"),
    ],
)
def test_mistakes_end_with_a_message_before_the_first_game(
    mistake, words, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(challenge, "play", None)
    (tmp_path / "result.RB.npz").write_bytes(b"junk")
    with pytest.raises(SystemExit) as exit_:
        challenge.main([*mistake, f"--output={tmp_path / 'result.md'}"])
    assert exit_.value.code == 2
    assert words in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("option", "number"), [([], 3), (["--cpu-devices=2"], 2), (["--games=10"], 1)]
)
def test_a_stopped_challenge_goes_on_with_its_devices(
    tmp_path, monkeypatch, capsys, option, number
):
    """Of the pairs of games, three devices divide 6 but not 5."""

    def use(number):
        raise ValueError(f"{number} devices")

    monkeypatch.setattr(devices, "use_cpu_devices", use)
    monkeypatch.setattr(devices, "num_cores", lambda: 1)
    array_files.write(tmp_path / "result.RB.npz", {}, {"devices": 3})
    with pytest.raises(SystemExit):
        challenge.main(["--games=12", *option, f"--output={tmp_path / 'result.md'}"])
    assert f"error: {number} devices\n" in capsys.readouterr().err


@pytest.mark.slow
def test_a_stopped_challenge_goes_on_to_the_same_end(tmp_path, monkeypatch, capsys):
    def play(output, games=4):
        arguments = ["--agent=random", "--opponents", "RB", "RND", f"--games={games}"]
        challenge.main([*arguments, f"--output={output}"])
        results = json.loads(output.with_suffix(".json").read_text())["results"]
        return [result | {"seconds": 0} for result in results]

    def stop(done, parts):
        raise KeyboardInterrupt

    whole = play(tmp_path / "whole.md")
    usual = studies.checkpoint

    def stopping(option, output, name):
        report = stop if name == "RND" else None
        return dataclasses.replace(usual(option, output, name), report=report, seconds=0.0)

    monkeypatch.setattr(studies, "checkpoint", stopping)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "stopped.md")
    kept = sorted(path.name for path in tmp_path.glob("*.npz"))
    assert kept == ["stopped.RB.npz", "stopped.RND.npz"]
    with pytest.raises(SystemExit):
        play(tmp_path / "stopped.md", games=6)
    assert "its games is 4, not 6" in capsys.readouterr().err
    monkeypatch.setattr(studies, "checkpoint", usual)
    assert play(tmp_path / "stopped.md") == whole
    assert not list(tmp_path.glob("*.npz"))
