"""`python -m tests.train.counting_program`: a training program that counts, for tests of sweeps.

With the variable `KILL_AT` of `NAME:ITERATION`, the run in the folder NAME kills the process that
started it, and itself, before that iteration.
"""

import dataclasses
import os
import pathlib
import signal

from agents import command_line
from configs.training import CheckpointConfig, RunConfig
from train import cli

KILL_AT = "KILL_AT"


@dataclasses.dataclass(frozen=True)
class StepConfig:
    size: int = 1
    """What is added in an iteration."""
    rates: tuple[float, ...] = (0.5,)
    """Numbers that nobody reads."""
    is_fast: bool = False
    """Whether it is fast."""


@dataclasses.dataclass(frozen=True)
class CountingConfig(RunConfig):
    """A run that counts."""

    preset: str = "auto"
    """Sizes to start from."""
    iterations: int = 3
    """Iterations in total."""
    step: StepConfig = dataclasses.field(default_factory=StepConfig)
    checkpoint: CheckpointConfig = dataclasses.field(
        default_factory=lambda: CheckpointConfig(every=1)
    )

    CHANGEABLE = (*RunConfig.CHANGEABLE, "iterations", "preset")
    name = "counting"


def make_program(config: CountingConfig):
    """Returns the program; only here is JAX imported."""
    from tests.train.test_run import Counting

    class Sum(Counting):
        """Adds numbers."""

        def iterate(self, state, iteration):
            name, _, moment = os.environ.get(KILL_AT, "").rpartition(":")
            if name == pathlib.Path(config.directory).name and int(moment) == iteration:
                os.kill(os.getppid(), signal.SIGKILL)
                os.kill(os.getpid(), signal.SIGKILL)
            count = state + config.step.size + config.seed
            return count, {"learner/count": float(count[0])}

        def evaluate(self, now):
            return {"evaluation/search/random": float(now.state[0]) / 100}

    return Sum()


def preset(game: str, device_class: str) -> CountingConfig:
    """Returns the settings to start from."""
    if game != "nim":
        raise ValueError(f"unknown game {game!r}; available: nim")
    return CountingConfig("nim", iterations={"cpu": 3}.get(device_class, 7))


COMMAND = cli.CommandLine(
    "python -m tests.train.counting_program",
    CountingConfig,
    preset,
    lambda: ("nim",),
    "tests.train.counting_program:make_program",
    "Counts.",
)
main, parse = COMMAND.main, COMMAND.parse

if __name__ == "__main__":
    command_line.run(main)
