"""The study of Tribes: its levels and rules, and a run that goes on where it was stopped."""

import dataclasses
import json
import math
import os

import numpy as np
import pytest

from jaxgames.tribes.state import Stage
from papers import results
from papers.tribes.study import __main__ as study
from papers.tribes.study import games, paper
from papers.tribes.tests.made_games import counted, made

SETTINGS = games.Settings(calls=10, seed=0)
OPTIONS = ["--calls=10", "--batch=4"]


def test_figures_of_the_paper_fit_together():
    names = list(paper.PLAYERS)
    assert list(paper.WINS) == [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for name in names:
        shares = [paper.WINS[p] if p[0] == name else 100 - paper.WINS[p] for p in paper.WINS
                  if name in p]  # fmt: skip
        assert np.mean(shares) == pytest.approx(paper.MEANS[name]["wins"].mean, abs=0.006)
        assert set(paper.MEANS[name]) == {"wins", *games.FEATURES}
        for feature in {"wins", *games.FEATURES} - {"score"}:
            mean, error = paper.MEANS[name][feature]
            assert error == pytest.approx(mean / math.sqrt(5 * paper.GAMES), abs=0.006)


def test_options_change_the_game_of_the_paper():
    assert games.make_env("").rules == games.make_env().rules
    changed = games.make_env("fog=true,mode=score").rules
    assert (changed.fog, changed.mode, changed.tribe_ids) == (True, "score", (0, 1))
    assert not games.make_env().rules.fog
    poor = games.make_env("", '{"tier_points": [0, 0, 0]}').rules
    assert poor.config.p.tier_points.tolist() == [0, 0, 0]
    assert games.make_env().rules.config.p.tier_points.tolist() == [100, 200, 300]


def test_groups_start_on_the_levels_in_turn():
    env = games.make_env()
    starts = games.first_positions(env, range(23, 27))
    capitals = [sorted(tile[tribe >= 0]) for tile, tribe in zip(
        starts.cities.tile, starts.cities.capital_of, strict=True)]  # fmt: skip
    again = games.first_positions(env, range(2))
    np.testing.assert_array_equal(starts.tiles.terrain[2:], again.tiles.terrain)
    assert capitals[0] != capitals[1] != capitals[2] != capitals[3]
    # The first seat plays the tribe of the first capital in reading order, whichever it is.
    assert {tuple(tribe_ids) for tribe_ids in np.asarray(starts.tribes.tribe_ids).tolist()} <= {
        (0, 1),
        (1, 0),
    }
    assert (starts.phase == Stage.SOURCE).all()


@pytest.fixture
def played(monkeypatch):
    """Replaces the games by made ones; returns the batches that were asked for."""
    asked = []

    def play(env, pair, groups, settings, checkpoint):
        assert len(groups) == 2
        assert checkpoint.path.name.endswith(f".{'-'.join(pair)}-{groups.start}.npz")
        checkpoint.path.write_bytes(b"half a batch")
        checkpoint.report(1, 4)
        asked.append((pair, groups.start))
        assert env.rules == games.make_env(settings.env_options, settings.parameters).rules
        if len(asked) == 4:
            raise KeyboardInterrupt
        turns = [counted(40)] * 4 if pair == games.OBSERVED else None
        return made(*pair, groups.start, turns=turns)

    monkeypatch.setattr(games, "play", play)
    return asked


def test_a_stopped_run_goes_on(tmp_path, played):
    saved, output = tmp_path / "games.json", tmp_path / "study.md"
    arguments = [*OPTIONS, "--games=8", "--players", "RHEA", "RB", "RND", f"--saved={saved}",
                 f"--output={output}"]  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        study.main(arguments)
    first = list(played)
    assert len(games.load("--saved", saved, SETTINGS)) == 3
    half = games.checkpoint_of(saved, *first[3]).path
    assert list(tmp_path.glob("*.npz")) == [half]
    stale = games.checkpoint_of(saved, *first[0]).path
    stale.write_bytes(b"of a run killed before it could remove it")
    study.main(arguments)
    assert not list(tmp_path.glob("*.npz"))
    assert played[4:][0] == first[3]
    assert len(set(played)) == 6
    assert len(played) == 7
    assert "## Complexity" in output.read_text()
    assert output.with_suffix(".png").stat().st_size > 5000
    assert json.loads(output.with_suffix(".json").read_text())["table"]["pairs"][0]["games"] == 8
    study.main(arguments)
    assert len(played) == 7
    study.main([*arguments, "--games=12", "--max-minutes=0"])
    assert len(played) == 7


def test_a_run_without_time_shows_what_it_has_and_keeps_a_result_of_more(tmp_path, played, capsys):
    arguments = [*OPTIONS, "--players", "RHEA", "RB", f"--output={tmp_path / 'study.md'}"]
    study.main([*arguments, "--games=8", f"--saved={tmp_path / 'games.json'}"])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    few = tmp_path / "few.json"
    games.save(few, SETTINGS, [made("RHEA", "RB", turns=[counted(40)] * 4)])
    capsys.readouterr()
    study.main([*arguments, "--games=12", "--max-minutes=0", f"--saved={few}"])
    shown = capsys.readouterr()
    assert "| RHEA v RB | 4 |" in shown.out
    assert f"study.md stays the result of 8 games; these 4 are in --saved {few}" in shown.err
    few.unlink()
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_is_missing_fills_the_gaps_in_batches_of_any_size():
    pairs = [("RHEA", "RB"), ("MC", "RND")]
    batches = [made("RHEA", "RB", start=3), made("MC", "RND")]
    found = games.missing(batches, pairs, groups=10, most=4)
    assert sorted(found, key=str) == sorted(
        [(pairs[0], range(3)), (pairs[0], range(5, 9)), (pairs[0], range(9, 10)),
         (pairs[1], range(2, 6)), (pairs[1], range(6, 10))], key=str)  # fmt: skip
    assert [part.start for _, part in found] == sorted(part.start for _, part in found)
    assert games.missing(batches, pairs, groups=2, most=4) == [(pairs[0], range(2))]
    assert games.unknown(batches, [made("RHEA", "RB", start=4), made("RHEA", "RB")]) == [
        made("RHEA", "RB")
    ]


def test_games_of_other_runs_are_taken_over(tmp_path, played, capsys):
    def run(name, *arguments):
        study.main([*OPTIONS, "--games=4", f"--saved={tmp_path / name}.json",
                    f"--output={tmp_path / 'results.md'}", *arguments])  # fmt: skip

    run("a", "--players", "RHEA", "RB")
    run("b", "--players", "RHEA", "RND")
    others = [str(tmp_path / "b.json"), str(tmp_path / "a.json")]
    capsys.readouterr()
    run("a", "--players", "RHEA", "RB", "RND", "--add", others[0], "--add", others[1])
    assert "a.json: 1 of 1 batches left out, with games that are there" in capsys.readouterr().err
    assert played == [(("RHEA", "RB"), 0), (("RHEA", "RND"), 0), (("RB", "RND"), 0)]
    found = games.load("--saved", tmp_path / "a.json", SETTINGS)
    assert sorted((x.first, x.second) for x in found) == sorted(pair for pair, _ in played)
    run("a", "--players", "RHEA", "RB", "RND")
    assert len(played) == 3


def test_no_result_replaces_games(tmp_path, played, capsys):
    """The games of other runs than this one, whose file `--saved` does not name."""
    run = [*OPTIONS, "--games=4", "--players", "RB", "RND"]
    study.main([*run, f"--saved={tmp_path / 'a.json'}", f"--output={tmp_path / 'result.md'}"])
    kept = (tmp_path / "a.json").read_bytes()
    with pytest.raises(SystemExit) as stop:
        study.main([*run, f"--saved={tmp_path / 'b.json'}", f"--output={tmp_path / 'a.md'}"])
    assert stop.value.code == 2
    assert "a.json, which goes with it, holds games; name another" in capsys.readouterr().err
    assert (tmp_path / "a.json").read_bytes() == kept
    assert len(played) == 1


def test_a_record_with_an_infinite_number_of_games_is_none(tmp_path):
    (tmp_path / "t.json").write_text('{"environment": {"games": Infinity}}')
    assert study.games_replaced(tmp_path / "t.md", SETTINGS, 2) == 0


def test_games_by_other_rules_are_played_and_kept_apart(tmp_path, played, capsys):
    def run(*arguments, saved="games.json"):
        study.main([*OPTIONS, "--games=4", f"--saved={tmp_path / saved}", "--players", "RB", "RND",
                    f"--output={tmp_path / 'results.md'}", *arguments])  # fmt: skip

    other = "--env-options=mode=score", '--parameters={"tier_points":[0,0,0]}'
    run(*other)
    run("--env-options= mode=score", '--parameters= {"tier_points": [0, 0, 0]}')
    assert len(played) == 1
    found = json.loads((tmp_path / "games.json").read_text())["study"]
    assert found["env_options"] == "mode=score"
    assert found["parameters"] == '{"tier_points": [0, 0, 0]}'
    for wrong in (other[:1], other[1:], ()):
        with pytest.raises(SystemExit) as stop:
            run(*wrong)
        assert stop.value.code == 2
        assert "belongs to other games" in capsys.readouterr().err
        with pytest.raises(SystemExit) as stop:
            run(*wrong, "--add", str(tmp_path / "games.json"), saved="others.json")
        assert stop.value.code == 2
    assert len(played) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--add", "nowhere.json"], "--add: there is no file nowhere.json"),
        (["--batch=5"], "--batch must be even, for both tribes; got 5"),
        (["--games=3"], "--games must be even, for both tribes; got 3"),
        (["--players", "RB"], "--players: two at least, got RB"),
        (["--players", "RB", "RND", "RB"], "--players names one twice: RB, RND, RB"),
        (["--max-minutes=nan"], "expected a number of minutes, got 'nan'"),
        (["--players", "RB", "ROB"], "invalid choice: 'ROB'"),
        (["--env-options=fgo=true"], "'fgo'"),
        (["--parameters={"], "--parameters: not JSON (Expecting property name"),
        (["--parameters=[1]"], "--parameters must be an object such as"),
        (['--parameters={"tier_point": 1}'], "did you mean 'tier_points'?"),
        (['--parameters={"view_points": 4, "view_points": 5}'], "key 'view_points' stands twice"),
        (['--parameters={"tier_points": 1}'], "tier_points must be 3 numbers, got 1"),
        (["--env-options=num_players=3"], "option num_players is fixed by the levels"),
        (["--env-options=fog=true"], "--output: games by other rules or with"),
        (['--parameters={"view_points": 4}'], "other calls need a result file of their own"),
        (["--calls=10"], "other calls need a result file of their own"),
        (["--seed=1", "--saved=new.json"], "study.md belongs to other games: its seed is 0"),
        (["--games=2", "--saved=new.json"], "games, these are 30; name another file"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        study.main(arguments)
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


def test_the_result_of_the_study_is_known_by_any_path(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = os.path.relpath(results.RECORDS / "tribes" / "study.md")
    with pytest.raises(SystemExit):
        study.main(["--calls=10", f"--output={output}"])
    assert "other calls need a result file of their own" in capsys.readouterr().err


def test_files_of_other_settings_are_refused(tmp_path):
    path = tmp_path / "games.json"
    games.save(path, SETTINGS, [])
    with pytest.raises(ValueError, match="its calls is 10, not 20"):
        games.load("--saved", path, SETTINGS._replace(calls=20))
    with pytest.raises(ValueError, match="its env_options is , not fog=true"):
        games.load("--saved", path, SETTINGS._replace(env_options="fog=true"))
    with pytest.raises(ValueError, match=r"its parameters is \{\}, not \{1\}"):
        games.load("--saved", path, SETTINGS._replace(parameters="{1}"))
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"--saved: .* holds no games of this study"):
        games.load("--saved", path, SETTINGS)
    whole = made("RHEA", "RB")
    other = made("RHEA", "RB", start=2, turns=[counted(40)] * 4)
    for broken, words in (
        (other._replace(features={}), "rank"),
        (other._replace(first="ROB"), "group 2 of ROB v RB"),
        (other._replace(start="0"), "group '0' of RHEA v RB"),
        (other._replace(start=-5), "group -5 of RHEA v RB"),
        (other._replace(start=1), "group 1 of RHEA v RB again"),
        (whole, "group 0 of RHEA v RB again"),
        (other._replace(seconds=None), "seconds: None"),
        (other._replace(seconds=-1), "seconds: -1"),
        (
            other._replace(turns=[[1.0]] * 4),
            r"turns: numbers of shape \(4, 1\), expected \(4, 2, 51",
        ),
        (other._replace(turns=[[1], [1, 2]]), ""),
        (other._replace(features=other.features | {"rank": [[1, 2]]}), "rank: 1 games of 1"),
        (other._replace(features=other.features | {"rank": [[1]] * 4}), "not two numbers for each"),
        (other._replace(features=other.features | {"rank": [[7, 9]] * 4}), "not 1 and 2 in each"),
    ):
        games.save(path, SETTINGS, [whole, broken])
        with pytest.raises(ValueError, match=rf"--add: .* holds no games of this study: .*{words}"):
            games.load("--add", path, SETTINGS)
    games.save(path, SETTINGS, [whole, other])
    assert games.load("--add", path, SETTINGS) == [whole, other]


@pytest.mark.slow
def test_games_are_played(tmp_path):
    env = games.make_env()

    def play(pair, groups, settings=SETTINGS, name="games.json", **changes):
        checkpoint = games.checkpoint_of(tmp_path / name, pair, groups.start)
        return games.play(env, pair, groups, settings, dataclasses.replace(checkpoint, **changes))

    batch = play(("RB", "RND"), range(2))
    assert np.array(batch.features["rank"])[:, 0].sum() <= 5
    assert batch.turns is None

    def stop(done, total):
        if done == total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(("RB", "RND"), range(2), name="stopped.json", seconds=0.0, report=stop)
    assert len(list(tmp_path.iterdir())) == 1
    again = play(("RB", "RND"), range(2), name="stopped.json")
    assert again._replace(seconds=0) == batch._replace(seconds=0)

    batch = play(games.OBSERVED, range(24, 26), SETTINGS._replace(calls=20))
    assert batch.start == 24
    turns = np.asarray(batch.turns)
    assert turns.shape == (4, 2, 51, 3)
    decisions, choices, logarithms = np.moveaxis(turns, -1, 0)
    assert (decisions[:, :, 0] > 0).all()
    assert (choices >= decisions).all()
    np.testing.assert_array_less(logarithms, decisions * np.log10(np.maximum(choices, 2)) + 1e-3)


@pytest.mark.parametrize("option", ["saved", "output"])
def test_files_that_cannot_be_written_are_refused_before_the_first_game(
    option, tmp_path, played, capsys
):
    (tmp_path / "file").write_text("")
    paths = {"saved": tmp_path / "x.json", "output": tmp_path / "x.md"}
    paths[option] = tmp_path / "file" / paths[option].name
    with pytest.raises(SystemExit) as stopped:
        study.main([*OPTIONS, *(f"--{name}={path}" for name, path in paths.items())])
    assert stopped.value.code == 2
    assert str(tmp_path / "file") in capsys.readouterr().err
    assert not played


def test_results_never_overwrite_the_games(tmp_path, played, capsys):
    with pytest.raises(SystemExit) as stopped:
        study.main([*OPTIONS, f"--saved={tmp_path / 'x.json'}", f"--output={tmp_path / 'x.md'}"])
    assert stopped.value.code == 2
    assert f"--saved: {tmp_path / 'x.json'} is a file of --output" in capsys.readouterr().err
    assert not played
