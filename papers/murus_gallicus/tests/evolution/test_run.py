"""Whole runs: command line, learning, resuming, several seeds, and both methods."""

import dataclasses
import json
import sys

import numpy as np
import pytest

import jaxgames.registry
from configs.training import CheckpointConfig
from papers.murus_gallicus.evolution import __main__ as program
from papers.murus_gallicus.evolution import config
from papers.murus_gallicus.evolution import run as evolution_run
from papers.murus_gallicus.evolution.config import (
    EvaluationConfig,
    EvolutionConfig,
    MatchConfig,
    SchemeConfig,
)
from papers.murus_gallicus.evolution.run import Evolution
from papers.murus_gallicus.tests.evolution import stub
from tests.train import runs
from train.run import TrainingRun

METHODS = ("scheme", "cma_es")
TARGET = (300, -200, 100)
TINY = EvolutionConfig(
    game="turn_nim",
    iterations=6,
    seeds=2,
    match=MatchConfig(depth=1),
    evaluation=EvaluationConfig(every=3, games=4, opening_plies=2),
)
SELDOM = CheckpointConfig(every=1000)  # at the end alone, since each takes a tenth of a second


def register(patch: pytest.MonkeyPatch) -> None:
    """Registers the small game and its score, as a game of another package would be."""
    spec = jaxgames.registry.EnvSpec(rules="tests.turn_nim:TurnNim")
    patch.setitem(jaxgames.registry._SPECS, "turn_nim", spec)
    make_tunable = "papers.murus_gallicus.tests.evolution.stub:make_tunable"
    patch.setitem(config.TUNABLE, "turn_nim", make_tunable)


def without_games(patch: pytest.MonkeyPatch) -> None:
    """Decides games by a rule of thumb, so that many generations cost nothing."""
    nearest = stub.NearestWins(TARGET)
    patch.setattr(evolution_run, "_games", lambda *_: nearest)


@pytest.fixture(autouse=True)
def nim(monkeypatch):
    register(monkeypatch)


@pytest.fixture
def no_games(monkeypatch):
    without_games(monkeypatch)


def evolve(folder, **changes) -> TrainingRun:
    settings = dataclasses.replace(TINY, run_dir=str(folder), **changes)
    return runs.learn(Evolution, settings)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Uninterrupted runs of both methods, without games: folders by method."""
    with pytest.MonkeyPatch.context() as patch:
        register(patch)
        without_games(patch)
        folders = {}
        for method in METHODS:
            folders[method] = tmp_path_factory.mktemp(method) / "run"
            evolve(folders[method], method=method)
    return folders


def test_run_leaves_its_record_curves_and_champions(whole):
    folder = whole["scheme"]
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "champions.json", "checkpoints", "config.json", "learning_curve.png", "lock",
        "metrics.jsonl", "record.json", "tensorboard",
    }  # fmt: skip
    content = json.loads((folder / "champions.json").read_text())
    assert [champion["seed"] for champion in content["champions"]] == [0, 1]
    assert set(content["champions"][0]) == {"seed", *stub.GENES}
    rows = runs.read(folder)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert "evaluation/seed_1/nim_player" in rows[2] and "evaluation/seed_1/nim_player" in rows[5]
    for row in rows:
        assert 0.5 <= row["evolution/best_win_rate/seed_0"] <= 1
        assert row["match/plies"] == 7 and row["evolution/spread/seed_1"] >= 0


@pytest.mark.usefixtures("no_games")
@pytest.mark.parametrize("method", METHODS)
def test_two_seeds_at_once_are_bit_for_bit_each_alone(whole, tmp_path, method):
    rows = runs.read(whole[method])
    evolve(tmp_path / "alone", method=method, seed=1, seeds=1)
    for together, alone in zip(rows, runs.read(tmp_path / "alone"), strict=True):
        for name, value in alone.items():
            if "seed_1" in name:
                assert together[name] == value, name


@pytest.mark.usefixtures("no_games")
@pytest.mark.parametrize("method", METHODS)
def test_run_that_stopped_goes_on_as_if_it_had_not(whole, tmp_path, method):
    evolve(tmp_path / "parts", method=method, iterations=2, evaluation=TINY.evaluation)
    parts = evolve(tmp_path / "parts", method=method)
    assert parts.is_resumed and parts.now.iteration == 6
    found, wanted = runs.read(tmp_path / "parts"), runs.read(whole[method])
    # The last generation of the first part was evaluated as well.
    assert [row for row in found if row["iteration"] != 2] == [
        row for row in wanted if row["iteration"] != 2
    ]
    assert {n: x for n, x in found[1].items() if "evaluation" not in n} == wanted[1]
    name = "champions.json"
    assert (tmp_path / "parts" / name).read_bytes() == (whole[method] / name).read_bytes()


@pytest.mark.usefixtures("no_games")
@pytest.mark.parametrize("method", METHODS)
def test_population_moves_towards_the_genes_that_win(tmp_path, method):
    evaluation = EvaluationConfig(every=60)
    run = evolve(
        tmp_path / "run", method=method, iterations=60, evaluation=evaluation, checkpoint=SELDOM
    )
    start = np.abs(stub.make_group().population - TARGET).sum(axis=1).min()
    assert (np.abs(run._program.champions(run.now.state) - TARGET).sum(axis=1) < start / 2).all()
    assert runs.read(tmp_path / "run")[-1]["evaluation/seed_0/nim_player"] == 1


@pytest.mark.usefixtures("no_games")
def test_champion_of_the_scheme_never_gets_worse(tmp_path):
    evolve(tmp_path / "run", iterations=40, evaluation=EvaluationConfig(every=0), checkpoint=SELDOM)
    for seed in range(2):
        curve = [
            sum(
                abs(row[f"evolution/{gene}/seed_{seed}"] - wanted)
                for gene, wanted in zip(stub.GENES, TARGET, strict=True)
            )
            for row in runs.read(tmp_path / "run")
        ]
        assert (np.diff(curve) <= 0).all()
        assert curve[-1] < curve[0]


@pytest.mark.usefixtures("no_games")
def test_other_settings_are_refused_and_harmless_ones_accepted(whole, tmp_path):
    folder = whole["scheme"]
    with pytest.raises(ValueError, match=r"scheme.mutation_rate: there 0.5, asked for 0.25"):
        evolve(folder, scheme=SchemeConfig(mutation_rate=0.25))
    with pytest.raises(ValueError, match="method: there 'scheme', asked for 'cma_es'"):
        evolve(folder, method="cma_es")
    before = runs.read(folder)
    evolve(folder, checkpoint=SELDOM)
    assert runs.read(folder) == before


def test_second_stage_tunes_tables_on_fixed_material_weights(tmp_path):
    scheme = SchemeConfig(mutation="all", mutation_offsets=(200, 200, 200))
    run = evolve(
        tmp_path / "run",
        parameters="pst",
        material=(1, 2, 3),
        scheme=scheme,
        iterations=2,
        seeds=1,
        evaluation=EvaluationConfig(every=2, games=4, opening_plies=2),
    )
    assert int(run._program.players.params.heaps) == 2
    first, second = runs.read(tmp_path / "run")
    assert first["match/plies"] > 2 and first["match/draw_rate"] == 0
    assert 0 <= second["evaluation/seed_0/nim_player"] <= 1


GAME = "--game=murus_gallicus"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--game is missing; available: murus_gallicus"),
        (["--game=murus_galicus"], "'murus_galicus'; available: murus_gallicus"),
        (
            ["--game=onitama"],
            "no evaluation to tune: unknown game 'onitama'; available: murus_gallicus",
        ),
        ([GAME, "--parameters=psts"], "'psts'; available: material, pst; did you mean 'pst'?"),
        ([GAME, "--method=cmaes"], "'cmaes'; available: scheme, cma_es; did you mean 'cma_es'?"),
        ([GAME, "--method=cma_es", "--scheme.tournament=3"], "scheme.tournament belongs to method"),
        ([GAME, "--scheme.rate-scope=all"], "'all'; available: generation, individual"),
        ([GAME, "--scheme.phases", "0", "9"], "scheme.crossover_rates needs one value for each"),
        ([GAME, "--scheme.phases", "1", "2", "3"], "scheme.phases must begin with 0 and increase"),
        ([GAME, "--scheme.phases", "0", "7", "5000000000"], "scheme.phases must be at most 21474"),
        ([GAME, "--match.depth=2147483648"], "match.depth must be at most 2147483647, got 21474"),
        ([GAME, "--scheme.crossover-rates", "0", "1", "2"], "must be from 0 to 1, got [0.0, 1.0"),
        ([GAME, "--scheme.mutation-rate=2"], "scheme.mutation_rate must be from 0.0 to 1.0, got 2"),
        ([GAME, "--match.depth=0"], "match.depth must be at least 1, got 0"),
        ([GAME, "--match.depth=99"], "depth must be from 1 to 64 plies, got 99"),
        ([GAME, "--match.opening-plies=200"], "opening_plies must be below 200"),
        ([GAME, "--evaluation.games=3"], "evaluation.games must be even, got 3"),
        ([GAME, "--seeds=0"], "seeds must be at least 1, got 0"),
        ([GAME, "--material", "1", "2", "3"], "with parameters=material they are what is tuned"),
        (
            [GAME, "--parameters=pst", "--material", "3000000000", "1", "1"],
            "material must be from -10000 to 10000, got [3000000000, 1, 1]",
        ),
        ([GAME, "--env-options=variant=fire4"], "fire4"),
        ([GAME, "--evaluation.game=4"], "--evaluation.games"),
    ],
)
def test_mistake_ends_with_status_2_and_names_value_and_choice(arguments, words, capsys):
    assert words in runs.message(program.main, arguments, capsys)


def test_missing_package_of_cma_es_is_named_with_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "evosax", None)
    for name in ("evosax.algorithms", "papers.murus_gallicus.evolution.cma"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    words = "method=cma_es needs evosax: pip install -e '.[train,evolution]'"
    assert words in runs.message(program.main, [GAME, "--method=cma_es"], capsys)


def test_tables_are_mutated_in_all_their_values():
    assert config.preset("murus_gallicus", "pst").scheme.mutation == "all"


def test_help_and_mistakes_do_not_import_jax():
    runs.check_that_parsing_needs_no_jax(
        "papers.murus_gallicus.evolution.__main__", GAME, "--seed=-1"
    )


@pytest.mark.slow
def test_murus_gallicus_killed_again_and_again_ends_bit_for_bit_like_a_whole_run(tmp_path):
    tiny = ["--match.depth=1", "--iterations=8", "--evaluation.every=4", "--evaluation.games=2"]
    runs.check_kills("papers.murus_gallicus.evolution", [GAME, *tiny], tmp_path)
    champions = [(tmp_path / name / "champions.json").read_bytes() for name in ("whole", "parts")]
    assert champions[0] == champions[1]
