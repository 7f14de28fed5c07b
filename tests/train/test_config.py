"""The command line: presets, overrides, mistakes, and what `--help` costs."""

import dataclasses
import pathlib
import re

import pytest

from configs import alphazero, presets
from configs.alphazero import AlphaZeroConfig
from configs.training import DEVICE_CLASSES, MINUTES, NO_LIMIT
from jaxgames import registry
from tests.train import runs
from train.afterstates import __main__ as afterstates_program
from train.alphazero import main as alphazero_main
from train.alphazero import parse
from train.muzero import __main__ as muzero_program

ROOT = pathlib.Path(__file__).parents[2]
GAME = "--game=onitama"
GAMES = ("murus_gallicus", "onitama", "terra_mystica", "tribes")
NIM = {"cpu": {"iterations": 20}}
PRESETS = [
    (program, game, device_class)
    for program in ("alphazero", "muzero", "afterstates")
    for game in presets.games(program)
    for device_class in DEVICE_CLASSES
]


@pytest.mark.parametrize(("program", "game", "device_class"), PRESETS)
def test_every_preset_is_valid_and_names_itself(program, game, device_class):
    config = presets.preset(program, game, device_class)
    assert (config.game, config.preset) == (game, device_class)
    prefix = "" if program == "alphazero" else f"{program}-"
    assert config.directory == f"runs/{prefix}{game}-0"
    if program != "afterstates":
        assert config.replay_capacity >= config.replay.capacity


def test_a_game_from_outside_has_the_sizes_for_every_game(monkeypatch):
    monkeypatch.setitem(registry._SPECS, "my_nim", registry.EnvSpec("tests.three_nim:ThreeNim"))
    for program in ("alphazero", "muzero", "afterstates"):
        config = presets.preset(program, "my_nim", "cpu")
        standard = presets.preset(program, "onitama", "cpu")
        assert config == dataclasses.replace(standard, game="my_nim")
        with pytest.raises(ValueError, match="no preset: unknown game 'my_nlm'"):
            presets.preset("muzero", "my_nlm", "cpu")


def test_flags_override_single_fields_of_the_preset():
    preset = presets.preset("alphazero", "onitama", "accelerator")
    config = parse([GAME, "--preset=accelerator", "--selfplay.lanes", "512"])
    selfplay = dataclasses.replace(preset.selfplay, lanes=512)
    assert config == dataclasses.replace(preset, selfplay=selfplay)


def test_a_limit_of_the_command_line_takes_the_place_of_one_in_a_file(tmp_path):
    by_iterations, by_minutes = tmp_path / "iterations.json", tmp_path / "minutes.json"
    by_iterations.write_text('{"iterations": 64, "minutes": null}')
    by_minutes.write_text('{"minutes": 9}')
    assert parse([GAME, f"--config={by_iterations}", "--minutes=5"]).minutes == 5
    changed = parse([GAME, f"--config={by_minutes}", "--iterations=3"])
    assert (changed.iterations, changed.minutes) == (3, None)
    capped = parse([GAME, f"--config={by_iterations}", "--max-minutes=5"])
    assert (capped.iterations, capped.max_minutes, capped.minutes) == (64, 5, None)
    with pytest.raises(SystemExit):
        parse([GAME, f"--config={by_iterations}", f"--config={by_minutes}"])


def test_preset_follows_the_devices_unless_it_is_named():
    assert parse([GAME]) == presets.preset("alphazero", "onitama", "cpu")
    assert parse([GAME, "--preset=auto"]).preset == "cpu"
    assert parse([GAME, "--preset=many"]).preset == "many"


def test_a_run_has_minutes_unless_another_limit_or_a_preset_of_iterations_is_given(monkeypatch):
    for program, game, device_class in PRESETS:
        if game in GAMES:
            assert presets.preset(program, game, device_class).minutes == MINUTES
    assert parse([GAME]).minutes == MINUTES
    for limit in ("--iterations=3", "--max-minutes=3"):
        assert parse([GAME, limit]).minutes is None
    assert parse([GAME, "--max-minutes=3"]).iterations == NO_LIMIT
    assert parse([GAME, "--max-minutes=3", "--iterations=7"]).iterations == 7
    both = parse([GAME, "--max-minutes=3", "--minutes", "5"])
    assert (both.max_minutes, both.minutes) == (3, 5)
    monkeypatch.setitem(presets._GAMES, "nim", presets.GamePresets("tests.train.test_config:NIM"))
    assert presets.preset("alphazero", "nim", "cpu").minutes is None


def test_replay_holds_whole_iterations():
    config = AlphaZeroConfig(
        game="onitama",
        selfplay=alphazero.SelfPlayConfig(lanes=3, plies=5),
        replay=alphazero.ReplayConfig(capacity=31),
    )
    assert config.replay_capacity == 45


MISTAKES = {
    alphazero_main: [
        ("", "--game is missing; available: {games}"),
        ("--game=onitma", "'onitma'; available: {games}; did you mean 'onitama'?"),
        (f"{GAME} --preset=quantum", "'quantum'; available: cpu, accelerator, many"),
        (f"{GAME} --selfplay.lane=3", "--selfplay.lanes"),
        (f"{GAME} --selfplay.lanes=many", "--selfplay.lanes"),
        (f"{GAME} --selfplay.lanes=0", "selfplay.lanes must be at least 1, got 0"),
        (
            f"{GAME} --learner.search-value-share=nan",
            "learner.search_value_share must be from 0.0 to 1.0, got nan",
        ),
        (f"{GAME} --learner.learning-rate=0", "learner.learning_rate must be greater"),
        (f"{GAME} --network.dtype=bfloat", "did you mean 'bfloat16'?"),
        (f"{GAME} --evaluation.temperature=-1", "evaluation.temperature must be"),
        (f"{GAME} --evaluation.games=3", "evaluation.games must be even, got 3"),
        (f"{GAME} --cluster.process-id=1", "belong together"),
        (f"{GAME} --minutes=5 --iterations=40", "minutes=5 chooses the iterations, but iter"),
        (f"{GAME} --minutes=0", "minutes must be greater than 0, got 0"),
        (f"{GAME} --minutes=nan", "minutes must be finite, got nan"),
        ("--game=tribes --selfplay.starts=endgames", "no endgames of 'tribes'; games with some"),
        ("--game=tribes --replay.solved=0.1", "no solved positions of 'tribes'; games with some"),
        (f"{GAME} --selfplay.starts=nowhere.txt", "selfplay.starts=nowhere.txt: No such file"),
        (f"{GAME} --teacher-iterations=3", "teacher_iterations needs a teacher, got 3"),
        (f"{GAME} --selfplay.starts-share=0.5", "starts_share needs selfplay.starts, got 0.5"),
        (f"{GAME} --evaluation.opponents=minmax:depth=2", "did you mean 'minimax'"),
        (f"{GAME} --evaluation.opponents=human", "nobody can be asked here, so 'human' cannot"),
        (f"{GAME} --teacher=human:name=Ann", "so 'human:name=Ann' cannot play"),
    ],
    muzero_program.main: [
        (f"{GAME} --learner.unroll=0", "learner.unroll must be at least 1, got 0"),
        (f"{GAME} --learner.seat-loss-weight=-1", "learner.seat_loss_weight must be at least 0"),
        (f"{GAME} --replay.reanalyse=1.5", "replay.reanalyse must be from 0.0 to 1.0, got 1.5"),
        (f"{GAME} --network.dynamics-blocks=-1", "dynamics_blocks must be at least 0, got -1"),
        (f"{GAME} --replay.solved=0.5", "solved positions are single ones"),
        (f"{GAME} --selfplay.search=mctx", "choose gumbel or puct"),
        (f"{GAME} --learner.consistency-loss-weight=1", "belong together, got 1.0 and 0"),
        (f"{GAME} --network.tower=tile", "network.tower=tile needs an observation of a grid"),
        ("--game=onitam", "did you mean 'onitama'?"),
    ],
    afterstates_program.main: [
        (f"{GAME} --play.lanes=0", "at least 1"),
        (f"{GAME} --play.past-share=0.9 --play.opponent-share=0.25 --play.opponents random",
         "must be 1 together at most"),
        (f"{GAME} --learner.trace=1.5", "from 0.0 to 1.0"),
        (f"{GAME} --evaluation.every=0 --export-best", "--export-best needs evaluations"),
        (f"{GAME} --start=nowhere", "there is no network file or run folder at nowhere"),
        ("--game=onitam", "onitama"),
        (f"{GAME} --play.past-share=0.001", "play.past_share must give a game on each device"),
        (
            f"{GAME} --play.opponent-share=0.001 --play.opponents random first_legal",
            "play.opponent_share must give each of its 2 players a game on each device",
        ),
        (
            f"{GAME} --play.opponent-share=0.5 --play.opponents human",
            "nobody can be asked here, so 'human' cannot play",
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("main", "arguments", "words"),
    [(main, *mistake) for main, mistakes in MISTAKES.items() for mistake in mistakes],
)
def test_mistake_ends_with_status_2_and_makes_no_folder(main, arguments, words, tmp_path, capsys):
    games = ", ".join(presets.games("alphazero"))  # another test may have imported a plugin
    tiny = [f"--run-dir={tmp_path / 'run'}", *(["--preset=cpu"] * ("preset" not in arguments))]
    message = runs.message(main, [*tiny, *arguments.split()], capsys)
    assert words.format(games=games) in message
    assert not (tmp_path / "run").exists()


def test_help_and_mistakes_do_not_import_jax():
    runs.check_that_parsing_needs_no_jax("train.alphazero", GAME, "--seed=-1")
    runs.check_that_parsing_needs_no_jax("train.muzero.__main__", GAME, "--learner.unroll=0")
    runs.check_that_parsing_needs_no_jax("train.afterstates.__main__", GAME, "--play.lanes=0")


def test_help_explains_every_field(capsys):
    with pytest.raises(SystemExit) as exit_:
        parse(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    config = presets.preset("alphazero", "onitama", "cpu")
    names = [
        f"--{group.name}.{field.name}"
        for group in dataclasses.fields(config)
        if dataclasses.is_dataclass(getattr(config, group.name))
        for field in dataclasses.fields(getattr(config, group.name))
    ]
    assert len(names) > 30
    lines = [line.strip("│ ") for line in text.splitlines()]
    for name in names:
        start = next(i for i, x in enumerate(lines) if x.startswith(name.replace("_", "-")))
        # An explanation is on the lines below the flag, or on its right in a wide terminal.
        explanation = f"{lines[start]} {lines[start + 1]}".split("default")[0]
        assert len(explanation.split()) >= 5, f"{name} is not explained"


def test_the_page_of_runs_lists_the_settings_that_may_change():
    page = (ROOT / "docs/runs.md").read_text(encoding="utf-8")
    listed = re.search(r"These settings may change when a run goes on: (.*?)\. ", page, re.DOTALL)
    names = re.findall(r"`--([a-z.*-]+)`", listed[1])
    found = {name.replace("-", "_").removesuffix("*") for name in names}
    # `minutes` chose sizes and iterations, and the dial refuses others.
    assert found == {*AlphaZeroConfig.CHANGEABLE} - {"minutes"}
