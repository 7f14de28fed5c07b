"""Programs that are kept give what programs that are traced give, and are found again."""

import os
import pathlib
import subprocess
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.analysis import host_states
from jaxgames.internal.program_cache import cached_jit, cached_shapes, sources, store
from tests.jaxgames.internal.program_cache import programs

pytest.importorskip("flatbuffers")
KEY = jax.random.key(7)


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    # Other tests of this process load modules whose sources nobody knows.
    monkeypatch.setattr(sources, "PROGRAMS", (*sources.PROGRAMS, "tests"))
    return tmp_path


def kept(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob("*.npz"))


def equal(one: Any, other: Any) -> bool:
    if jax.tree.structure(one) != jax.tree.structure(other):
        return False
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(a.dtype == b.dtype and np.array_equal(_data(a), _data(b)) for a, b in leaves)


def _data(leaf: Any) -> Any:
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


def again(function: Any = programs.draw, **options: Any) -> Any:
    """Returns the program as a new process makes it: it has traced nothing yet."""
    return cached_jit.jit(function, static_argnames="sides", **options)


def test_a_program_is_traced_once_and_gives_equal_results(folder: pathlib.Path) -> None:
    given = programs.Hand(np.arange(3, dtype=np.int8), {"b": jnp.float32(2)})
    programs.traced.clear()
    first = again()(6, KEY, given)
    second = again()(6, KEY, given)
    assert programs.traced == [6]
    assert equal(first, second)
    assert equal(first, jax.jit(programs.draw, static_argnums=0)(6, KEY, given))
    assert len(kept(folder)) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda given: again()(8, KEY, given),
        lambda given: again()(6, KEY, given._replace(cards=np.zeros(4, np.int8))),
        lambda given: again()(6, KEY, given._replace(cards=np.zeros(3, np.int16))),
        lambda given: again()(6, KEY, given._replace(rest={"c": jnp.float32(2)})),
        lambda given: again(programs.draw_twice)(6, KEY, given),
    ],
    ids=["static", "shape", "type", "structure", "function"],
)
def test_another_call_is_another_program(call: Any, folder: pathlib.Path) -> None:
    given = programs.Hand(np.arange(3, dtype=np.int8), {"b": jnp.float32(2)})
    again()(6, KEY, given)
    call(given)
    assert len(kept(folder)) == 2


def test_settings_of_jax_are_part_of_the_key(folder: pathlib.Path) -> None:
    given = programs.Hand(np.arange(3, dtype=np.int8), {})
    again()(6, KEY, given)
    with jax.default_matmul_precision("float32"):
        again()(6, KEY, given)
    assert len(kept(folder)) == 2


def test_values_that_a_function_was_made_with_are_part_of_the_key(folder: pathlib.Path) -> None:
    results = [int(cached_jit.jit(programs.adder(n))(np.int32(1))) for n in (1, 2, 1)]
    assert results == [2, 3, 2]
    assert len(kept(folder)) == 2


def test_values_without_a_text_are_traced_as_by_jax(folder: pathlib.Path) -> None:
    assert int(cached_jit.jit(programs.adder(object()))(np.int32(1))) == 1
    assert int(cached_jit.jit(programs.negate)(2)) == -2  # a number of Python, not an array
    assert int(jax.jit(cached_jit.jit(programs.negate))(np.int32(2))) == -2  # inside a trace
    assert not kept(folder)


def test_errors_of_the_function_are_raised(folder: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="no sides"):
        again()(0, KEY, programs.Hand(np.arange(3), {}))
    assert not kept(folder)


def test_a_damaged_program_is_traced_anew_with_a_message(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = programs.Hand(np.arange(3, dtype=np.int8), {})
    first = again()(6, KEY, given)
    (file,) = kept(folder)
    whole = file.read_bytes()
    for damaged in (b"", whole[:-100], whole[:99] + b"x" + whole[100:]):
        file.write_bytes(damaged)
        programs.traced.clear()
        assert equal(again(label="dice")(6, KEY, given), first)
        assert programs.traced == [6]
        assert "dice is traced anew" in capsys.readouterr().err
        assert len(kept(folder)) == 1
    assert equal(again(label="dice")(6, KEY, given), first)
    assert capsys.readouterr().err == ""


def test_a_program_of_another_version_of_jax_is_traced_anew(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = programs.Hand(np.arange(3, dtype=np.int8), {})
    first = again()(6, KEY, given)
    (file,) = kept(folder)
    entry = store.read(file, "dice")
    assert entry is not None
    store.write(file, entry._replace(program=b"another format"))
    assert equal(again()(6, KEY, given), first)
    assert "traced anew" in capsys.readouterr().err


def test_programs_used_last_are_kept_within_the_limit(folder: pathlib.Path) -> None:
    entry = store.Entry(np.random.default_rng(0).bytes(10_000), "*")
    for age, name in enumerate(("newest", "older", "oldest")):
        store.write(folder / f"{name}.npz", entry)
        os.utime(folder / f"{name}.npz", (1e9 - age, 1e9 - age))
    assert store.read(folder / "oldest.npz", "") == entry  # it is the one used last now
    store.write(folder / "new.npz", entry, most_bytes=35_000)
    assert {path.stem for path in kept(folder)} == {"new", "oldest", "newest"}


def test_without_flatbuffers_programs_are_traced_silently(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cached_jit, "_can_export", lambda: False)
    assert int(cached_jit.jit(programs.negate)(np.int32(2))) == -2
    assert not kept(folder)
    assert capfd.readouterr() == ("", "")


def test_a_donated_argument_is_used_up(folder: pathlib.Path) -> None:
    for _ in range(2):
        given = jnp.arange(4)
        program = cached_jit.jit(programs.negate, donate_argnames="number")
        assert program(given).tolist() == [0, -1, -2, -3]
        assert given.is_deleted()
    assert len(kept(folder)) == 1


@pytest.mark.parametrize("donated", ["start", "by", ("start", "by")])
def test_only_donated_arguments_are_used_up_whatever_their_order(
    donated: str | tuple[str, ...], folder: pathlib.Path
) -> None:
    for _ in range(2):
        given = {"start": jnp.arange(4), "by": jnp.ones(4, jnp.int32)}
        cached_jit.jit(programs.moved, donate_argnames=donated)(**given)
        assert [name for name, x in given.items() if x.is_deleted()] == (
            [donated] if isinstance(donated, str) else list(donated)
        )
    assert len(kept(folder)) == 1


def test_games_and_players_are_kept(folder: pathlib.Path) -> None:
    env = jaxgames.make("onitama")
    state = host_states.begin(env, KEY)
    assert len(kept(folder)) == 2  # the state, and its legal actions
    player = jaxgames.player("greedy", env)
    games = jax.tree.map(lambda x: x[None], state.game)
    decision, memory = player.act(player.agent.reset(1), games, KEY)
    assert len(kept(folder)) == 3
    plain = jax.jit(player.agent.act)(player.params, player.agent.reset(1), games, KEY)
    assert equal((decision, memory), plain)


def test_shapes_are_traced_once(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = programs.Hand(np.arange(3, dtype=np.int8), {"b": jnp.float32(2)})
    programs.traced.clear()
    first = cached_shapes.eval_shape(programs.hold, given)
    jax.clear_caches()  # JAX has none in another process
    assert cached_shapes.eval_shape(programs.hold, given) == first
    assert len(programs.traced) == 1
    plain = jax.eval_shape(programs.hold, given)
    assert first == plain
    (file,) = kept(folder)
    store.write(file, store.Entry(b"[[3]]", "*"))
    assert cached_shapes.eval_shape(programs.hold, given) == plain
    assert "traced anew" in capsys.readouterr().err
    key = jax.random.key(0)
    assert cached_shapes.eval_shape(programs.negate, 1.0 * jnp.ones(2)).shape == (2,)
    assert cached_shapes.eval_shape(programs.same, key) == jax.eval_shape(programs.same, key)


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, numpy as np
import rules
from jaxgames.internal.program_cache import cached_jit
print(int(cached_jit.jit(rules.score)(np.int32(2))), len(rules.traced))
"""


class Outcome(NamedTuple):
    score: int
    traced: int


def _processes(place: pathlib.Path, count: int) -> list[Outcome]:
    environment = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(place / "cache"),
        "JAXGAMES_PROGRAM_CACHE": "on",
        "JAX_PLATFORMS": "cpu",
    }
    command = [sys.executable, "-c", PROGRAM, str(place)]
    begun = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    return [Outcome(*map(int, process.communicate()[0].split())) for process in begun]


def test_processes_share_programs_until_a_source_changes(tmp_path: pathlib.Path) -> None:
    rules, helper = tmp_path / "rules.py", tmp_path / "numbers_of_rules.py"
    rules.write_text(
        "import numbers_of_rules\ntraced = []\n"
        "def score(x):\n    traced.append(x)\n    return numbers_of_rules.POINTS * x\n"
    )
    helper.write_text("POINTS = 3\n")
    together = _processes(tmp_path, 2)
    assert [outcome.score for outcome in together] == [6, 6]
    assert _processes(tmp_path, 1) == [Outcome(6, 0)]
    helper.write_text("POINTS = 10\n")
    assert _processes(tmp_path, 1) == [Outcome(20, 1)]
    assert len(kept(tmp_path / "cache" / "programs")) == 2
