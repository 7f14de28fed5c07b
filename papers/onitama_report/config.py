"""Settings of `python -m papers.onitama_report.train`: plain values, checked when they are made.

The text under a field is its explanation in `--help`. Defaults follow the Onitama report (Dasgupta
and Chong, "Mastering the game of Onitama with Reinforcement Learning", 2021), and where that is
silent Lillicrap et al., "Continuous control with deep reinforcement learning" (2015).
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from configs import training
from configs.training import CheckpointConfig, RunConfig
from jaxgames.internal.checks import at_least, one_of, positive, within
from jaxgames.internal.messages import unknown

ARCHITECTURES = (
    "actions_only",
    "val_after_actions",
    "actions_after_val",
    "val_branch_actions",
    "val_after_actions_multiply",
    "actions_after_val_multiply",
    "val_branch_actions_multiply",
    "dual",
)
DEVICE_CLASSES = ("cpu", "accelerator")
_GAMES = ("onitama_report",)
_TRANSITIONS = ("own_turn", "after_move")
_OPPONENTS = ("minimax", "mcts", "random")
_VALIDITY_LOSSES = ("mse", "bce")
_JUDGED_POLICIES = ("masked", "raw")
_MOST_SIMULATIONS = 1 << 20
_DEEPEST = 100  # far beyond what any machine searches
_MOST_REMEMBERED = 100_000_000  # transitions: 3 GB of each learner
_MOST_CHANNELS = 2048  # the second convolution has 300 MB of weights then
_MOST_SEEDS = 1024  # more learners than any device holds
_WIDEST = 8192  # units; a learner keeps about eight copies of their weights


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Sizes of the actors and the critic."""

    channels: int = 64
    """Feature planes of the first convolution; the second has twice as many."""
    hidden: int = 256
    """Units of the two dense layers after them."""

    def __post_init__(self) -> None:
        """Checks each field."""
        within(self, "channels", 1, _MOST_CHANNELS)
        within(self, "hidden", 1, _WIDEST)


@dataclasses.dataclass(frozen=True)
class PlayConfig:
    """The games of a learner."""

    lanes: int = 64
    """Games that each learner plays at once."""
    turns: int = 4
    """Turns that every game advances in one iteration: the learner's move and the reply."""
    transition: str = "own_turn"
    """Where a transition ends: own_turn (before the learner's next move, the reply included) or
    after_move (right after its own move; the report says that nothing is learned from these)."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "lanes", 1)
        at_least(self, "turns", 1)
        one_of(self, "transition", _TRANSITIONS)


@dataclasses.dataclass(frozen=True)
class OpponentConfig:
    """Against whom the learners play, and when the opponent gets stronger."""

    kind: str = "minimax"
    """minimax (looks one ply further whenever a learner wins often enough), mcts (random playouts;
    doubles its simulations then) or random."""
    first_depth: int = 1
    """Plies that minimax looks ahead at the start. At depth d, mcts has doubled its simulations
    d - 1 times."""
    max_depth: int = 4
    """Where the curriculum ends."""
    simulations: int = 4
    """Of mcts at depth 1."""
    window: int = 100
    """Newest games of a learner that count for the next rise; a rise starts the count anew."""
    wins: int = 60
    """Wins among them with which the depth rises by one."""

    def __post_init__(self) -> None:
        """Checks each field."""
        one_of(self, "kind", _OPPONENTS)
        within(self, "max_depth", 1, _DEEPEST)
        within(self, "first_depth", 1, self.max_depth)
        if self.kind == "mcts":
            within(self, "simulations", 1, _MOST_SIMULATIONS >> (self.max_depth - 1))
        within(self, "window", 1, 1_000_000)
        within(self, "wins", 1, self.window)

    @property
    def last_depth(self) -> int:
        """Depth at which the curriculum ends; a random opponent has no other."""
        return self.first_depth if self.kind == "random" else self.max_depth


@dataclasses.dataclass(frozen=True)
class LearnerConfig:
    """The gradient steps of actor and critic, both by Adam."""

    batch_size: int = 512
    """Transitions in one gradient step."""
    turns_per_update: int = 1
    """Turns of a learner for each of its gradient steps."""
    replay_capacity: int = 1_000_000
    """Newest transitions that each learner keeps."""
    actor_learning_rate: float = 1e-4
    """Learning rate of the actor."""
    critic_learning_rate: float = 1e-3
    """Learning rate of the critic."""
    discount: float = 0.99
    """Worth of a reward one turn later."""
    tau: float = 0.005
    """Share by which the target networks follow at each step."""
    judged_policy: str = "masked"
    """What the critic judges, in both losses: masked (the policy after the mask of legal actions)
    or raw (the actor's own output, as the report's formulas read)."""
    validity_loss: str = "mse"
    """Loss of the validity layer: mse (the report's) or bce (binary cross-entropy, which the report
    recommends)."""
    validity_weight: float = 1.0
    """Weight of the validity loss against the critic's judgement."""
    freeze_valid_rate: float = 0.95
    """The validity network of `dual` stops learning once this share of its actor's choices is valid
    (moving average over some 1,000 turns); 1: never."""

    def __post_init__(self) -> None:
        """Checks each field."""
        for name in ("batch_size", "turns_per_update"):
            at_least(self, name, 1)
        within(self, "replay_capacity", 1, _MOST_REMEMBERED)
        at_least(self, "replay_capacity", self.batch_size)
        positive(self, "actor_learning_rate")
        positive(self, "critic_learning_rate")
        within(self, "discount", 0.0, 1.0)
        within(self, "tau", 0.0, 1.0)
        one_of(self, "judged_policy", _JUDGED_POLICIES)
        one_of(self, "validity_loss", _VALIDITY_LOSSES)
        at_least(self, "validity_weight", 0.0)
        within(self, "freeze_valid_rate", 0.0, 1.0)


@dataclasses.dataclass(frozen=True)
class EvaluationConfig(training.EvaluationConfig):
    """Matches of the actors against opponents that do not learn; they influence nothing."""

    every: int = 100
    """Iterations between evaluations; 0 evaluates never."""
    opponents: tuple[str, ...] = ("random", "minimax:depth=1")
    """Opponents as agent specs."""


@dataclasses.dataclass(frozen=True)
class DdpgConfig(training.SeedsConfig):
    """A run of the Onitama report's learning system."""

    preset: str = "auto"
    """Sizes to start from: cpu, accelerator (one GPU or TPU), or auto (by the device)."""
    architecture: str = "val_branch_actions"
    """Actors to train side by side, separated by commas; all: the report's eight."""
    seed: int = 0
    """Seed of the first learner of each architecture; the others follow it."""
    seeds: int = 1
    """Learners of each architecture, each with a seed of its own."""
    run_dir: str | None = None
    """Folder of the run; runs/ddpg-GAME-ARCHITECTURE-SEED if not given. A run that is already there
    goes on."""
    episodes: int = 10_000
    """Games of every learner in total, those before a resume included."""
    network: NetworkConfig = dataclasses.field(default_factory=NetworkConfig)
    play: PlayConfig = dataclasses.field(default_factory=PlayConfig)
    opponent: OpponentConfig = dataclasses.field(default_factory=OpponentConfig)
    learner: LearnerConfig = dataclasses.field(default_factory=LearnerConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)
    checkpoint: CheckpointConfig = dataclasses.field(
        default_factory=lambda: CheckpointConfig(every=100)
    )

    UNIT: ClassVar[str] = "episode"
    DEVICE_CLASSES: ClassVar[tuple[str, ...]] = DEVICE_CLASSES
    CHANGEABLE: ClassVar[tuple[str, ...]] = (*RunConfig.CHANGEABLE, "episodes", "preset")
    YOUNGER: ClassVar[Mapping[str, Any]] = {
        "learner.judged_policy": "masked",
        "opponent.simulations": 4,  # of mcts, which older runs did not have
    }

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group, and those that must fit each other."""
        one_of(self, "preset", ("auto", *DEVICE_CLASSES))
        if self.run_dir is not None and not self.run_dir.strip():
            raise ValueError(f"run_dir must name a folder, got {self.run_dir!r}")
        if "all" in self.architectures:
            raise ValueError(f"architecture={self.architecture}: all stands alone")
        if len({*self.architectures}) < len(self.architectures):
            raise ValueError(f"architecture={self.architecture} names one twice")
        for name in self.architectures:
            if name not in ARCHITECTURES:
                choices = (*ARCHITECTURES, "all")
                raise ValueError(f"architecture: {unknown('value', name, choices)}")
        within(self, "seeds", 1, _MOST_SEEDS)
        super().__post_init__()
        turns = self.play.lanes * self.play.turns
        if turns % self.learner.turns_per_update:
            raise ValueError(
                "play.lanes times play.turns must be a multiple of learner.turns_per_update="
                f"{self.learner.turns_per_update}, got {self.play.lanes} x {self.play.turns}"
            )
        if self.play.lanes > self.opponent.window:
            raise ValueError(
                "opponent.window must hold a game of each lane, play.lanes="
                f"{self.play.lanes}; got {self.opponent.window}"
            )
        if turns > self.learner.replay_capacity:
            raise ValueError(
                "learner.replay_capacity must hold the turns of an iteration, play.lanes times "
                f"play.turns = {turns}; got {self.learner.replay_capacity}"
            )

    @property
    def architectures(self) -> tuple[str, ...]:
        """Names of the actors, in the order in which they were given."""
        if self.architecture.strip() == "all":
            return ARCHITECTURES
        return tuple(name.strip() for name in self.architecture.split(","))

    @property
    def updates(self) -> int:
        """Gradient steps of each learner in one iteration."""
        return self.play.lanes * self.play.turns // self.learner.turns_per_update

    @property
    def name(self) -> str:
        """Name of the folder in `runs/`: program, game, architectures and seed."""
        actors = "all" if self.architectures is ARCHITECTURES else "-".join(self.architectures)
        return f"ddpg-{self.game}-{actors}-{self.seed}"


_SIZES: dict[str, dict] = {
    "cpu": {
        "play": PlayConfig(lanes=8, turns=16),
        "learner": LearnerConfig(batch_size=64, turns_per_update=8),
    },
    "accelerator": {},
}


def games() -> tuple[str, ...]:
    """Returns the games that the actors can play, sorted."""
    return _GAMES


def preset(game: str, device_class: str) -> DdpgConfig:
    """Returns the default settings for a game on a kind of device.

    Raises:
        ValueError: for a game or preset that does not exist; names the nearest choice.
    """
    if game not in _GAMES:
        raise ValueError(f"no actor: {unknown('game', game, _GAMES)}")
    if device_class not in _SIZES:
        raise ValueError(f"preset: {unknown('value', device_class, ('auto', *_SIZES))}")
    return DdpgConfig(game=game, preset=device_class, **_SIZES[device_class])
