"""Speed of training, and the time that a run took to each milestone of strength.

    python -m benchmarks.training --game=onitama
    python -m benchmarks.training --run=runs/onitama-0

The first command runs a few iterations of the default preset for this machine: self-play and
gradient steps, end to end, without evaluations and checkpoints. The second command reads the
metrics of an earlier run, whose minutes include evaluations, checkpoints and compilation.
"""

import dataclasses
import pathlib
import statistics
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring, milestones
from configs import presets
from configs.alphazero import AlphaZeroConfig
from jaxgames.internal import devices


class Speed(NamedTuple):
    """Time of the iterations after the first, which compiles."""

    positions: int  # of one iteration
    first_seconds: float  # start of the program to the end of the first iteration
    selfplay_seconds: list[float]
    learner_seconds: list[float]

    @property
    def positions_per_second(self) -> list[float]:
        """Positions/s of each iteration, end to end."""
        seconds = zip(self.selfplay_seconds, self.learner_seconds, strict=True)
        return [self.positions / (played + learned) for played, learned in seconds]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        if options.run is not None:
            report, numbers = report_milestones(options.run)
        else:
            report, numbers = report_speed(options.game, options.preset, options.iterations)
    measuring.write_result(options.output, report, numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.training",
        description="Positions/s of training, or milestones of a run.",
    )
    parser.add_argument("--game", default="onitama", help="game to learn (default: %(default)s)")
    parser.add_argument(
        "--iterations", type=measuring.positive, default=5, help="timed, after a first one"
    )
    parser.add_argument(
        "--preset", default="auto", help="cpu, accelerator, many, or auto: by the devices"
    )
    parser.add_argument("--run", type=pathlib.Path, help="folder of a run: report its milestones")
    measuring.add_output(parser, "strength/training_{game}")
    return parser


def report_speed(game: str, preset: str, iterations: int) -> tuple[str, dict[str, Any]]:
    """Trains for a few iterations; returns the report and its numbers.

    Raises:
        ValueError: for a game or preset that does not exist.
    """
    from train import parallel

    preset = parallel.device_class() if preset == "auto" else preset
    config = presets.preset("alphazero", game, preset)
    speed = measure(config, iterations)
    record = environment.record() | {"game": game, "preset": preset, "seed": config.seed}
    numbers = {
        "environment": record,
        "config": dataclasses.asdict(config),
        "speed": speed._asdict() | {"positions_per_second": speed.positions_per_second},
    }
    return render_speed(record, config, speed), numbers


def report_milestones(run: pathlib.Path) -> tuple[str, dict[str, Any]]:
    """Returns the report on a run that was trained before, and its numbers.

    Raises:
        ValueError: if the folder holds no run, or one without evaluations.
    """
    found = milestones.read_run(run)
    record = environment.record() | {"run": run.name, **milestones.record(found)}
    lines = milestones.render(found)
    return measuring.page("Time to milestones of strength", record, lines), {
        "environment": record,
        "milestones": [milestone._asdict() for milestone in milestones.milestones(found)],
    }


def measure(config: AlphaZeroConfig, iterations: int) -> Speed:
    """Runs one iteration to compile, then times `iterations` more; nothing is saved."""
    import jax

    from jaxgames.players.registry import make_env
    from train.loop import run_iteration
    from train.steps import Steps

    started = time.perf_counter()
    env = make_env(config.game, config.env_options)
    steps = Steps(env, config, devices.make_mesh())
    state = steps.initial_state(jax.random.key(config.seed))
    played, learned = [], []
    for iteration in range(1 + iterations):
        key = jax.random.fold_in(jax.random.key(config.seed + 1), iteration)
        state, numbers = run_iteration(steps, config, state, key)
        if iteration == 0:
            first_seconds = time.perf_counter() - started
            continue
        played.append(numbers["time/selfplay_seconds"])
        learned.append(numbers["time/learner_seconds"])
        rate = numbers["time/positions_per_second"]
        print(f"iteration {iteration} of {iterations}: {rate:,.0f} positions/s", flush=True)
    return Speed(config.selfplay.lanes * config.selfplay.plies, first_seconds, played, learned)


def render_speed(record: dict[str, Any], config: AlphaZeroConfig, speed: Speed) -> str:
    """Returns the result file of a measurement."""
    middle, lowest, highest = measuring.spread(speed.positions_per_second)
    play, network, learner = config.selfplay, config.network, config.learner
    rows = [
        ["positions/s, end to end", f"{middle:,.0f} ({lowest:,.0f} to {highest:,.0f})"],
        ["self-play, s an iteration", f"{statistics.median(speed.selfplay_seconds):.2f}"],
        ["gradient steps, s an iteration", f"{statistics.median(speed.learner_seconds):.2f}"],
        ["start to the end of iteration 1, s", f"{speed.first_seconds:.1f}"],
    ]
    return measuring.page(
        "Speed of training",
        record,
        [
            f"An iteration plays {play.plies} plies in {play.lanes} games with {play.simulations} "
            f"simulations a move, then makes {learner.updates} gradient steps of "
            f"{learner.batch_size} positions; {network.blocks} residual blocks of "
            f"{network.channels} channels. Median over {len(speed.selfplay_seconds)} iterations, "
            "in brackets the range.",
            "",
            *measuring.table(["", "value"], rows),
        ],
    )


if __name__ == "__main__":
    command_line.run(main)
