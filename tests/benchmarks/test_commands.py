"""Every benchmark runs end to end in a small size, and answers mistakes with a message."""

import json
import subprocess
import sys

import jax
import pytest

from benchmarks import commands, environment, search_scaling
from configs import alphazero
from configs.alphazero import AlphaZeroConfig
from jaxgames.networks import network_files
from jaxgames.networks.config import ModelConfig, NetworkConfig
from jaxgames.networks.learned_model import KIND, make_model
from jaxgames.networks.network import make_network
from jaxgames.players import plugs, registry
from tests.locations import CHECKOUT, GOLDEN

NETWORK = NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2)
MODEL = ModelConfig(channels=4, blocks=1, dynamics_blocks=0, policy_channels=4, value_channels=2)
SMALL = AlphaZeroConfig(
    game="onitama",
    network=NETWORK,
    selfplay=alphazero.SelfPlayConfig(lanes=8, plies=4, simulations=2),
    replay=alphazero.ReplayConfig(capacity=64),
    learner=alphazero.LearnerConfig(batch_size=8, updates=2),
)
ONE_SET_UP = "--env-options=factions=engineers,halflings,post_conversions=false"

SIZES = {  # of trees
    "WIDTHS": (5,), "LANES": {5: 2}, "SIMULATIONS": (1, 3), "FEW": 3,
    "MEMORY_WIDTH": 5, "MEMORY_SIMULATIONS": 2, "MEMORY_LANES": 2,
    "LARGE_WIDTH": 5, "LARGE_SIMULATIONS": 3, "LARGE_LANES": 2,
}  # fmt: skip

# Benchmark, its options, and texts of its record.
RUNS = {
    "throughput": (
        "--game=onitama_report --batches 1 64 --steps=4 --repeats=2 --modes lean plain versus",
        ["jaxgames onitama_report, versus : jaxgames onitama_report, plain |", "| bytes moved |"],
    ),
    "search": (
        "--game=onitama --batches 4 --simulations=2 --repeats=2 --blocks=1 --channels=4",
        ["| gumbel | 4 | 2 |", "| mctx | 4 | 2 |"],
    ),
    "model_search": (
        "--actions 5 --simulations 6 --lanes=8 --repeats=2",
        ["| gumbel_muzero_policy | 5 | 6 |", "| 100.0 % |"],
    ),
    "search_scaling": ("--repeats=2", ["| 5 | 2 | 3 |", "| mctx | 5 |", "| tree | 3 |"]),
    "planning": (
        "--game=onitama_report --agents mc:budget=30,depth=10 --lanes=7 --plies=2 --repeats=2",
        ["| mc:budget=30,depth=10 | 3 | 9 | 30 |"],
    ),
    "play": ("--agent=random --answers=2 --games=2", ["| answers | 2 |", "memory after 1 and 2"]),
    "depth_first": (
        "--game=onitama_report --lanes 2 --table=4 --repeats=1",
        ["| pvs, table of 2^4 | 2 |", "| alpha_beta | 2 |", "pvs with a table, 2 lanes"],
    ),
    "compile_time": (
        "--games onitama_report --batch=2",
        ["| onitama_report | observe |", "`onitama_report`: init, step, legal_actions together"],
    ),
    "one_position": (
        "--agents gumbel:evaluator=uniform,simulations=4 first_legal --seconds 0.01 --positions=2",
        ["| gumbel:evaluator=uniform,simulations=4 | 0.01 |", "| first_legal |"],
    ),
    "first_answer": ("--games onitama --player=first_legal", ["| onitama | first_legal |"]),
    "training": ("--game=onitama --iterations=2", ["| positions/s, end to end |"]),
    "strength": (
        "--checkpoint={network} --simulations=2 --more-simulations=3 --games=4 --opening-plies=1 "
        f"--opponents random --golden={GOLDEN / 'onitama'} --positions=8 --solvers first_legal",
        [
            "12 iterations",
            "- random plies first: 1",
            "- trained, 2 simulations v untrained, 2 simulations:",
            "| first_legal |",
        ],
    ),
    "points": (
        f"--game=terra_mystica {ONE_SET_UP} --agents random --games=6",
        ["| random | engineers |", "| random | halflings |"],
    ),
    "ranks": (
        "--game=onitama --agents best random --others=first_legal --games=3",
        ["- best: random", "| best | first_legal | 4 |", "| random | first_legal | 4 |"],
    ),
    "levels": (
        "--game=onitama --games=4 --games-of-best=6 --decisions=3",
        ["| Level 1 | first_legal |  |  | 0.", "| Level 2 | random | ", "% of 6 ("],
    ),
    "exploitability": (
        "--agent=first_legal --minutes=9 --config={settings} --run-dir={run} --games=4 "
        f"--simulations=3 --golden={GOLDEN / 'onitama'} --positions=4",
        [
            "- response: gumbel:network=network.npz,simulations=3",
            "- trained by: train.alphazero, from fresh parameters",
            "| first_legal |",
            "2 iterations",
            "the player's move keeps the value in",
        ],
    ),
    "calibration": (
        "--game=onitama --players random first_legal --games=2 --positions=4 "
        "--judge=gumbel:evaluator=uniform,simulations=4",
        ["| tenth | positions | expected |", "Mean error of a tenth"],
    ),
    "model_error": (
        "--network={model} --lanes=4 --plies=64 --steps=2 --games=2 --simulations=2 "
        "--no-rescale-values --opening-plies=1",
        [
            "- random plies first: 1",
            "- rescale_values: False",
            "| 0 | ",
            "| 2 | ",
            "| search with the model | ",
            "| search with the rules | ",
        ],
    ),
    "report": ("--parts compile_time --minutes=1", ["- compile_time: ", "## "]),
}
QUICK = {"ranks", "levels"}


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The file of an untrained network."""
    env = registry.make_env("onitama")
    path = tmp_path_factory.mktemp("strength") / "network.npz"
    params = make_network(env, NETWORK).init(jax.random.key(7))
    network_files.save_network(path, params, network_files.describe(env, "", NETWORK, iteration=12))
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The file of an untrained learned model."""
    env = registry.make_env("onitama")
    path = tmp_path_factory.mktemp("model_error") / "network.npz"
    params = make_model(env, MODEL).init(jax.random.key(7))
    network_files.save_network(
        path, params, network_files.describe(env, "", MODEL, 1) | {"kind": KIND}
    )
    return path


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """A file of settings of a brief training."""
    path = tmp_path_factory.mktemp("settings") / "brief.json"
    path.write_text('{"iterations": 2}')
    return path


@pytest.mark.parametrize(
    "name", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in RUNS]
)
def test_benchmark_writes_its_record(name, network, model, settings, tmp_path, monkeypatch):
    levels = (plugs.Level(("first_legal",)), plugs.Level(("best",)))
    plug = plugs.GameAgents(best={2: ("random",)}, levels={2: levels})
    monkeypatch.setitem(plugs._loaded, "onitama", plug)
    monkeypatch.setattr("configs.presets.preset", lambda *_: SMALL)
    monkeypatch.setenv("XLA_FLAGS", "")
    for size, value in SIZES.items():
        monkeypatch.setattr(search_scaling, size, value)
    options, texts = RUNS[name]
    output = tmp_path / "record.md"
    words = options.format(
        network=network, model=model, settings=settings, run=tmp_path / "run"
    ).split()
    status = commands.main(name, [*words, f"--output={output}"])
    assert status == 0 or name == "report"  # on a busy machine its part takes too long
    page = output.read_text()
    assert all(text in page for text in texts), page
    numbers = json.loads(output.with_suffix(".json").read_text())
    assert numbers.pop("environment")["revision"] and numbers


def test_all_benchmarks_run_here():
    assert set(RUNS) == set(commands.COMMANDS)


NO_POSITIONS = "--checkpoint={network} --positions=0"
MISTAKES = [
    ("search", "--game=onitam", "did you mean 'onitama'"),
    ("search", "--batches=0", "expected a whole number from 1 to 2147483647, got '0'"),
    ("search", "--output=result.txt", "expected a file name that ends in .md"),
    ("search", "--output=pyproject.toml/x.md", "result file: there is no directory "),
    ("depth_first", "--game=onitma", "did you mean 'onitama'?"),
    ("planning", "--agents random", "'random' does not play games of its own; choose mc"),
    ("points", "--game=onitama", "onitama counts no points"),
    ("ranks", "--game=onitama --others=randm", "did you mean 'random'"),
    ("levels", "--game=tribes --env-options=num_players=5", "num_players"),
    ("levels", "--game=onitama --games=3", "positive multiple of 2"),
    ("exploitability", "--agent=bst", "did you mean 'best'?"),
    ("exploitability", "--start=onitma", "did you mean 'onitama'?"),
    ("exploitability", "--games=3", "positive multiple of 2"),
    ("exploitability", "--game=tribes --simulations=8", "is for a response that searches"),
    (
        "exploitability",
        "--game=terra_mystica --env-options=num_players=3",
        "games of two seats, terra_mystica has 3",
    ),
    ("model_error", "--network={network}", "has no model: expected a network of train.muzero"),
    ("model_error", "--network=onitama --steps=9 --plies=8", "--steps=9 are more than --plies=8"),
    ("model_error", "--network={network} --games=3", "positive multiple of 2"),
    ("model_error", "--network={network} --opponent=randm", "did you mean 'random'"),
    ("model_error", "--network={network} --opponent=human", "nobody can be asked here"),
    ("training", "--run=docs", "it has no metrics.jsonl, config.json, record.json"),
    ("strength", "--checkpoint=nowhere.npz", "there is no network file or run folder at nowhere"),
    ("strength", "--checkpoint={network} --games=3", "positive multiple of 2"),
    ("strength", "--checkpoint={network} --opponents randon", "did you mean 'random'"),
    ("strength", "--checkpoint={network} --solvers beste", "did you mean 'best'"),
    ("strength", "--checkpoint={network} --solvers human", "nobody can be asked here"),
    ("strength", f"{NO_POSITIONS} --solvers first_legal", "--solvers needs solved positions"),
    ("strength", f"{NO_POSITIONS} --earlier {{network}}", "--earlier needs solved positions"),
    ("strength", "--checkpoint={network} --golden=nowhere", "tablebase.jsonl does not exist"),
    ("strength", "", "one of the arguments --run --checkpoint is required"),
]


@pytest.mark.parametrize(("name", "options", "message"), MISTAKES)
def test_mistakes_end_with_a_message_and_status_2(
    name, options, message, network, capsys, monkeypatch
):
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.chdir(CHECKOUT)
    with pytest.raises(SystemExit) as end:
        commands.main(name, options.format(network=network).split())
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_command_lines_are_read_without_jax():
    code = (
        "import sys; from benchmarks import commands\n"
        "for name, command in commands.COMMANDS.items(): command.parser(name).format_help()\n"
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=False).returncode == 0


def test_the_record_is_named_after_the_game():
    parser = commands.COMMANDS["throughput"].parser("benchmarks.throughput")
    options = parser.parse(["--game=tribes", "--peers", "--batches", "4", "2"])
    assert options.peers == [] and options.batches == [4, 2]
    assert options.output == environment.RESULTS / "speed" / "throughput_tribes.md"
