"""`papers.tribes.challenge`: groups of both seats on the paper's levels."""

import numpy as np
import pytest

from papers.tribes import challenge


def test_mistakes_end_with_a_message(tmp_path, capsys):
    for mistake, words in (
        (["--agent=nobody"], "unknown agent 'nobody'"),
        (["--agent=rhea:budget=0"], "budget"),
        (["--opponents", "RBB"], "invalid choice: 'RBB'"),
        (["--games=0"], "--games"),
        (["--opponents", "RHEA", "--calls=5"], "budget=5 must pay for one generation"),
        (["--opponents", "MCTS", "--calls=99999999"], "budget must be at most"),
    ):
        with pytest.raises(SystemExit) as exit_:
            challenge.main([*mistake, f"--output={tmp_path / 'result.md'}"])
        assert exit_.value.code == 2
        assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_rules_beat_chance_on_the_levels(tmp_path):
    output = tmp_path / "result.md"
    challenge.main(["--agent=rule_based", "--opponents", "RND", "--games=7", f"--output={output}"])
    assert "| RND | 8 | 8 | 100.0 ± 0.0 % |" in output.read_text()
    assert np.all([(tmp_path / name).exists() for name in ("result.md", "result.json")])
