"""Speed of training, and the time that a run took to each milestone of strength.

    python -m benchmarks.training --game=onitama
    python -m benchmarks.training --run=runs/onitama-0

The first command runs a few iterations of the default preset for this machine: self-play and
gradient steps, end to end, without evaluations and checkpoints. The second command reads the
metrics of an earlier run, whose minutes include evaluations, checkpoints and compilation.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("training")

import argparse
import dataclasses
import statistics
import time
from typing import NamedTuple

import jax

from benchmarks import measuring, milestones
from benchmarks.commands import Report
from configs import presets
from configs.alphazero import AlphaZeroConfig
from jaxgames.internal import devices
from jaxgames.players.registry import make_env
from train import parallel
from train.alphazero_learner import run_iteration
from train.steps import Steps


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


def measure(options: argparse.Namespace) -> Report:
    """Reports the milestones of a run, or trains for a few iterations.

    Raises:
        ValueError: for a folder without a run, or a game or preset that does not exist.
    """
    if options.run is not None:
        return milestones.report(options.run)
    preset = parallel.device_class() if options.preset == "auto" else options.preset
    config = presets.preset("alphazero", options.game, preset)
    speed = measure_speed(config, options.iterations)
    rates = speed._asdict() | {"positions_per_second": speed.positions_per_second}
    return Report(
        "Speed of training",
        render(config, speed),
        {"config": dataclasses.asdict(config), "speed": rates},
        {"game": options.game, "preset": preset, "seed": config.seed},
    )


def measure_speed(config: AlphaZeroConfig, iterations: int) -> Speed:
    """Runs one iteration to compile, then times `iterations` more; nothing is saved."""
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


def render(config: AlphaZeroConfig, speed: Speed) -> list[str]:
    """Returns the lines of the record of a measurement."""
    play, network, learner = config.selfplay, config.network, config.learner
    rows = [
        ["positions/s, end to end", measuring.spread(speed.positions_per_second).text(",.0f")],
        ["self-play, s an iteration", f"{statistics.median(speed.selfplay_seconds):.2f}"],
        ["gradient steps, s an iteration", f"{statistics.median(speed.learner_seconds):.2f}"],
        ["start to the end of iteration 1, s", f"{speed.first_seconds:.1f}"],
    ]
    return [
        f"An iteration plays {play.plies} plies in {play.lanes} games with {play.simulations} "
        f"simulations a move, then makes {learner.updates} gradient steps of "
        f"{learner.batch_size} positions; {network.blocks} residual blocks of "
        f"{network.channels} channels. Median over {len(speed.selfplay_seconds)} iterations, "
        "in brackets the range.",
        "",
        *measuring.table(["", "value"], rows),
    ]
