"""Settings that all trainings of networks share: plain values, checked when they are made.

The text under a field is its explanation in `--help`.
"""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from jaxgames.internal.checks import at_least, one_of, positive, within

DEVICE_CLASSES = ("cpu", "accelerator", "many")
MOST_CPU_DEVICES = 1024


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
class TrainingConfig(abc.ABC):
    """A run of a training program."""

    game: str
    """Game to learn."""
    env_options: str = ""
    """Options of the game, for instance "deck=all"; several are separated by commas, and so are the
    parts of one: "factions=engineers,halflings,post_conversions=false"."""
    preset: str = "auto"
    """Sizes to start from: cpu, accelerator (one GPU or TPU), many, or auto (by the devices)."""
    seed: int = 0
    """Seed of all random numbers."""
    run_dir: str | None = None
    """Folder of the run; runs/GAME-SEED if not given. A run that is already there goes on."""
    iterations: int = 1000
    """Iterations in total, those before a resume included."""
    max_minutes: float | None = None
    """Stop, with a checkpoint, at the end of the iteration in which the run has taken so many
    minutes in total, those before a resume included."""
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
    checkpoint: CheckpointConfig = dataclasses.field(default_factory=CheckpointConfig)
    cluster: ClusterConfig = dataclasses.field(default_factory=ClusterConfig)

    CHANGEABLE: ClassVar[tuple[str, ...]] = (
        "cluster.",
        "checkpoint.",
        "cpu_devices",
        "distributed",
        "evaluation.",
        "export",
        "export_best",
        "iterations",
        "max_minutes",
        "preset",
        "run_dir",
    )
    """Settings (or groups, with a dot) that may differ when a run goes on.

    None of them enters the training itself: evaluations use keys of their own, the learning rate
    follows from the progress alone, and the record holds the number of devices in use. So the
    parameters after an iteration stay the same.
    """
    YOUNGER: ClassVar[Mapping[str, Any]] = {}
    """Settings that records of older runs lack, and what those runs did."""
    RENAMED: ClassVar[Mapping[str, str]] = {}
    """The present names of settings that records of older runs name in another way."""

    FOLDER_PREFIX: ClassVar[str] = ""
    """Beginning of the name of a folder in `runs/`."""

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group."""
        one_of(self, "preset", ("auto", *DEVICE_CLASSES))
        within(self, "seed", 0, 2**32 - 1)
        at_least(self, "iterations", 1)
        if self.max_minutes is not None:
            positive(self, "max_minutes")
        within(self, "cpu_devices", 0, MOST_CPU_DEVICES)

    @property
    @abc.abstractmethod
    def split_sizes(self) -> tuple[int, ...]:
        """The sizes that are divided among devices, the lanes first."""

    @property
    def directory(self) -> str:
        """Folder of the run."""
        return self.run_dir or f"runs/{self.FOLDER_PREFIX}{self.game}-{self.seed}"
