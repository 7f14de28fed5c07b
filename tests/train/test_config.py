"""The command line: presets, overrides, mistakes, and what `--help` costs."""

import dataclasses
import subprocess
import sys

import pytest

from configs import alphazero, presets
from configs.alphazero import AlphaZeroConfig
from tests.locations import CHECKOUT
from train import cli


def message(arguments: list[str], capsys: pytest.CaptureFixture) -> str:
    """Returns what a wrong command line prints, in one line without frames."""
    with pytest.raises(SystemExit) as exit_:
        cli.parse(arguments)
    assert exit_.value.code == 2
    return " ".join(capsys.readouterr().err.replace("│", " ").split())


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=CHECKOUT, capture_output=True, text=True
    )


@pytest.mark.parametrize("game", presets.games("alphazero"))
@pytest.mark.parametrize("device_class", ["cpu", "accelerator", "many"])
def test_every_preset_is_valid_and_names_itself(game, device_class):
    config = presets.preset("alphazero", game, device_class)
    assert (config.game, config.preset) == (game, device_class)
    assert config.replay_capacity >= config.replay.capacity


def test_flags_override_single_fields_of_the_preset():
    config = cli.parse(["--game=onitama", "--preset=accelerator", "--selfplay.lanes", "512"])
    preset = presets.preset("onitama", "accelerator")
    selfplay = dataclasses.replace(preset.selfplay, lanes=512)
    assert config == dataclasses.replace(preset, selfplay=selfplay)


def test_preset_follows_the_devices_unless_it_is_named():
    assert cli.parse(["--game=onitama"]) == presets.preset("onitama", "cpu")
    assert cli.parse(["--game=onitama", "--preset=auto"]).preset == "cpu"
    assert cli.parse(["--game=onitama", "--preset=many"]).preset == "many"


def test_replay_holds_whole_iterations():
    config = AlphaZeroConfig(
        game="onitama",
        selfplay=alphazero.SelfPlayConfig(lanes=3, plies=5),
        replay=alphazero.ReplayConfig(capacity=31),
    )
    assert config.replay_capacity == 45


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--game is missing; available: {games}"),
        (["--game=onitma"], "'onitma'; available: {games}; did you mean 'onitama'?"),
        (["--game=onitama", "--preset=quantum"], "'quantum'; available: cpu, accelerator, many"),
        (["--game=onitama", "--selfplay.lane=3"], "--selfplay.lanes"),
        (["--game=onitama", "--selfplay.lanes=many"], "--selfplay.lanes"),
        (["--game=onitama", "--selfplay.lanes=0"], "selfplay.lanes must be at least 1, got 0"),
        (
            ["--game=onitama", "--learner.search-value-share=nan"],
            "learner.search_value_share must be from 0.0 to 1.0, got nan",
        ),
        (["--game=onitama", "--learner.learning-rate=0"], "learner.learning_rate must be greater"),
        (["--game=onitama", "--network.dtype=bfloat"], "did you mean 'bfloat16'?"),
        (["--game=onitama", "--evaluation.temperature=-1"], "evaluation.temperature must be"),
        (["--game=onitama", "--evaluation.games=3"], "evaluation.games must be even, got 3"),
        (["--game=onitama", "--cluster.process-id=1"], "belong together"),
        (["--game=onitama", "--teacher-iterations=3"], "teacher_iterations needs a teacher, got 3"),
    ],
)
def test_mistake_ends_with_status_2_and_names_value_and_choice(arguments, words, capsys):
    games = ", ".join(presets.games("alphazero"))  # another test may have imported a plugin
    assert words.format(games=games) in message(arguments, capsys)


def test_help_and_mistakes_do_not_import_jax():
    code = (
        "import sys\nfrom train import cli\n"
        "try: cli.parse(sys.argv[1:])\n"
        "finally: print('jax imported:', 'jax' in sys.modules)"
    )
    for arguments, status in ((["--help"], 0), (["--game=onitama", "--seed=-1"], 2)):
        done = run_python(code, *arguments)
        assert done.returncode == status, done.stderr
        assert done.stdout.splitlines()[-1] == "jax imported: False"


def test_help_explains_every_field(capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.parse(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    config = presets.preset("onitama", "cpu")
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
