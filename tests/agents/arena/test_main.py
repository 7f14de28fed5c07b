import sys

from agents.arena import __main__ as program


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
