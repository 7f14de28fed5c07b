"""`papers.tribes.challenge`: groups of both seats on the paper's levels."""

import dataclasses
import json

import numpy as np
import pytest

from jaxgames.internal import array_files
from jaxgames.matches import match as arena_match
from papers.tribes import challenge


def test_mistakes_end_with_a_message(tmp_path, capsys):
    for mistake, words in (
        (["--agent=nobody"], "unknown agent 'nobody'"),
        (["--agent=rhea:budget=0"], "budget"),
        (["--opponents", "RBB"], "invalid choice: 'RBB'"),
        (["--games=0"], "--games"),
        (["--opponents", "RHEA", "--calls=5"], "budget=5 must pay for one generation"),
        (["--opponents", "MCTS", "--calls=99999999"], "budget must be at most"),
        (["--cpu-devices=1025"], "--cpu-devices must be from 0 to 1024, got 1025"),
        (["--cpu-devices=2", "--games=6"], "cpu_devices must divide the 3 groups of games"),
        (["--agent=human"], "nobody can be asked here"),
    ):
        with pytest.raises(SystemExit) as exit_:
            challenge.main([*mistake, f"--output={tmp_path / 'result.md'}"])
        assert exit_.value.code == 2
        assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_file_of_other_games_is_refused_before_the_first_game(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(challenge, "play", None)
    output = tmp_path / "result.md"
    (tmp_path / "result.RB.npz").write_bytes(b"junk")
    with pytest.raises(SystemExit) as exit_:
        challenge.main(
            ["--agent=random", "--opponents", "RND", "RB", "--games=2", f"--output={output}"]
        )
    assert exit_.value.code == 2
    assert "result.RB.npz is no file of games that were stopped" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("option", "number"), [([], 3), (["--cpu-devices=2"], 2), (["--games=10"], None)]
)
def test_a_stopped_challenge_goes_on_with_its_devices(
    tmp_path, monkeypatch, capsys, option, number
):
    """Of the pairs of games, three devices divide 6 but not 5."""

    def divide(groups, devices):
        raise ValueError(f"{devices} devices")

    monkeypatch.setattr(arena_match, "divide_cpu", divide)
    array_files.write(tmp_path / "result.RB.npz", {}, {"devices": 3})
    with pytest.raises(SystemExit):
        challenge.main(["--games=12", *option, f"--output={tmp_path / 'result.md'}"])
    assert f"error: {number} devices\n" in capsys.readouterr().err


@pytest.mark.slow
def test_the_rules_beat_chance_on_the_levels(tmp_path):
    output = tmp_path / "result.md"
    challenge.main(["--agent=rule_based", "--opponents", "RND", "--games=7", f"--output={output}"])
    assert "| RND | 8 | 8 | 100.0 ± 0.0 % |" in output.read_text()
    assert np.all([(tmp_path / name).exists() for name in ("result.md", "result.json")])


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
    usual = challenge.checkpoint_of
    monkeypatch.setattr(
        challenge,
        "checkpoint_of",
        lambda output, name: dataclasses.replace(
            usual(output, name), report=stop if name == "RND" else None, seconds=0.0
        ),
    )
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "stopped.md")
    kept = sorted(path.name for path in tmp_path.glob("*.npz"))
    assert kept == ["stopped.RB.npz", "stopped.RND.npz"]
    with pytest.raises(SystemExit):
        play(tmp_path / "stopped.md", games=6)
    assert "its games is 4, not 6" in capsys.readouterr().err
    monkeypatch.setattr(challenge, "checkpoint_of", usual)
    assert play(tmp_path / "stopped.md") == whole
    assert not list(tmp_path.glob("*.npz"))
