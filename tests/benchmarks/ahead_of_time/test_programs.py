"""The programs that are compiled ahead of time, and the compilers where they are installed."""

import math
import os
import subprocess
import sys
import types

import jax
import pytest

from benchmarks.ahead_of_time import examine, kept, report, targets, worker
from benchmarks.ahead_of_time.programs import RANDOM_STEPS, Programs
from benchmarks.ahead_of_time.targets import H100, NOT_INSTALLED, PROGRAMS, TARGETS, WHERE_ASKED
from tests.benchmarks.ahead_of_time.results import compiled


@pytest.fixture(scope="module")
def programs():
    return Programs("onitama", "accelerator", jax.devices()[:1], batch=4)


@pytest.mark.parametrize("name", [*PROGRAMS, *WHERE_ASKED])
def test_every_program_of_onitama_is_traced(programs, name):
    made = programs.make(name)
    traced = made.function.trace(*made.arguments)
    assert made.units > 0
    assert traced.jaxpr.jaxpr.eqns


def test_report_names_what_does_not_compile():
    rows = [report.Row("v5e", "onitama", "accelerator", "step", {"error": "XlaError: too | big"})]
    page = report.render({"command": "x"}, rows)
    assert "0 of 1 programs compile" in page
    assert "too / big" in page


def test_a_program_that_cannot_be_read_has_its_costs_and_no_model(tmp_path, monkeypatch):
    program = Programs("onitama", "cpu", [jax.devices()[0]], 4, run=True).make("step")

    def refuse(compiled):
        raise jax.errors.JaxRuntimeError("INTERNAL: async-update instruction")

    monkeypatch.setattr(jax.stages.Compiled, "as_text", refuse)
    found = examine.examine(program, H100, 1)
    assert found["unread"] == "INTERNAL: async-update instruction"
    kept.write(tmp_path / "step.json", found)
    rows = [
        report.Row("h100", "onitama", "cpu", "step", kept.read(tmp_path / "step.json")),
        report.Row("h100", "onitama", "cpu", "init", compiled()),
    ]
    page = report.render({"command": "x"}, rows)
    assert "2 of 2 programs compile. The text of 1 of them holds operations" in page
    (line,) = [line for line in page.splitlines() if line.startswith("| h100 | onitama | step |")]
    assert line.endswith("|  |  |  |") and "%" in line
    (tmp_path / "step.json").write_text('{"unread": "and nothing else"}')
    assert kept.read(tmp_path / "step.json") is None


def test_report_gives_the_share_of_the_network():
    found = {
        "self-play": compiled("positions", 6.0, 1000),
        "learning": compiled("positions", 2.0, 0),
        "network": compiled("evaluations", 0.1, 50),
    }
    rows = [report.Row("v5e", "onitama", "accelerator", name, one) for name, one in found.items()]
    assert "| v5e | onitama | 6000 | 2000 | 2000 | 50% |" in report.render({"command": "x"}, rows)
    found["self-play"]["model"]["unknown_loops"] = 1
    assert "| v5e | onitama | 6000 | 2000 | 2000 | ≤ 50% |" in report.render({"command": "x"}, rows)
    assert "Share of the network" not in report.render({"command": "x"}, rows[:2])


def test_report_says_where_the_constants_come_from():
    page = report.render({"command": "x"}, [])
    assert "| T operations/s | us of a kernel (assumed) |" in page
    assert "| v5e | 16 | 819 | 200 | 197 (bfloat16) | 6 (assumed) | 1.0 |" in page
    assert "| h100 | 80 | 3352 |  | 989 (bfloat16) | 13 (fitted) | 2.5 |" in page


def test_report_says_what_memory_is_and_leaves_an_unknown_share_out():
    chip = H100._replace(memory_bytes=math.inf, operations_from="measured", products="float32")
    found = compiled() | {"memory": {"share": 0.0}, "chip": chip._asdict()}
    page = report.render({"command": "x"}, [report.Row("here", "onitama", "cpu", "step", found)])
    assert "| here | onitama | step | 1 |  |  |  |  | 1 steps/s |" in page
    assert "| here |  | 3352 |  | 989 (float32) | 13 (measured) | 2.5 |" in page
    assert "the sum of arguments, results, temporaries and the program" in page
    assert "peak of one device" not in page


def test_what_runs_here_is_measured_beside_the_model(tmp_path):
    arguments = ["--game=onitama", "--preset=cpu", "--batch=4", f"--folder={tmp_path}"]
    assert worker.main(["--target=here", *arguments, "step", "random play, lean"]) == 0
    rows = []
    for name in ("step", "random play, lean"):
        found = kept.read(tmp_path / kept.file_name("here", "onitama", "cpu", 4, name))
        assert found["measured"]["per_second"] > 0
        rows.append(report.Row("here", "onitama", "cpu", name, found))
    page = report.render({"command": "x"}, rows)
    assert "steps/s; model " in page
    bodies = sum(min(len(row.found["loops"]) - 1, report.LOOPS_SHOWN) for row in rows)
    assert bodies == 2
    # Programs, loop bodies, what runs outside of loops, constants.
    assert page.count("| here |") == 2 + bodies + 2 + 1


def compiled_for(target, game, preset, program, folder):
    """Returns what a worker finds of a program; skips where the compiler is not installed."""
    # The tests' own flags are for CPUs; the compiler of a TPU refuses them.
    environment = {key: value for key, value in os.environ.items() if key != "XLA_FLAGS"}
    command = [sys.executable, "-m", "benchmarks.ahead_of_time.worker", f"--game={game}"]
    command += [f"--target={target}", f"--preset={preset}", "--batch=1024"]
    done = subprocess.run(
        [*command, f"--folder={folder}", program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = kept.read(folder / kept.file_name(target, game, preset, 1024, program))
    if NOT_INSTALLED in found.get("error", ""):
        pytest.skip(found["error"])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_random_play_of_onitama_compiles(name, tmp_path):
    found = compiled_for(name, "onitama", "accelerator", "random play, lean", tmp_path)
    assert "error" not in found, found["error"]
    assert found["collectives"] == {}
    assert found["host_transfers_in_loops"] == 0
    (loop,) = [loop for loop in found["loops"] if loop["rounds"] == [RANDOM_STEPS // 2]]
    assert loop["copies"] == 0
    assert loop["kernels"] <= 2 * (8 if name == "h100" else 35)
    assert found["memory"]["share"] < 0.01


@pytest.mark.slow
def test_a_simulation_on_a_tpu_looks_nothing_up_and_copies_no_tree(tmp_path):
    found = compiled_for("v5e", "onitama", "accelerator", "search", tmp_path)
    assert "error" not in found, found["error"]
    by_depth = {len(loop["rounds"]): loop for loop in found["loops"]}
    assert len(found["loops"]) == len(by_depth) == 3  # one loop in another, and what is outside
    simulation, level = by_depth[1], by_depth[2]
    assert (level["kernels"] <= 30, level["copies"]) == (True, 0)
    assert level["bytes"] < 40e6
    assert (simulation["gathers"], simulation["scatters"]) == (0, 0)
    # All trees are 21 MB of actions, 21 MB of priors, 7 MB of states and 1 MB for each other array.
    assert simulation["bytes"] < 300e6
    assert simulation["kernels"] <= 160
    assert simulation["copies"] <= 120  # to the chip's own memory and back


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        ("v5e:2x2", "onitama", "accelerator", "learning"),
        ("v5e", "tribes", "accelerator", "search"),  # two thousand games, hidden information
        ("h100", "tribes", "many", "learning"),  # gradients over a million tiles
    ],
)
def test_large_programs_compile_and_chips_exchange_nothing_but_sums_of_gradients(case, tmp_path):
    found = compiled_for(*case, tmp_path)
    assert "error" not in found, found["error"]
    if ":" in case[0]:
        assert set(found["collectives"]) == {"all-reduce"}
        assert found["model"]["link_seconds"] > 0


def test_targets_have_as_many_devices_as_their_topologies():
    for target in TARGETS.values():
        if ":" in target.name:
            sizes = target.topology.partition(":")[2].split("x")
            assert target.num_devices == int(sizes[0]) * int(sizes[1])


@pytest.mark.parametrize(
    ("text", "shown", "packages", "is_missing"),
    [
        ("no such topology\nand more", "no such topology", [], True),
        ("no such topology\nand more", "no such topology", ["libtpu"], False),
        ("", "NotImplementedError", [], True),
        ("\nno\nmore", "no", [], True),
    ],
)
def test_a_compiler_that_fails_is_named_missing_only_without_its_package(
    monkeypatch, text, shown, packages, is_missing
):
    def fail(**_):
        raise NotImplementedError(text)

    found = [types.SimpleNamespace(metadata={"Name": name}) for name in (*packages, "jax")]
    monkeypatch.setattr("jax.experimental.topologies.get_topology_desc", fail)
    monkeypatch.setattr("importlib.metadata.distributions", lambda: found)
    with pytest.raises(ValueError, match=f"cannot compile for v5e: {shown}") as error:
        targets.devices(TARGETS["v5e"])
    assert (NOT_INSTALLED in str(error.value)) == is_missing
    assert ("pip install 'jaxgames[tpu]'" in str(error.value)) == is_missing


def test_a_page_does_not_speak_for_programs_that_it_could_not_read():
    unread = {name: value for name, value in compiled().items() if name != "model"}
    rows = [
        report.Row("v6e", "onitama", "many", "step", compiled()),
        report.Row("v6e", "onitama", "many", "learning", unread | {"unread": "async-update"}),
    ]
    page = report.render({"command": "x"}, rows)
    assert "All 1 programs with a readable text have no padding" in page
