"""Settings of `python -m train.afterstates`: plain values, checked when they are made.

The text under a field is its explanation in `--help`. Sizes count over all devices together.
"""

import dataclasses
from typing import Any, ClassVar

from configs import training
from configs.training import MINUTES, CheckpointConfig, TrainingConfig
from jaxgames.internal.checks import at_least, positive, within
from jaxgames.networks.config import AfterstateConfig


@dataclasses.dataclass(frozen=True)
class PlayConfig:
    """How games are played to learn from."""

    lanes: int = 512
    """Games played at once; a multiple of the number of devices."""
    plies: int = 128
    """Plies that every game advances in one iteration."""
    noise: float = 0.015
    """Scale of the Gumbel noise on values, in their own unit."""
    past_share: float = 0.0
    """Share of games in which the other seats are played by an earlier network of the run."""
    past_every: int = 5
    """Iterations between two networks that are kept; the newest eight are kept."""
    opponent_share: float = 0.0
    """Share of games in which the other seats are played by one of `opponents`."""
    opponents: tuple[str, ...] = ()
    """Agents that play the other seats, as specs; each plays an equal part of these games."""
    width: int = 8
    """Afterstates judged at once for each game."""

    def __post_init__(self) -> None:
        """Checks each field."""
        for name in ("lanes", "plies", "past_every", "width"):
            at_least(self, name, 1)
        at_least(self, "noise", 0.0)
        within(self, "past_share", 0.0, 1.0)
        within(self, "opponent_share", 0.0, 1.0)
        if self.past_share + self.opponent_share > 1:
            raise ValueError(
                "play.past_share and play.opponent_share must be 1 together at most, got "
                f"{self.past_share} and {self.opponent_share}"
            )
        if (self.opponent_share > 0) != bool(self.opponents):
            raise ValueError(
                "play.opponent_share and play.opponents belong together, got "
                f"{self.opponent_share} and {list(self.opponents)}"
            )


@dataclasses.dataclass(frozen=True)
class LearnerConfig:
    """TD(lambda): targets by the newest network, gradient steps by Adam."""

    trace: float = 0.9
    """Lambda: 0 learns from the next value, 1 from the end of the game."""
    window: int = 6
    """Newest iterations of play that are learned from."""
    batch_size: int = 2048
    """Afterstates in one gradient step; a multiple of the number of devices."""
    updates: int = 120
    """Gradient steps in one iteration."""
    learning_rate: float = 1e-3
    """Learning rate at the start of the run."""
    final_learning_rate: float = 2e-4
    """The same at the end of `learning_rate_iterations`."""
    learning_rate_iterations: int = 60
    """Iterations over which the learning rate falls, however long the run is."""
    points_weight: float = 0.1
    """Weight of the error of the predicted points, in games that count points."""
    max_grad_norm: float = 1.0
    """Gradients with a larger global norm are scaled down to it."""

    def __post_init__(self) -> None:
        """Checks each field."""
        within(self, "trace", 0.0, 1.0)
        for name in ("window", "batch_size", "updates", "learning_rate_iterations"):
            at_least(self, name, 1)
        positive(self, "learning_rate")
        positive(self, "final_learning_rate")
        positive(self, "max_grad_norm")
        at_least(self, "points_weight", 0.0)


@dataclasses.dataclass(frozen=True)
class EvaluationConfig(training.EvaluationConfig):
    """Matches against opponents that do not learn; they never influence the training."""

    games: int = 64
    """Games against each opponent, a multiple of the number of seats: seats are swapped from equal
    set-ups."""
    opponents: tuple[str, ...] = ("random",)
    """Opponents as agent specs."""
    saved_games: int = 0
    """Games of each match that are kept as records, in the folder `games` of the run."""

    TWO_SEATS: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Checks each field."""
        super().__post_init__()
        at_least(self, "saved_games", 0)


@dataclasses.dataclass(frozen=True)
class AfterstatesConfig(TrainingConfig):
    """A run of TD(lambda) on values of afterstates."""

    run_dir: str | None = None
    """Folder of the run; runs/afterstates-GAME-SEED if not given. A run that is already there goes
    on."""
    start: str | None = None
    """Run folder or exported network whose parameters a new run starts from."""
    network: AfterstateConfig = dataclasses.field(default_factory=AfterstateConfig)
    play: PlayConfig = dataclasses.field(default_factory=PlayConfig)
    learner: LearnerConfig = dataclasses.field(default_factory=LearnerConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)

    FOLDER_PREFIX: ClassVar[str] = "afterstates-"
    LEAST_ITERATIONS: ClassVar[int] = 40

    @property
    def split_sizes(self) -> tuple[int, ...]:
        """The lanes and the batch of the learner."""
        return self.play.lanes, self.learner.batch_size

    def rung(self, number: int) -> dict[str, Any]:
        """Returns the sizes of a rung: above 0, networks of twice the width."""
        less, wider = 2.0 ** min(number, 0), 2 ** max(number, 0)
        sizes: dict[str, Any] = {
            "play.lanes": int(self.play.lanes * less),
            "learner.updates": max(1, int(self.learner.updates * less)),
        }
        if number > 0 and self.start is None:
            sizes["network.hidden"] = [wider * units for units in self.network.hidden]
            sizes["network.cell_features"] = wider * self.network.cell_features
        return sizes

    def schedule(self, iterations: int) -> dict[str, Any]:
        """Returns a decay that ends with the run."""
        return {"learner.learning_rate_iterations": iterations}


SIZES: dict[str, dict] = {
    "cpu": {
        "minutes": MINUTES,
        "play": PlayConfig(lanes=256, plies=128),
        "evaluation": EvaluationConfig(every=10, games=64),
        "checkpoint": CheckpointConfig(every=5),
    },
    "accelerator": {
        "minutes": MINUTES,
        "network": AfterstateConfig(hidden=(256, 256)),
        "play": PlayConfig(lanes=4096, plies=128),
        "learner": LearnerConfig(batch_size=8192, updates=240),
        "evaluation": EvaluationConfig(every=10, games=512),
    },
    "many": {
        "minutes": MINUTES,
        "network": AfterstateConfig(hidden=(256, 256)),
        "play": PlayConfig(lanes=16_384, plies=128),
        "learner": LearnerConfig(batch_size=32_768, updates=240),
        "evaluation": EvaluationConfig(every=10, games=1024),
    },
}
"""Settings that differ from the defaults, by class of devices, for every game."""
