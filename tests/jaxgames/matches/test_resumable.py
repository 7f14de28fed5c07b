"""Matches that are kept while they are played, and go on after a stop."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import array_files
from jaxgames.matches import resumable
from jaxgames.matches.match import check_kept, match
from jaxgames.matches.resumable import Checkpoint
from jaxgames.players import registry

IDENTITY = {"what": "counters"}
ENDS = np.array([3, 9, 6])


def advance(progress, steps):
    counts, key, total = progress
    for _ in range(steps):
        if (counts < ENDS).any():
            counts, key = counts + (counts < ENDS), jax.random.split(key)[0]
            total = total + jax.random.randint(key, (), 0, 1000)
    return counts, key, total


class Stop(Exception):
    """Stands for a signal."""


def count(checkpoint, identity=IDENTITY):
    """Counts to the ends, with random numbers on the way."""
    start = jnp.zeros(3, jnp.int8), jax.random.key(5), jnp.int32(0)
    return resumable.run(lambda: start, advance, lambda p: p[0] >= ENDS, checkpoint, identity)


def stopping(path, after):
    """Returns a checkpoint that stops the computation when it has been told of so many parts."""
    calls = []

    def report(*done):
        calls.append(done)
        if len(calls) == after:
            raise Stop

    return Checkpoint(path, seconds=0.0, report=report)


def watched(path):
    """Returns a checkpoint, and the list of all that it is told."""
    calls = []
    return Checkpoint(path, seconds=0.0, report=lambda *done: calls.append(done)), calls


def stopped(path, after):
    """Counts until the report has been called so often."""
    with pytest.raises(Stop):
        count(stopping(path, after))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "progress.npz"


def test_a_short_computation_writes_nothing(path):
    done = []
    counts, _, total = count(Checkpoint(path, report=lambda *parts: done.append(parts)))
    np.testing.assert_array_equal(counts, ENDS)
    assert int(total) > 0
    # Stretches grow while they are short, so few of them need an answer.
    assert done == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert not path.exists()


@pytest.mark.parametrize("after", [1, 4, 8])
def test_a_stopped_computation_goes_on_to_the_same_end(path, after):
    whole = count(Checkpoint(path))
    stopped(path, after)
    checkpoint, done = watched(path)
    again = count(checkpoint)
    assert len(done) == 9 - after
    np.testing.assert_array_equal(again[0], whole[0])
    assert again[0].dtype == whole[0].dtype
    np.testing.assert_array_equal(*(jax.random.key_data(key) for key in (again[1], whole[1])))
    assert int(again[2]) == int(whole[2])


def test_the_end_is_kept_until_it_is_discarded(path):
    stopped(path, 2)
    whole = count(Checkpoint(path))
    checkpoint = Checkpoint(path, report=lambda *_: pytest.fail("nothing is left to compute"))
    assert int(count(checkpoint)[2]) == int(whole[2])
    checkpoint.discard()
    checkpoint.discard()
    assert not path.exists()


def test_seconds_of_earlier_runs_are_known(path):
    stopped(path, 5)
    arrays, about = array_files.read(path)
    assert 0 <= about["seconds"] < 60
    array_files.write(path, arrays, about | {"seconds": 1000.0})
    checkpoint = Checkpoint(path)
    count(checkpoint)
    assert checkpoint.spent == 1000
    again = Checkpoint(path)
    count(again)
    assert 1000 <= again.spent < 1060


def test_files_of_others_are_refused(path):
    stopped(path, 2)
    message = r"saved: .*progress\.npz belongs to other games: its what is counters, not other"
    with pytest.raises(ValueError, match=message):
        count(Checkpoint(path), {"what": "other"})
    arrays, about = array_files.read(path)
    lacking = {name: array for name, array in arrays.items() if name != "[2]"}
    of_other_type = arrays | {"[0]": arrays["[0]"].astype(np.int32)}
    for changed in (lacking, of_other_type):
        array_files.write(path, changed, about)
        with pytest.raises(ValueError, match="written by another version of the program; remove"):
            count(Checkpoint(path))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"text", None])
def test_damaged_files_are_refused(path, content):
    stopped(path, 2)
    path.write_bytes(path.read_bytes()[:-30] if content is None else content)
    with pytest.raises(ValueError, match=r"--file: .* is no file of games that were stopped, or"):
        count(Checkpoint(path, "--file"))


@pytest.mark.parametrize(
    ("name", "value"), [("jax_default_prng_impl", "rbg"), ("jax_threefry_partitionable", False)]
)
def test_another_random_number_generator_is_refused_and_named(path, name, value):
    stopped(path, 2)
    arrays, about = array_files.read(path)
    array_files.write(path, arrays, about | {name: value})
    with pytest.raises(ValueError, match=f"its {name} is {value}, not {about[name]}"):
        count(Checkpoint(path))
    del about[name]  # a file of an older version counts as written with JAX's defaults
    array_files.write(path, arrays, about)
    count(Checkpoint(path))


def test_changed_flags_of_xla_are_reported(path, monkeypatch, caplog):
    monkeypatch.setenv("XLA_FLAGS", "--before=1")
    stopped(path, 2)
    monkeypatch.setenv("XLA_FLAGS", "--after=1")
    count(Checkpoint(path))
    assert "XLA_FLAGS '--before=1' -> '--after=1'" in caplog.text


@pytest.fixture(scope="module")
def players():
    env = jaxgames.make("onitama", max_plies=60)
    return env, [registry.make(spec, env) for spec in ("random", "first_legal")]


def test_a_match_stopped_anywhere_is_the_same_match(path, players):
    env, pair = players
    arguments = env, pair, jax.random.key(2), 8, 2, True
    whole = match(*arguments)
    checkpoint, ticks = watched(path)
    match(*arguments, checkpoint=checkpoint)
    assert ticks[-1] == (8, 8)
    assert ticks == sorted(ticks)
    path.unlink()
    for after in (1, len(ticks) // 2):
        with pytest.raises(Stop):
            match(*arguments, checkpoint=stopping(path, after))
    checkpoint, rest = watched(path)
    again = match(*arguments, checkpoint=checkpoint)
    assert len(rest) == len(ticks) - 1 - len(ticks) // 2
    jax.tree.map(np.testing.assert_array_equal, again, whole)


@pytest.mark.slow
def test_a_match_with_a_narrow_tail_is_the_same_wherever_it_is_stopped(path, players):
    env, pair = players
    arguments = env, pair, jax.random.key(2), 16, 2, True
    checkpoint, told = watched(path)
    whole = match(*arguments, tail=3, checkpoint=checkpoint)
    assert any(0 < of - done <= 3 for done, of in told)
    for limit in (16, 3):
        path.unlink()

        def report(done, of, limit=limit):
            if of - done <= limit:
                raise Stop

        with pytest.raises(Stop):
            match(*arguments, tail=3, checkpoint=Checkpoint(path, seconds=0.0, report=report))
        again = match(*arguments, tail=3, checkpoint=Checkpoint(path))
        jax.tree.map(np.testing.assert_array_equal, again, whole)


def test_a_narrow_tail_changes_no_game_of_players_who_leave_nothing_to_chance(path, players):
    env, (_, steady) = players
    arguments = env, [steady, steady], jax.random.key(2), 16, 6
    whole = match(*arguments)
    again = match(*arguments, tail=1, checkpoint=Checkpoint(path, seconds=0.0))
    jax.tree.map(np.testing.assert_array_equal, again, whole)


@pytest.mark.parametrize(("tail", "kept"), [(0, True), (9, True), (2, False)])
def test_a_tail_is_narrower_and_kept(path, players, tail, kept):
    env, pair = players
    checkpoint = Checkpoint(path) if kept else None
    message = f"from 1 to the width, 8, and needs a checkpoint; got {tail}"
    with pytest.raises(ValueError, match=message):
        match(env, pair, jax.random.key(2), 16, tail=tail, checkpoint=checkpoint)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"key": jax.random.key(3)}, "key"),
        ({"num_games": 10}, "games"),
        ({"opening_plies": 3}, "opening_plies"),
        ({"width": 2}, "width"),
        ({"tail": 2}, "tail"),
        ({"env": jaxgames.make("onitama", max_plies=40)}, "rules"),
        ({"starts": True}, "starts"),
        ({"players": True}, "players"),
        ({"learned": True}, "networks"),
    ],
)
def test_another_match_is_not_gone_on_with(path, players, changes, name):
    env, pair = players
    arguments = {"env": env, "players": pair, "key": jax.random.key(2), "num_games": 8}
    with pytest.raises(Stop):
        match(**arguments, checkpoint=stopping(path, 1))
    changes = dict(changes)
    if changes.pop("learned", False):
        changes["players"] = [pair[0]._replace(params=jnp.ones(3)), pair[1]]
    if changes.get("players") is True:
        changes["players"] = pair[::-1]
    if "starts" in changes:
        changes["starts"] = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 4))
    with pytest.raises(ValueError, match=f"belongs to other games: its {name} is"):
        match(**arguments | changes, checkpoint=Checkpoint(path))


def test_names_tell_parameters_apart():
    one = {"a": np.arange(3), "b": np.ones(2)}
    prints = {
        resumable.fingerprint(tree)
        for tree in (one, {"a": np.arange(3), "c": np.ones(2)}, one | {"a": np.arange(3.0)}, (),
                     one | {"b": np.ones((2, 1))}, one | {"b": np.array([1.0, 2.0])})
    }  # fmt: skip
    assert len(prints) == 6
    assert resumable.fingerprint(dict(one)) == resumable.fingerprint(one)


def test_a_file_can_be_checked_and_tells_its_devices_before_anything_is_computed(path):
    checkpoint = Checkpoint(path)
    resumable.check(checkpoint, IDENTITY)  # there is no file yet
    assert resumable.kept_devices(checkpoint) is None
    stopped(path, 2)
    resumable.check(checkpoint, IDENTITY | {"devices": 1})  # what older files do not say
    assert resumable.kept_devices(checkpoint) == 1
    with pytest.raises(ValueError, match="its devices is 1, not 2"):
        resumable.check(checkpoint, IDENTITY | {"devices": 2})


@pytest.mark.parametrize("content", [b"junk", [1], {"devices": "2"}, {"devices": True}])
def test_a_file_of_anything_else_tells_no_devices_and_is_refused(path, content):
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, list):
        np.savez(path, meta=json.dumps(content))
    else:
        array_files.write(path, {}, content)
    assert resumable.kept_devices(Checkpoint(path)) is None
    with pytest.raises(ValueError, match="no file of games that were stopped, or damaged"):
        resumable.check(Checkpoint(path), IDENTITY)


def test_a_match_can_be_checked_before_it_is_played(path, players):
    env, pair = players
    checkpoint, key = Checkpoint(path, seconds=0.0), jax.random.key(2)
    match(env, pair, key, 8, checkpoint=checkpoint)
    check_kept(env, pair, key, 8, checkpoint)
    with pytest.raises(ValueError, match="its games is 8, not 6"):
        check_kept(env, pair, key, 6, checkpoint)
    with pytest.raises(ValueError, match="its players is"):
        check_kept(env, pair[::-1], key, 8, checkpoint)
