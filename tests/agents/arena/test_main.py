import json
import sys

import pytest

from agents.arena import __main__ as program
from agents.terminal.host_player import HostPlayer
from jaxgames import records
from jaxgames.players import search_limits


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["arena", *arguments])
    return program.main()


def test_a_knockout_prints_its_tables_and_writes_files_that_replay(monkeypatch, capsys, tmp_path):
    results, picture = tmp_path / "results.json", tmp_path / "scores.png"
    games, drawing = tmp_path / "games.jsonl", tmp_path / "scores.svg"
    options = [
        "--format=knockout",
        "--games=8",
        f"--output={results}",
        f"--save-games={games}",
        "--opening-plies=4",
        *("--plot", str(picture), str(drawing)),
        "--env-options=max_plies=60",
    ]
    assert call(monkeypatch, "--agents", "first_legal", "random", *options) == 0
    text = capsys.readouterr().out
    assert "first_legal v random" in text
    assert "Knock-out, 8 games a pairing" in text
    assert "better seed" in text
    assert results.exists()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in drawing.read_text()

    monkeypatch.setattr(sys, "argv", ["arena", "replay", str(games), "--show=2"])
    assert program.main() == 0
    text = capsys.readouterr().out
    assert text.startswith("random v first_legal\n")
    assert "8 games of onitama-v1: moves, results and final positions agree" in text
    monkeypatch.setattr(sys, "argv", ["arena", "replay", str(games), "--show=9"])
    assert program.main() == 2
    assert "show must be from 1 to 8, got 9" in capsys.readouterr().err


def test_players_with_a_time_meet_one_game_after_the_other(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(search_limits, "MOST_SIMULATIONS", 64)
    games = tmp_path / "games.jsonl"
    options = [
        "--seconds=0.001",
        "--games=2",
        f"--output={tmp_path / 'results.json'}",
        f"--save-games={games}",
        "--env-options=max_plies=6",
    ]
    agents = ["gumbel:evaluator=uniform", "random"]  # the second one decides at once
    assert call(monkeypatch, "--agents", *agents, *options) == 0
    text = capsys.readouterr().out
    assert "gumbel:evaluator=uniform v random" in text
    assert "game 2 of 2" in text
    assert [len(game.moves) for game in records.read(games)] == [6, 6]


def test_a_game_on_the_host_is_kept_as_soon_as_it_is_over(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(search_limits, "MOST_SIMULATIONS", 64)
    whole, killed = tmp_path / "whole.json", tmp_path / "killed.json"
    options = ["--games=4", "--env-options=max_plies=6", "--opening-plies=1"]
    options += ["--agents", "gumbel:evaluator=uniform,nodes=4", "random"]
    assert call(monkeypatch, *options, f"--output={whole}") == 0
    capsys.readouterr()
    choose, chosen = HostPlayer.choose, []

    def stops_in_the_third_game(*arguments):
        chosen.append(choose(*arguments))
        if len(chosen) == 12:
            raise KeyboardInterrupt
        return chosen[-1]

    monkeypatch.setattr(HostPlayer, "choose", stops_in_the_third_game)
    with pytest.raises(KeyboardInterrupt):
        call(monkeypatch, *options, f"--output={killed}")
    assert killed.with_name("killed.pairing-0.npz").exists() and not killed.exists()
    capsys.readouterr()
    assert call(monkeypatch, *options, f"--output={killed}") == 0
    text = capsys.readouterr().out
    assert "game 3 of 4" in text and "game 2 of 4" not in text
    first, second = (json.loads(path.read_text())["pairings"][0] for path in (whole, killed))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert not killed.with_name("killed.pairing-0.npz").exists()


@pytest.mark.parametrize("seconds", ["0", "-1", "inf", "nan", "soon"])
def test_a_time_that_is_none_is_refused(monkeypatch, capsys, seconds):
    with pytest.raises(SystemExit) as stopped:
        call(monkeypatch, "--agents", "random", "best", f"--seconds={seconds}")
    assert stopped.value.code == 2
    assert "seconds" in "".join(capsys.readouterr())
