"""The benchmark of the DDPG environment counts plies and compares with one game alone."""

from papers import studies
from papers.onitama_report import speed

RECORD = studies.RECORDS / "onitama_report" / "speed.md"


def test_report_compares_a_batch_with_one_game_alone(tmp_path):
    stored = [speed.Row(**row) for row in studies.stored(RECORD)["rows"]]
    assert speed.lines(stored)[2:] == [x for x in RECORD.read_text().splitlines() if x[:1] == "|"]
    path = tmp_path / "ddpg.md"
    options = ["--depths=1", "--batches=16", "--turns=4", "--repeats=2", f"--output={path}"]
    speed.main(options)
    assert "| 1 | 16 |" in path.read_text()
    rows = studies.stored(path)["rows"]
    assert [(row["depth"], row["batch"]) for row in rows] == [(1, 1), (1, 16)]
    assert all(rate > 0 for row in rows for rate in row["rates"])


def test_programs_count_the_plies_that_they_play():
    assert speed.alone(depth=1, turns=3)() == 6
    # In a turn every game gets one ply or two.
    assert 16 * 3 < int(speed.batched(depth=1, batch=16, turns=3)()) <= 16 * 6
