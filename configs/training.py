"""Settings that all programs that learn share: plain values, checked when they are made.

The text under a field is its explanation in `--help`.
"""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from jaxgames.internal.checks import at_least, one_of, positive, within

DEVICE_CLASSES = ("cpu", "accelerator", "many")
MOST_CPU_DEVICES = 1024
NO_LIMIT = 2**31 - 1
"""The iterations of a run that ends after `max_minutes` alone."""
MINUTES = 30.0
"""The minutes of a run that is given neither its iterations nor its minutes."""


@dataclasses.dataclass(frozen=True)
class CheckpointConfig:
    """What is kept to resume from."""

    every: int = 10
    """Iterations between checkpoints; the last iteration is always saved."""
    keep: int = 2
    """Newest checkpoints kept. The second is the reserve in case that the newest is damaged."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "every", 1)
        at_least(self, "keep", 1)


@dataclasses.dataclass(frozen=True)
class ClusterConfig:
    """Where the processes of a distributed run meet; not needed on clusters that JAX knows."""

    coordinator: str | None = None
    """Address of process 0, for instance 10.0.0.1:12355."""
    num_processes: int | None = None
    """Number of processes of the run."""
    process_id: int | None = None
    """Number of this process, from 0."""

    def __post_init__(self) -> None:
        """Checks that the three are given together and fit."""
        given = [self.coordinator, self.num_processes, self.process_id]
        if all(value is None for value in given):
            return
        if self.coordinator is None or self.num_processes is None or self.process_id is None:
            raise ValueError(
                f"cluster.coordinator, .num_processes and .process_id belong together, got {given}"
            )
        at_least(self, "num_processes", 1)
        within(self, "process_id", 0, self.num_processes - 1)


@dataclasses.dataclass(frozen=True)
class EvaluationConfig:
    """Matches against opponents that do not learn; they never influence the training."""

    every: int = 10
    """Iterations between evaluations; 0 evaluates never."""
    games: int = 64
    """Games against each opponent, an even number: seats are swapped from equal set-ups."""

    TWO_SEATS: ClassVar[bool] = True
    """Whether the number of games must be even."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "every", 0)
        at_least(self, "games", 2)
        if self.TWO_SEATS and self.games % 2:
            raise ValueError(f"evaluation.games must be even, got {self.games}")


@dataclasses.dataclass(frozen=True)
class RunConfig(abc.ABC):
    """A run of any program that learns."""

    game: str
    """Game to learn."""
    env_options: str = ""
    """Options of the game, for instance "deck=all"; several are separated by commas, and so are the
    parts of one: "factions=engineers,halflings,post_conversions=false"."""
    seed: int = 0
    """Seed of all random numbers."""
    run_dir: str | None = None
    """Folder of the run; runs/GAME-SEED if not given. A run that is already there goes on."""
    max_minutes: float | None = None
    """Stop, with a checkpoint, at the end of the iteration in which the run has taken so many
    minutes in total, those before a resume included."""
    logger: str = "jsonl,tensorboard"
    """Where numbers and pictures go, separated by commas: jsonl (always), curve, tensorboard,
    wandb, mlflow, trackio, or the logger of another package."""
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)
    checkpoint: CheckpointConfig = dataclasses.field(default_factory=CheckpointConfig)

    UNIT: ClassVar[str] = "iteration"
    """The unit of progress; with an s added, the name of the setting that is the goal."""
    CHANGEABLE: ClassVar[tuple[str, ...]] = (
        "checkpoint.",
        "evaluation.",
        "logger",
        "max_minutes",
        "run_dir",
    )
    """Settings (or groups, with a dot) that may differ when a run goes on: none of them changes
    what is learned in an iteration."""
    DEVICE_CLASSES: ClassVar[tuple[str, ...]] = DEVICE_CLASSES
    """Classes of devices that have sizes of their own."""
    START: ClassVar[str] = "auto"
    """The preset to start from, if none is named."""
    YOUNGER: ClassVar[Mapping[str, Any]] = {}
    """Settings that records of older runs lack, with the values that those runs used."""
    RENAMED: ClassVar[Mapping[str, str]] = {}
    """The present names of settings that records of older runs name in another way."""

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group."""
        within(self, "seed", 0, 2**32 - 1)
        at_least(self, f"{self.UNIT}s", 1)
        if self.max_minutes is not None:
            positive(self, "max_minutes")

    @property
    def goal(self) -> int:
        """Units of progress in total, those before a resume included."""
        goal: int = getattr(self, f"{self.UNIT}s")
        return goal

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Name of the run's folder in `runs/`, if no other folder is given."""

    @property
    def directory(self) -> str:
        """Folder of the run."""
        return self.run_dir or f"runs/{self.name}"


@dataclasses.dataclass(frozen=True)
class SeedsConfig(RunConfig):
    """A run in which several seeds learn side by side."""

    seeds: int = 1
    """Number of seeds; they follow `seed`, and each learns as if it were alone."""

    def __post_init__(self) -> None:
        """Checks the seeds, then the fields that every run has."""
        at_least(self, "seeds", 1)
        within(self, "seed", 0, 2**32 - self.seeds)
        super().__post_init__()


@dataclasses.dataclass(frozen=True)
class TrainingConfig(RunConfig):
    """A run that trains a network."""

    preset: str = "auto"
    """Sizes to start from: cpu, accelerator (one GPU or TPU), many, or auto (by the devices)."""
    minutes: float | None = None
    """Choose what is not given (iterations, network, games at once, updates, learning-rate decay,
    evaluations) by timing it on this machine, so that training and evaluations take so many
    minutes. Compiling and the timing come on top. --iterations and --max-minutes turn it off."""
    iterations: int = 1000
    """Iterations in total, those before a resume included; without limit if only --max-minutes is
    given."""
    export: str | None = None
    """Write the trained network to this file as well, for agents to load."""
    export_best: bool = False
    """The trained network is that of the best evaluation so far, the newest of equal ones; without
    it, the newest network."""
    cpu_devices: int = 0
    """On a CPU, devices that work side by side, each on one core; 0: as many as the run has, or in
    a new run as there are cores, if lanes and batch can be divided among them."""
    distributed: bool = False
    """Train on several hosts or processes together; start the same command on each."""
    cluster: ClusterConfig = dataclasses.field(default_factory=ClusterConfig)

    # Evaluations use keys of their own, the learning rate follows from the progress alone, and the
    # record holds the number of devices in use. So parameters after an iteration stay the same.
    CHANGEABLE: ClassVar[tuple[str, ...]] = (
        *RunConfig.CHANGEABLE,
        "cluster.",
        "cpu_devices",
        "distributed",
        "export",
        "export_best",
        "iterations",
        "minutes",
        "preset",
    )
    FOLDER_PREFIX: ClassVar[str] = ""
    """Beginning of the name of a folder in `runs/`."""
    LEAST_ITERATIONS: ClassVar[int] = 100
    """Iterations that the sizes of rung 0 need at least, and half of what those of rung 1 need."""

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group."""
        one_of(self, "preset", ("auto", *DEVICE_CLASSES))
        super().__post_init__()
        if self.minutes is not None:
            positive(self, "minutes")
        within(self, "cpu_devices", 0, MOST_CPU_DEVICES)

    @property
    @abc.abstractmethod
    def split_sizes(self) -> tuple[int, ...]:
        """The sizes that are divided among devices, the lanes first."""

    @property
    def taught_iterations(self) -> int:
        """The first iterations, in which a teacher plays instead of the search."""
        return 0

    @abc.abstractmethod
    def rung(self, number: int) -> dict[str, Any]:
        """Returns the sizes of a rung of the ladder that `minutes` climbs, by dotted names.

        Rung 0 has the sizes of these settings. Each rung below it halves the games at once and the
        updates of an iteration. Each one above it has a network that takes about four times as
        long; there is none above where the run starts from a stored network.
        """

    @abc.abstractmethod
    def schedule(self, iterations: int) -> dict[str, Any]:
        """Returns the learning-rate decay of a run of so many iterations, by dotted names."""

    @property
    def name(self) -> str:
        """Name of the folder in `runs/`: program, game and seed."""
        return f"{self.FOLDER_PREFIX}{self.game}-{self.seed}"
