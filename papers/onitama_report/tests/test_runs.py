"""Which runs the study of the Onitama report accepts, and that it fails before it plays."""

import dataclasses
import json

import jax
import pytest

from jaxgames.players.registry import make_env
from papers.onitama_report.config import ARCHITECTURES, DdpgConfig, NetworkConfig
from papers.onitama_report.ddpg.actor import make_actor
from papers.onitama_report.ddpg.players import save_actor
from papers.onitama_report.study import __main__ as study
from papers.onitama_report.study import moves, report, runs
from train.run_record import flatten

BASE = DdpgConfig(game="onitama_report", architecture="all", episodes=10_000)
LONG = dataclasses.replace(BASE, architecture="val_branch_actions", episodes=100_000)

RAW = {"learner.judged_policy": "raw"}


def make(folder, config=BASE, **changes):
    """Writes what a run of these settings leaves first."""
    folder.mkdir()
    settings = flatten(dataclasses.asdict(config)) | changes
    (folder / "record.json").write_text(json.dumps({"run": settings, "sessions": []}))
    (folder / "config.json").write_text(json.dumps(dataclasses.asdict(config)))
    return folder


def without(folder, *settings):
    """Removes settings from the record of a run."""
    record = json.loads((folder / "record.json").read_text())
    for name in settings:
        del record["run"][name]
    (folder / "record.json").write_text(json.dumps(record))
    return folder


def opened(**folders):
    return runs.open_all({"--" + name.replace("_", "-"): x for name, x in folders.items()})


def test_runs_of_the_right_kind_are_accepted(tmp_path):
    wrong = {"play.transition": "after_move"}
    found = opened(
        runs=[make(tmp_path / "a"), make(tmp_path / "b", dataclasses.replace(BASE, seed=1))],
        extended=[make(tmp_path / "c", LONG)],
        wrong_rollout=[make(tmp_path / "d", **wrong)],
        raw=[make(tmp_path / "e", **RAW)],
    )
    assert [len(x) for x in found.values()] == [2, 1, 1, 1]
    assert found["--runs"][0].learners == [(name, 0) for name in ARCHITECTURES]
    assert found["--extended"][0].episodes == 100_000


def test_records_older_than_a_setting_are_accepted(tmp_path):
    old = without(make(tmp_path / "a"), "learner.judged_policy", "opponent.simulations")
    new = make(tmp_path / "b", dataclasses.replace(BASE, seed=1))
    found, _ = opened(runs=[old, new])["--runs"]
    assert found.settings["learner.judged_policy"] == "masked"
    with pytest.raises(ValueError, match="judged_policy='masked', expected 'raw'"):
        opened(raw=[old])


@pytest.mark.parametrize(
    ("option", "config", "changes", "words"),
    [
        ("runs", BASE, {"game": "onitama"}, "has game='onitama', expected 'onitama_report'"),
        ("runs", BASE, {"env_options": "max_plies=9"}, "has env_options='max_plies=9', expect"),
        (
            "runs",
            BASE,
            {"play.transition": "after_move"},
            "has play.transition='after_move', expected 'own_turn'",
        ),
        ("wrong_rollout", BASE, {}, "has play.transition='own_turn', expected 'after_move'"),
        (
            "wrong_rollout",
            BASE,
            {"play.transition": "after_move", **RAW},
            "has learner.judged_policy='raw', expected 'masked'",
        ),
        ("runs", BASE, RAW, "has learner.judged_policy='raw', expected 'masked'"),
        ("extended", LONG, RAW, "has learner.judged_policy='raw', expected 'masked'"),
        ("raw", BASE, {}, "has learner.judged_policy='masked', expected 'raw'"),
        ("extended", BASE, {}, "has architecture='all', expected 'val_branch_actions'"),
    ],
)
def test_runs_of_another_kind_are_refused(tmp_path, option, config, changes, words):
    folder = make(tmp_path / "a", config, **changes)
    with pytest.raises(ValueError, match=f"--{option.replace('_', '-')}: {folder} {words}"):
        opened(**{option: [folder]})


@pytest.mark.parametrize(
    ("setting", "first", "other"),
    [("learner.validity_loss", "'mse'", "'bce'"), ("learner.batch_size", "512", "64")],
)
def test_runs_of_one_option_with_different_settings_are_refused(tmp_path, setting, first, other):
    one = make(tmp_path / "a")
    # Who learned, and on what device, may differ.
    two = make(
        tmp_path / "b",
        dataclasses.replace(BASE, architecture="dual", seed=1, seeds=2),
        **{setting: json.loads(other.replace("'", '"')), "devices.count": 2},
    )
    words = f"--runs: {one} has {setting}={first}, but {two} {other}"
    with pytest.raises(ValueError, match=words):
        opened(runs=[one, two])


def test_trainings_of_different_lengths_are_refused(tmp_path):
    one = make(tmp_path / "a")
    two = make(tmp_path / "b", dataclasses.replace(BASE, seed=1, episodes=500))
    with pytest.raises(ValueError, match=f"--runs: {one} has episodes=10000, but {two} 500"):
        opened(runs=[one, two])


@pytest.mark.parametrize("name", ["seed", "seeds"])
def test_a_record_without_seeds_is_refused(tmp_path, name):
    folder = without(make(tmp_path / "a"), name)
    with pytest.raises(ValueError, match=f"--runs: {folder}/record.json names no {name}"):
        opened(runs=[folder])


def test_folders_of_other_things_are_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"--extended: /nowhere holds no run of papers.onitama_report.train"
    ):
        opened(extended=[tmp_path.__class__("/nowhere")])
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "record.json").write_text('{"run": {"game": "onitama_report", "seed": 0}}')
    with pytest.raises(ValueError, match=r"holds a run, but none of papers\.onitama_report\.train"):
        opened(runs=[folder])
    (folder / "record.json").write_text("{")
    with pytest.raises(ValueError, match=r"record.json cannot be read"):
        opened(runs=[folder])


def test_folders_and_learners_given_twice_are_refused(tmp_path):
    first, second = make(tmp_path / "a"), make(tmp_path / "b")
    with pytest.raises(ValueError, match=r"--runs: .*/a is given twice"):
        opened(runs=[first, tmp_path / "b" / ".." / "a"])
    with pytest.raises(ValueError, match=f"--runs: {second}: actions_only with seed 0 is given tw"):
        opened(runs=[first, second])
    long = make(tmp_path / "c", LONG)
    with pytest.raises(ValueError, match=f"--extended: {long} is given twice"):
        opened(runs=[long], extended=[long])


@pytest.fixture
def actors(tmp_path):
    """A run whose actors know nothing."""
    folder = make(tmp_path / "run")
    (folder / "actors").mkdir()
    env = make_env(report.GAME)
    for name in ARCHITECTURES:
        network = make_actor(env, name, NetworkConfig(channels=2, hidden=8))
        path = folder / "actors" / f"{name}-seed_0.npz"
        save_actor(path, network.init(jax.random.key(0)), env, "", network, 0)
    return folder


def test_trainings_of_both_policies_have_parts_of_their_own(tmp_path):
    raw = make(tmp_path / "raw", architecture="dual", **RAW)
    masked = make(tmp_path / "masked", architecture="dual")
    for folder, wins in ((raw, 0.7), (masked, 0.5)):
        play = {"episodes": 100, "opponent_depth": 1, "valid_rate": 0.3, "win_rate": wins}
        row = {f"play/{name}/dual-seed_0": value for name, value in play.items()}
        row |= {"iteration": 1, "time/minutes": 7.0, "learner/actor_loss/dual-seed_0": 0.1}
        (folder / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    output = tmp_path / "x.md"
    study.main(
        ["--parts", "training", "--runs", str(masked), "--raw", str(raw), f"--output={output}"]
    )
    text = output.read_text()
    part = text.split("## Training judged before the mask")[1].split("##")[0]
    assert "| dual | 0.70 (one seed) | 0.30 (one seed) | - |" in part
    assert "![Training judged before the mask](x_raw.png)" in part
    assert (tmp_path / "x_raw.png").exists() and (tmp_path / "x_training.png").exists()
    claim = "best win rate at depth 1, never above 0.6: `dual` | 0.1 to 0.5"
    rest = "(one seed); after 100 of 10,000 episodes"
    assert f"| judged before the mask: {claim} | 0.70 {rest} | no |" in text
    assert f"| {claim} | 0.50 {rest} | yes |" in text
    assert f"| --raw | {raw} | 1 | 100 episodes | 7.0 |" in text
    (numbers,) = json.loads(output.with_suffix(".json").read_text())["Training"]["trainings"]
    assert numbers["last_wins"] == 0.5 and numbers["validity_loss"] is None


def test_trainings_of_one_kind_can_be_looked_at_alone(tmp_path):
    raw = make(tmp_path / "raw", architecture="dual", **RAW)
    play = {"episodes": 100, "opponent_depth": 1, "valid_rate": 0.3, "win_rate": 0.1}
    row = {f"play/{name}/dual-seed_0": value for name, value in play.items()}
    row |= {"iteration": 1, "time/minutes": 7.0, "learner/actor_loss/dual-seed_0": 0.1}
    (raw / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    output = tmp_path / "x.md"
    study.main(["--parts", "training", "--raw", str(raw), f"--output={output}"])
    record = json.loads(output.with_suffix(".json").read_text())
    found = [verdict["claim"] for verdict in record["Claims"]["verdicts"]]
    assert len(found) == 8 and all(claim.startswith("judged before the mask") for claim in found)
    assert not (tmp_path / "x_training.png").exists()


def no_play(*_):
    raise AssertionError("a part ran")


def refused(arguments, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        study.main(
            [f"--saved={tmp_path / 's' / 'x.json'}", f"--output={tmp_path / 'x.md'}", *arguments]
        )
    assert stop.value.code == 2
    assert not (tmp_path / "x.md").exists()
    return capsys.readouterr().err


def test_everything_is_found_before_a_part_runs(tmp_path, actors, capsys, monkeypatch):
    monkeypatch.setattr(moves, "play", no_play)
    given = ["--parts", "moves", "tournament", "--runs", str(actors), "--games=2"]
    message = refused([*given, "--actor-seeds", "1"], tmp_path, capsys)
    assert f"--runs: there is no actors/actions_only-seed_1.npz in {actors}" in message
    message = refused([*given, "--network=nowhere"], tmp_path, capsys)
    assert "--network: " in message and "nowhere" in message
    actor = actors / "actors" / "dual-seed_0.npz"
    message = refused([*given, f"--network={actor}"], tmp_path, capsys)
    assert "has no values for a search" in message and "actors play by --runs" in message
    assert "--depths: " in refused([*given, "--depths", "999999"], tmp_path, capsys)
    (tmp_path / "file").write_text("")
    message = refused([*given, f"--output={tmp_path / 'file' / 'x.md'}"], tmp_path, capsys)
    assert f"result file: there is no directory {tmp_path / 'file'}" in message
    saved = tmp_path / "saved.json"
    saved.write_text("[]")
    message = refused([*given, f"--saved={saved}"], tmp_path, capsys)
    assert f"--saved: {saved} exists, but is not a tournament's results" in message
    saved.write_text('{"tournament": {"format": 2, "game": "go"}, "pairings": []}')
    message = refused([*given, f"--saved={saved}"], tmp_path, capsys)
    assert f"error: --saved: {saved} belongs to other games: its game is go" in message
    message = refused(["--runs", str(actors), "--parts", "training"], tmp_path, capsys)
    assert "metrics.jsonl holds no iteration" in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"play/episodes/dual-seed_0": None}, "play/episodes/dual-seed_0 is missing"),
        ({"play/opponent_depth/dual-seed_0": None}, "play/opponent_depth/dual-seed_0 is missing"),
        ({"time/minutes": None}, "time/minutes is missing"),
        ({"play/valid_rate/dual-seed_0": "high"}, "not the metrics of an iteration"),
    ],
)
def test_metrics_that_lack_something_are_refused_with_their_file(
    tmp_path, capsys, monkeypatch, changes, words
):
    monkeypatch.setattr(moves, "play", no_play)
    folder = make(tmp_path / "a")
    row = {
        "iteration": 1,
        "play/episodes/dual-seed_0": 40.0,
        "play/opponent_depth/dual-seed_0": 1.0,
        "play/valid_rate/dual-seed_0": 0.5,
        "time/minutes": 1.0,
    }
    (folder / "metrics.jsonl").write_text(json.dumps(row | changes) + "\n")
    message = refused(["--runs", str(folder), "--parts", "moves", "training"], tmp_path, capsys)
    assert str(folder / "metrics.jsonl") in message and words in message


def test_results_are_never_written_over_saved_games(tmp_path, capsys):
    folder = make(tmp_path / "a")
    given = ["--runs", str(folder), "--parts", "tournament", "--actor-seeds", "0", "1"]
    for name in ("s.md", "s_seed_1.md"):
        files = [f"--saved={tmp_path / 's.json'}", f"--output={tmp_path / name}"]
        saved = tmp_path / name.replace("md", "json")
        message = refused([*given, *files], tmp_path, capsys)
        assert f"--saved: {saved} is a file of --output {tmp_path / name}" in message


def test_a_study_that_fails_leaves_the_old_results_whole(tmp_path, capsys, monkeypatch):
    output = tmp_path / "x.md"
    arguments = ["--parts", "moves", "--turns=1", f"--output={output}"]
    pictures = []

    def fails(found, path):
        path.write_text("new")
        pictures.append(path)
        raise OSError("no space left")

    monkeypatch.setattr(moves, "play", lambda *_: None)
    monkeypatch.setattr(moves, "draw", fails)
    (tmp_path / "x_moves.png").write_text("old")
    output.write_text("old")
    with pytest.raises(SystemExit) as stop:
        study.main(arguments)
    assert stop.value.code == 2 and "no space left" in capsys.readouterr().err
    assert (tmp_path / "x_moves.png").read_text() == output.read_text() == "old"
    assert pictures and not pictures[0].exists()
