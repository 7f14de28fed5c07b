"""The study of Tribes: its record made anew from its games, its figures, a run that goes on."""

import dataclasses
import math
import shutil

import numpy as np
import pytest

from jaxgames.tribes.state import Stage
from papers import studies
from papers.tribes.study import __main__ as study
from papers.tribes.study import complexity, games, paper, table

RECORDS = studies.RECORDS / "tribes"
SETTINGS = games.Settings(calls=10, seed=0)
OPTIONS = ["--calls=10", "--batch=4"]


@pytest.mark.parametrize(
    ("record", "saved", "options"),
    [
        ("study", "games", []),
        (
            "research_without_points",
            "research_without_points_games",
            ['--parameters={"tier_points": [0, 0, 0]}'],
        ),
    ],
)
def test_a_record_is_made_anew_from_its_games(record, saved, options, tmp_path):
    shutil.copy(RECORDS / f"{saved}.json", tmp_path / "games.json")
    output = tmp_path / "study.md"
    files = [f"--saved={tmp_path / 'games.json'}", f"--output={output}"]
    study.main(["--max-minutes=0", *options, *files])
    page, stored = (x.read_text().splitlines() for x in (output, RECORDS / f"{record}.md"))
    tables = [line for line in page if line.startswith("|")]
    assert set(tables) <= set(stored) and len(tables) >= 30
    assert output.with_suffix(".png").exists() == (record == "study")
    made, kept = map(studies.stored, (output, RECORDS / f"{record}.md"))
    assert made["complexity"] == kept["complexity"]
    assert made["table"] == {name: kept["table"][name] for name in ("pairs", "players")}


def made(first, second, start=0, wins=2, turns=None):
    """Returns a batch of four games (two groups), of which the first player wins some."""
    ranks = [[1, 2]] * wins + [[2, 1]] * (4 - wins)
    features = {name: [[3.0, 1.0], [5.0, 1.0]] * 2 for name in games.FEATURES}
    return games.Batch(first, second, start, 1.0, features | {"rank": ranks}, turns)


def counted(turns):
    """Returns the counts of a game in which both players decide alike in so many turns."""
    found = np.zeros((2, 51, 3))
    found[:, :turns] = [4, 40, 4.0]
    found[0, 30:turns] = [10, 1000, 20.0]
    return found.tolist()


def test_figures_of_the_paper_fit_together():
    names = list(paper.PLAYERS)
    assert list(paper.WINS) == [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for name in names:
        own = [pair for pair in paper.WINS if name in pair]
        shares = [paper.WINS[p] if p[0] == name else 100 - paper.WINS[p] for p in own]
        assert np.mean(shares) == pytest.approx(paper.MEANS[name]["wins"].mean, abs=0.006)
        for feature in {"wins", *games.FEATURES} - {"score"}:
            mean, error = paper.MEANS[name][feature]
            assert error == pytest.approx(mean / math.sqrt(5 * paper.GAMES), abs=0.006)
    for whole, first, second in paper.COMPLEXITY[:2]:
        assert whole == pytest.approx((25 * first + 26 * second) / 51, abs=0.006)


def test_opponents_of_a_player_count_alike_whatever_their_games():
    few = [made("RHEA", "RB", wins=1), made("RB", "RND", wins=4)]
    many = [*few, *(made("RB", "RND", start, wins=4) for start in range(2, 20, 2))]
    before, after = ({row.player: row for row in table.rows(x)}["RB"] for x in (few, many))
    assert (before.games, after.games) == (8, 44)
    assert before.means["wins"].mean == after.means["wins"].mean == (75 + 100) / 2


def test_all_turns_weigh_alike_though_some_games_end_early():
    short, long = (2 * np.array(counted(25))).tolist(), np.array(counted(51))
    long[:, -1] = [40, 4000, 50.0]
    played = [counted(50), counted(50), counted(50), short]
    _, numbers = complexity.report([made("RHEA", "RB", wins=4, turns=played)])
    moves = numbers["decisions a turn"]
    assert moves["first half"] == pytest.approx({"mean": (3 * 4 + 8) / 4, "error": 1})
    assert moves["whole game"]["mean"] == pytest.approx((25 * 5 + 25 * 6.4) / 50)
    played = [long.tolist()] * 3 + [counted(50)]
    lines, numbers = complexity.report([made("RHEA", "RB", wins=4, turns=played)])
    without = numbers["without the last turn"]["decisions a turn"]["second half"]["mean"]
    assert without == pytest.approx((5 * 4 + 20 * 7) / 25)
    last = numbers["lg of choices in the last turns"]
    assert (last["winners"]["mean"], last["losers"]["mean"]) == (20, 4)
    assert "\n1 of the games ended before the last turn" in "\n".join(lines)


def test_options_change_the_game_of_the_paper():
    changed = games.make_env("fog=true,mode=score").rules
    assert (changed.fog, changed.mode, changed.tribe_ids) == (True, "score", (0, 1))
    poor = games.make_env("", '{"tier_points": [0, 0, 0]}').rules
    assert poor.config.p.tier_points.tolist() == [0, 0, 0]
    assert games.make_env().rules.config.p.tier_points.tolist() == [100, 200, 300]


def test_groups_start_on_the_levels_in_turn():
    env = games.make_env()
    starts = games.first_positions(env, range(23, 27))
    again = games.first_positions(env, range(2))
    np.testing.assert_array_equal(starts.tiles.terrain[2:], again.tiles.terrain)
    terrain = np.asarray(starts.tiles.terrain)
    assert (terrain[0] != terrain[1]).any() and (terrain[1] != terrain[2]).any()
    # The first seat plays the tribe of the first capital in reading order, whichever it is.
    assert {frozenset(ids) for ids in np.asarray(starts.tribes.tribe_ids).tolist()} == {
        frozenset((0, 1))
    }
    assert (starts.phase == Stage.SOURCE).all()


def test_what_is_missing_fills_the_gaps_in_batches_of_any_size():
    pairs = [("RHEA", "RB"), ("MC", "RND")]
    batches = [made("RHEA", "RB", start=3), made("MC", "RND")]
    found = games.missing(batches, pairs, groups=10, most=4)
    of_first, of_second = ([x for p, x in found if p == pair] for pair in pairs)
    assert of_first == [range(3), range(5, 9), range(9, 10)]
    assert of_second == [range(2, 6), range(6, 10)]
    assert [part.start for _, part in found] == sorted(part.start for _, part in found)


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    played = []

    def play(env, pair, groups, settings, checkpoint):
        checkpoint.path.write_bytes(b"half a batch")
        checkpoint.report(1, 4)
        played.append((pair, groups.start))
        if len(played) == 4:
            raise KeyboardInterrupt
        turns = [counted(40)] * 4 if pair == games.OBSERVED else None
        return made(*pair, groups.start, turns=turns)

    monkeypatch.setattr(games, "play", play)
    saved, output = tmp_path / "games.json", tmp_path / "study.md"
    files = [f"--saved={saved}", f"--output={output}"]
    arguments = [*OPTIONS, "--games=8", "--players", "RHEA", "RB", "RND", *files]
    with pytest.raises(KeyboardInterrupt):
        study.main(arguments)
    assert len(games.load(saved, SETTINGS)) == 3
    (half,) = tmp_path.glob("*.npz")
    assert half.name == f"games.{'-'.join(played[3][0])}-{played[3][1]}.npz"
    study.main(arguments)
    assert not list(tmp_path.glob("*.npz"))
    assert played[4] == played[3] and len(set(played)) == 6 and len(played) == 7
    assert "## Complexity" in output.read_text() and output.with_suffix(".png").exists()
    study.main([*arguments, "--games=12", "--max-minutes=0"])
    assert len(played) == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games=3"], "--games must be even, for both tribes; got 3"),
        (["--players", "RB"], "--players: two at least, got RB"),
        (["--max-minutes=nan"], "--max-minutes must be at least 0, got nan"),
        (["--parameters={"], "--parameters: not JSON (Expecting property name"),
        (["--parameters=[1]"], "--parameters must be an object such as"),
        (['--parameters={"tier_point": 1}'], "did you mean 'tier_points'?"),
        (["--env-options=num_players=3"], "option num_players is fixed by the levels"),
        (["--env-options=fog=true"], "--output: games by other rules or with"),
        (["--calls=10"], "other calls need a result file of their own"),
        (["--saved=x.json", "--output=x.md"], "--saved: x.json is a file of --output"),
        (["--saved=there.json", "--seed=1", "--output=x.md"], "its seed is 0, not 1"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    games.save(tmp_path / "there.json", SETTINGS._replace(calls=paper.CALLS), [])
    with pytest.raises(SystemExit) as stop:
        study.main(arguments)
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


OTHER = made("RHEA", "RB", start=2, turns=[counted(40)] * 4)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (OTHER._replace(features={}), "rank"),
        (OTHER._replace(first="ROB"), "group 2 of ROB v RB"),
        (OTHER._replace(start=-5), "group -5 of RHEA v RB"),
        (OTHER._replace(start=1), "group 1 of RHEA v RB again"),
        (OTHER._replace(seconds=math.nan), "not finite"),
        (OTHER._replace(turns=[[1.0]] * 4), "not one rank and feature for each player"),
        (OTHER._replace(turns=np.zeros((4, 2, 3, 3)).tolist()), "not three numbers for each"),
        (OTHER._replace(features=OTHER.features | {"rank": [[7, 9]] * 4}), "not one rank and"),
        (OTHER._replace(features=OTHER.features | {"rank": [[1, 2]]}), "1 games"),
    ],
)
def test_files_of_other_things_are_refused(broken, words, tmp_path):
    path, whole = tmp_path / "games.json", made("RHEA", "RB")
    games.save(path, SETTINGS, [whole, broken])
    with pytest.raises(ValueError, match=rf"--saved: .* holds no games of this study: .*{words}"):
        games.load(path, SETTINGS)
    games.save(path, SETTINGS, [whole, OTHER])
    assert games.load(path, SETTINGS) == [whole, OTHER]


@pytest.mark.slow
def test_games_are_played(tmp_path):
    env = games.make_env()

    def play(pair, groups, settings=SETTINGS, name="games.json", **changes):
        kept = studies.checkpoint("--saved", tmp_path / name, f"{pair[0]}-{groups.start}")
        return games.play(env, pair, groups, settings, dataclasses.replace(kept, **changes))

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
    turns = np.asarray(batch.turns)
    assert batch.start == 24 and turns.shape == (4, 2, 51, 3)
    decisions, choices, logarithms = np.moveaxis(turns, -1, 0)
    assert (decisions[:, :, 0] > 0).all() and (choices >= decisions).all()
    np.testing.assert_array_less(logarithms, decisions * np.log10(np.maximum(choices, 2)) + 1e-3)
