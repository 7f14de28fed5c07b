import dataclasses
import json
import math
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from agents.arena import tournament
from agents.arena.tournament import Tournament
from configs.tournament import TournamentConfig
from jaxgames.matches.match_loop import MatchResult
from jaxgames.players import plugs

CONFIG = TournamentConfig(
    agents=("random", "first_legal", "minimax:depth=1"), games=20, env_options="max_plies=60"
)
PAIRS = [
    ("random", "first_legal"),
    ("random", "minimax:depth=1"),
    ("first_legal", "minimax:depth=1"),
]

KILLED_AFTER_ONE_PAIRING = """
import os, pathlib, signal, sys
from agents.arena import tournament
from configs.tournament import TournamentConfig
config = TournamentConfig(
    agents=("random", "first_legal", "minimax:depth=1"), games=20, env_options="max_plies=60",
    output=pathlib.Path(sys.argv[1]),
)
tournament.run(config, lambda pairing: os.kill(os.getpid(), signal.SIGKILL))
"""


def writing_to(path, **changes):
    return dataclasses.replace(CONFIG, output=path, **changes)


def without_seconds(result):
    """Returns a tournament, or what a file holds of one, without what differs from run to run."""
    if isinstance(result, Tournament):
        pairings = tuple(pairing._replace(seconds=None) for pairing in result.pairings)
        return result._replace(pairings=pairings)
    return result | {"pairings": [p | {"seconds": None} for p in result["pairings"]]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("tournament") / "results.json"
    return tournament.run(writing_to(path)), path


def test_everyone_meets_everyone(finished):
    result, _ = finished
    assert [(p.first, p.second) for p in result.pairings] == PAIRS
    assert all(len(p.returns) == len(p.plies) == 20 for p in result.pairings)


def test_same_seed_gives_the_same_table_and_another_seed_another(finished):
    result, _ = finished
    assert without_seconds(tournament.run(CONFIG)) == without_seconds(result)
    assert tournament.run(dataclasses.replace(CONFIG, seed=1)) != result


def test_a_run_killed_with_sigkill_goes_on_to_the_same_file(finished, tmp_path, monkeypatch):
    result, path = finished
    killed_path = tmp_path / "killed.json"
    command = [sys.executable, "-c", KILLED_AFTER_ONE_PAIRING, str(killed_path)]
    killed = subprocess.run(command, timeout=300)
    assert killed.returncode == -signal.SIGKILL
    (before,) = json.loads(killed_path.read_text())["pairings"]

    played = []
    real_match = tournament.match

    def counted_match(env, players, *args, **kwargs):
        played.append(tuple(player.name for player in players))
        return real_match(env, players, *args, **kwargs)

    monkeypatch.setattr(tournament, "match", counted_match)
    after = tournament.run(writing_to(killed_path))
    assert without_seconds(after) == without_seconds(result)
    assert played == PAIRS[1:]
    assert after.pairings[0].seconds == before["seconds"]
    files = [json.loads(p.read_text()) for p in (killed_path, path)]
    assert without_seconds(files[0]) == without_seconds(files[1])


def test_a_run_killed_within_a_pairing_goes_on_there(finished, tmp_path, monkeypatch):
    result, _ = finished
    path, kept = tmp_path / "killed.json", tmp_path / "killed.pairing-1.npz"
    real_match, ticks = tournament.match, []

    def slow_match(*args, checkpoint, **options):
        ticks.append(0)

        def count(*_):
            ticks[-1] += 1
            if len(ticks) == 2 and ticks[-1] == 10:
                raise KeyboardInterrupt

        # As if each tick took a minute.
        checkpoint.seconds, checkpoint.report = 0.0, count
        return real_match(*args, checkpoint=checkpoint, **options)

    monkeypatch.setattr(tournament, "match", slow_match)
    with pytest.raises(KeyboardInterrupt):
        tournament.run(writing_to(path))
    assert kept.exists()
    stale = kept.with_name("killed.pairing-0.npz")
    stale.write_bytes(kept.read_bytes())  # of a run killed right after its first pairing
    after = tournament.run(writing_to(path))
    assert without_seconds(after) == without_seconds(result)
    assert list(tmp_path.iterdir()) == [path]
    tournament.run(writing_to(tmp_path / "whole.json"))
    assert ticks[1] + ticks[2] == ticks[5]


def test_a_pairing_that_is_kept_too_early_is_refused_before_the_first_game(tmp_path, monkeypatch):
    monkeypatch.delattr(tournament, "match")
    stranger = tmp_path / "results.pairing-2.npz"
    stranger.write_bytes(b"")
    message = "results.pairing-2.npz keeps a pairing, but only 0 have been played before it; remove"
    for start in (tournament.run, tournament.check):
        with pytest.raises(ValueError, match=re.escape(message)):
            start(writing_to(tmp_path / "results.json"))
    tournament.check(writing_to(tmp_path / "others.json"))
    stranger.rename(tmp_path / "results.pairing-plan.npz")
    tournament.check(writing_to(tmp_path / "results.json"))


def test_a_finished_tournament_is_read_and_not_played_again(finished, monkeypatch):
    result, path = finished
    monkeypatch.delattr(tournament, "match")
    assert tournament.run(writing_to(path)) == result
    tournament.check(writing_to(path))
    tournament.check(CONFIG)


def test_figures_that_older_files_lack_are_kept(finished, tmp_path, monkeypatch):
    result, complete = finished
    assert all(pairing.seconds > 0 for pairing in result.pairings)
    assert all(pairing.different > 10 for pairing in result.pairings)
    record = json.loads(complete.read_text())
    for pairing in record["pairings"]:
        del pairing["seconds"], pairing["different"]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(record))
    monkeypatch.delattr(tournament, "match")
    older = [p._replace(seconds=None, different=None) for p in result.pairings]
    assert tournament.run(writing_to(path)).pairings == tuple(older)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 40}, "its games is 20, not 40"),
        ({"format": "gauntlet"}, "its kind is round_robin, not gauntlet"),
        ({"seed": 1}, "its seed is 0, not 1"),
        ({"env_options": "max_plies=61"}, "its env_options is max_plies=60, not max_plies=61"),
        ({"opening_plies": 2}, "its opening_plies is 0, not 2"),
        ({"game": "onitama_report"}, "its game is onitama-v1, not onitama_report-v1"),
        ({"agents": ("random", "first_legal")}, "its agents is .*'minimax:depth=1'.*, not "),
    ],
)
def test_a_file_of_another_tournament_is_refused_and_kept(finished, changes, message):
    _, path = finished
    before = path.read_bytes()
    for start in (tournament.run, tournament.check):
        with pytest.raises(ValueError, match=message):
            start(writing_to(path, **changes))
    assert path.read_bytes() == before


def test_games_of_another_best_player_are_not_gone_on_with(tmp_path, monkeypatch):
    def best_is(spec):
        plug = dataclasses.replace(plugs.game_agents("onitama"), best={2: (spec,)})
        monkeypatch.setitem(plugs._loaded, "onitama", plug)

    config = writing_to(tmp_path / "best.json", agents=("best", "random"), games=2)
    best_is("first_legal")
    tournament.run(config)
    before = config.output.read_bytes()
    best_is("greedy")
    with pytest.raises(ValueError, match="its best is first_legal, not greedy"):
        tournament.run(config)
    assert config.output.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", '{"tournament": {"fo', "[]", '{"tournament": 3, "pairings": []}']
)
def test_a_file_that_is_no_tournament_is_refused_and_kept(tmp_path, text):
    path = tmp_path / "notes.json"
    path.write_text(text)
    with pytest.raises(
        ValueError, match=r"notes\.json (exists, but is not|belongs to other games)"
    ):
        tournament.run(writing_to(path))
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: p.insert(1, p[0]), "1 is random v first_legal, expected random v minimax:dept"),
        (lambda p: p.append(p[0]), "3 is one too many"),
        (lambda p: p[0].update(first="nobody"), "0 is nobody v first_legal, expected random v"),
        (lambda p: p[0]["returns"].pop(), "0 has 19 returns, expected 20"),
        (lambda p: p[2]["returns"].__setitem__(0, "a"), "2 has the return 'a', expected a number"),
        (lambda p: p[2]["returns"].__setitem__(0, math.nan), "2 has the return nan, expected a"),
        (lambda p: p[2]["returns"].__setitem__(0, 1.5), "2 has the return 1.5, expected a number"),
        (lambda p: p[1].update(seconds=-1), "1 has the seconds -1, expected a positive number"),
        (lambda p: p[1].update(different=21), "1 has 21 different games, expected from 1 to 20"),
        (lambda p: p[2]["plies"].__setitem__(0, "b"), "2 has the number of plies 'b', expected a"),
    ],
)
def test_damaged_results_are_refused_and_kept(finished, tmp_path, monkeypatch, damage, message):
    monkeypatch.delattr(tournament, "match")
    record = json.loads(finished[1].read_text())
    damage(record["pairings"])
    path = tmp_path / "results.json"
    text = json.dumps(record)
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(f"{path} is damaged: pairing {message}")):
        tournament.run(writing_to(path))
    assert path.read_text() == text


def test_a_failed_write_leaves_the_old_file_whole(finished, tmp_path, monkeypatch):
    _, complete = finished
    record = json.loads(complete.read_text())
    record["pairings"] = record["pairings"][:2]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(record))

    def no_space(*args):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", no_space)
    with pytest.raises(OSError, match="no space left"):
        tournament.run(writing_to(path))
    assert json.loads(path.read_text()) == record
    assert list(tmp_path.iterdir()) == [path]


def test_bad_agents_and_folders_are_refused_before_any_game(tmp_path, monkeypatch):
    monkeypatch.delattr(tournament, "match")
    bad_agent = dataclasses.replace(CONFIG, agents=("random", "minimax:depth=0"))
    results, pipe = tmp_path / "results.json", tmp_path / "pipe"
    os.mkfifo(pipe)
    for config, message in (
        (bad_agent, "got 0"),
        (writing_to(tmp_path / "missing" / "results.json"), "there is no directory"),
        (writing_to(results, save_games=tmp_path), "save_games: .* is a directory, expected the n"),
        (writing_to(tmp_path / f"{'x' * 250}.json"), "output: cannot write .*: File name too long"),
        (writing_to(pipe), "output: .*pipe is no regular file"),
    ):
        with pytest.raises(ValueError, match=message):
            tournament.run(config)
    assert list(tmp_path.iterdir()) == [pipe]


def test_results_of_a_network_that_has_changed_are_refused(tmp_path, monkeypatch):
    real_make = tournament.registry.make

    def with_network(value):
        def make(spec, env):
            params = {"weights": np.full(3, value)} if spec == "random" else ()
            return real_make(spec, env)._replace(params=params)

        return make

    drawn = MatchResult(
        np.zeros((2, 2)),
        np.array([[0, 1], [1, 0]]),
        np.ones(2, int),
        -np.ones(2),
        (),
        np.arange(2, dtype=np.uint32),
    )
    monkeypatch.setattr(tournament, "match", lambda *_, **__: drawn)
    few = writing_to(tmp_path / "results.json", agents=("random", "first_legal"), games=2)
    monkeypatch.setattr(tournament.registry, "make", with_network(1.0))
    result = tournament.run(few)
    assert tournament.run(few) == result
    monkeypatch.setattr(tournament.registry, "make", with_network(2.0))
    with pytest.raises(ValueError, match=r"its networks is .*'random': .*, not .*'random': "):
        tournament.run(few)
