"""Whole runs of the program, small enough for a test."""

import functools
import shlex

import jax
import numpy as np
import optax
import pytest

import jaxgames
from agents.arena import __main__ as arena
from configs.alphazero import SelfPlayConfig
from jaxgames import records
from jaxgames.players import registry, spec
from jaxgames.players.network import make_gumbel, make_puct
from jaxgames.players.stored_networks import load_network
from jaxgames.testing import playouts
from tests.train import runs
from train import alphazero, alphazero_learner
from train.metrics import read_metrics
from train.network_program import NetworkProgram

ITERATIONS = 12
UPDATES = 16  # gradient steps of an iteration
TINY = [
    "--game=onitama",
    "--preset=cpu",
    "--network.channels=8",
    "--network.blocks=1",
    "--network.policy-channels=16",
    "--network.value-channels=2",
    "--network.value-hidden=16",
    "--selfplay.lanes=32",
    "--selfplay.plies=16",
    "--selfplay.simulations=8",
    "--selfplay.max-considered=8",
    "--replay.capacity=4096",
    "--learner.batch-size=128",
    f"--learner.updates={UPDATES}",
    "--learner.learning-rate=0.01",
    "--learner.warmup-steps=10",
    "--evaluation.games=64",
    "--evaluation.simulations=8",
    "--evaluation.opponents=random",
    "--checkpoint.every=1",
]
RARE = [f"--evaluation.every={ITERATIONS}", "--evaluation.saved-games=2"]
RANDOM = "evaluation/{}/random"


def run(folder, *arguments):
    """Trains; returns the metrics of all iterations, the one before the first included."""
    alphazero.main([*TINY, f"--run-dir={folder}", *arguments])
    return read_metrics(folder / "metrics.jsonl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("learned") / "run"


@pytest.fixture(scope="module")
def compiled():
    """Makes programs that share what is compiled."""
    learner = alphazero_learner.make_program(alphazero.parse([*TINY, *RARE])).learner
    return functools.partial(NetworkProgram, learner)


@pytest.fixture(scope="module")
def train(compiled):
    """Trains in a folder with further options."""

    def run_in(path, *more):
        runs.learn(compiled, alphazero.parse([*TINY, *RARE, f"--run-dir={path}", *more]))
        return read_metrics(path / "metrics.jsonl")

    return run_in


@pytest.fixture(scope="module")
def rows(train, folder):
    export = f"--export={folder.parent / 'exported.npz'}"
    return train(folder, f"--iterations={ITERATIONS}", export)


def test_games_of_evaluations_are_records(rows, folder):
    files = sorted((folder / "games").iterdir())
    assert [file.name for file in files] == ["iteration-000000.jsonl", "iteration-000012.jsonl"]
    games = records.read(files[-1])
    assert [(game.tags["match"], game.tags["number"]) for game in games] == [
        ("search/random", 0), ("search/random", 1), ("network/random", 0), ("network/random", 1),
    ]  # fmt: skip
    env = jaxgames.make("onitama")
    for game in games:
        *_, last = records.positions(env, game)
        assert bool(last.terminated | last.truncated)


def test_network_learns_to_beat_random_play_without_search(rows):
    before, after = rows[0], rows[-1]
    assert [row["iteration"] for row in rows] == list(range(ITERATIONS + 1))
    assert before[RANDOM.format("network")] < 0.7
    assert after[RANDOM.format("network")] > 0.85
    assert after[RANDOM.format("search")] > 0.9


def test_policy_and_value_fit_the_targets_better_and_better(rows):
    first, last = rows[1], rows[-1]
    assert last["learner/policy_loss"] < first["learner/policy_loss"] - 0.1
    assert last["learner/value_loss"] < first["learner/value_loss"] - 0.03
    assert last["learner/value_correlation"] > first["learner/value_correlation"] + 0.2


def test_selfplay_reports_what_it_played(rows):
    for row in rows[1:]:
        assert row["selfplay/games"] > 0
        assert 4 < row["selfplay/game_length"] < 60
        assert 0 < row["selfplay/known_outcomes"] <= 1
        assert 0 <= row["selfplay/seat_0_win_rate"] <= 1 - row["selfplay/draw_rate"]
    # Each of the lanes plays at least one game in 192 plies, and none is counted twice.
    plies = 32 * 16 * ITERATIONS
    finished = sum(row["selfplay/games"] * row["selfplay/game_length"] for row in rows[1:])
    assert 0.5 * plies < finished <= plies


def test_same_seed_gives_the_same_numbers_and_another_one_does_not(rows, train, folder, tmp_path):
    again = train(tmp_path / "again", "--iterations=2", "--evaluation.every=0")
    assert runs.read(tmp_path / "again") == runs.read(folder)[1:3]
    assert len(again) == 2
    other = train(tmp_path / "other", "--seed=1", "--iterations=1", "--evaluation.every=0")
    assert other[0]["learner/loss"] != rows[1]["learner/loss"]


@functools.partial(jax.jit, static_argnums=0)
def act(agent, params, states):
    return agent.act(params, (), states, jax.random.key(0))[0]


@pytest.mark.parametrize("agent", ["gumbel:simulations=8,network={}", "network:network={}"])
def test_exported_file_plays_like_the_run(rows, folder, agent):
    env = jaxgames.make("onitama")
    exported = folder.parent / "exported.npz"
    games = playouts.play(env.rules, seed=1)
    states = playouts.at(games.states, 8)
    decisions = []
    for path in (folder, folder / "network.npz", exported):
        player = registry.make(agent.format(path), env)
        decisions.append(act(player.agent, player.params, states))
    for decision in decisions[1:]:
        jax.tree.map(np.testing.assert_array_equal, decision, decisions[0])
    assert load_network(exported)[1]["iteration"] == ITERATIONS
    assert decisions[0].policy.max() > 0.2


def test_loss_that_is_not_finite_stops_the_run_and_leaves_the_good_checkpoint(
    compiled, tmp_path, monkeypatch, capfd
):
    steps = compiled.args[0].steps
    whole_step = steps.learn

    def exploding_step(params, opt_state, batch):
        """The last step of the second iteration has a finite loss and an infinite gradient."""
        params, opt_state, metrics = whole_step(params, opt_state, batch)
        count = optax.tree_utils.tree_get_all_with_path(opt_state, "count")[0][1]
        factor = np.inf if count == 2 * UPDATES else 1.0
        metrics["learner/gradient_norm"] *= factor
        return jax.tree.map(lambda x: x * factor, params), opt_state, metrics

    monkeypatch.setattr(alphazero_learner, "make_program", compiled)
    monkeypatch.setattr(steps, "learn", exploding_step)
    folder = tmp_path / "run"
    arguments = ["--iterations=5", "--evaluation.every=0"]
    with pytest.raises(SystemExit) as stopped:
        run(folder, *arguments)
    assert stopped.value.code == 1
    assert "iteration 2: the loss or its gradient is not finite" in capfd.readouterr().err
    params, meta = load_network(folder)
    assert meta["iteration"] == 1
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(params))
    assert not (folder / "network.npz").exists()
    rows = read_metrics(folder / "metrics.jsonl")
    assert [row["learner/gradient_norm"] is None for row in rows] == [False, True]

    # With the cause removed, the run goes on from there.
    monkeypatch.setattr(steps, "learn", whole_step)
    rows = run(folder, *arguments)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5]
    assert all(np.isfinite(row["learner/loss"]) for row in rows)


def test_the_closing_lines_name_a_match_that_the_arena_plays(rows, folder, monkeypatch):
    # The module stands for a plugin that makes the game or an agent known.
    monkeypatch.setattr("sys.argv", ["train", "--plugin", "string", *TINY])
    network, match = alphazero_learner.make_program(alphazero.parse(TINY)).closing_lines(folder)
    assert " --plugin=string --game=onitama" in match
    assert network == f"network: {folder / 'network.npz'}"
    command = shlex.split(match.removeprefix("match: python -m "))
    monkeypatch.setattr("sys.argv", [*command, "--games=2"])
    assert arena.main() == 0


@pytest.mark.slow
def test_a_taught_run_that_stopped_goes_on_as_if_it_had_not(tmp_path):
    arguments = ("--teacher=osla", "--teacher-iterations=2", "--evaluation.every=0")
    run(tmp_path / "whole", *arguments, "--iterations=3")
    run(tmp_path / "parts", *arguments, "--iterations=1")
    run(tmp_path / "parts", *arguments, "--iterations=3")
    whole = runs.read(tmp_path / "whole")
    assert runs.read(tmp_path / "parts") == whole
    assert whole[1]["learner/policy_kl"] != whole[2]["learner/policy_kl"]
    # Nothing is reanalysed while the teacher labels.
    run(tmp_path / "searched", *arguments, "--iterations=2", "--replay.reanalyse=1.0")
    assert runs.read(tmp_path / "searched") == whole[:2]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "gumbel:network=n.npz,simulations=32"),
        (
            {"rescale_values": False, "max_children": 64, "max_considered": 8},
            "gumbel:network=n.npz,simulations=32,max_considered=8,rescale_values=false,"
            "max_children=64",
        ),
        ({"search": "mctx", "simulations": 5}, "gumbel:network=n.npz,simulations=5"),
        ({"search": "puct"}, "puct:network=n.npz,simulations=32"),
        (
            {"search": "puct", "c_init": 2.0, "max_children": 9, "rescale_values": False},
            "puct:network=n.npz,simulations=32,c_init=2.0,max_children=9",
        ),
    ],
)
def test_the_player_of_a_run_searches_as_the_run_did(settings, text):
    assert alphazero_learner.search_spec(SelfPlayConfig(**settings), "n.npz") == text


def test_options_of_a_search_have_the_same_defaults_in_trainings_and_players():
    """`search_spec` leaves defaults out."""
    gumbel, puct = (spec.fields_of(f) for f in (make_gumbel, make_puct))
    ours = SelfPlayConfig()
    assert ours.max_considered == gumbel["max_considered"].default
    assert ours.rescale_values == gumbel["rescale_values"].default
    assert ours.c_init == puct["c_init"].default
    assert ours.max_children is gumbel["max_children"].default is puct["max_children"].default
