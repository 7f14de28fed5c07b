"""Settings of `python -m train.muzero`: plain values, checked when they are made.

The text under a field is its explanation in `--help`. Sizes count over all devices together.
Self-play, replay, evaluations and most of the learner have the settings of `train.alphazero`.
"""

import dataclasses
from typing import ClassVar

from configs import alphazero
from configs.alphazero import AlphaZeroConfig, EvaluationConfig, ReplayConfig, SelfPlayConfig
from configs.training import MINUTES
from jaxgames.internal.checks import at_least
from jaxgames.networks.config import ModelConfig


@dataclasses.dataclass(frozen=True)
class LearnerConfig(alphazero.LearnerConfig):
    """The gradient steps: AdamW on sequences of positions."""

    unroll: int = 5
    """Actions in a row after which the model predicts the targets, starting from what a player
    observes."""
    seat_loss_weight: float = 1.0
    """Weight of the cross-entropy of the seat that moves after an action."""
    consistency_loss_weight: float = 0.0
    """Weight of the difference between predicted and observed features, in games without hidden
    information; 0: not learned. It needs --network.projection."""

    def __post_init__(self) -> None:
        """Checks each field."""
        super().__post_init__()
        at_least(self, "unroll", 1)
        at_least(self, "seat_loss_weight", 0.0)
        at_least(self, "consistency_loss_weight", 0.0)


@dataclasses.dataclass(frozen=True)
class MuZeroConfig(AlphaZeroConfig):
    """A run of MuZero."""

    run_dir: str | None = None
    """Folder of the run; runs/muzero-GAME-SEED if not given. A run that is already there goes on.
    """
    network: ModelConfig = dataclasses.field(default_factory=ModelConfig)
    learner: LearnerConfig = dataclasses.field(default_factory=LearnerConfig)

    FOLDER_PREFIX: ClassVar[str] = "muzero-"

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group, and those that depend on each other."""
        super().__post_init__()
        selfplay = self.selfplay
        if selfplay.search == "mctx":
            raise ValueError("selfplay.search=mctx searches with rules; choose gumbel or puct")
        if selfplay.reuse or selfplay.max_children is not None:
            raise ValueError(
                "a search with a learned model keeps all actions and no subtree: leave "
                "selfplay.reuse and selfplay.max_children out"
            )
        if self.replay.solved > 0:
            raise ValueError(
                f"a learned model needs sequences, got replay.solved={self.replay.solved}: solved "
                "positions are single ones"
            )
        longest = self.replay.capacity // selfplay.lanes
        if self.learner.unroll > longest:
            raise ValueError(
                f"learner.unroll={self.learner.unroll} is longer than the sequences of the replay: "
                f"expected at most {longest}, replay.capacity / selfplay.lanes"
            )
        weight, units = self.learner.consistency_loss_weight, self.network.projection
        if (weight > 0) != (units > 0):
            raise ValueError(
                "learner.consistency_loss_weight and network.projection belong together, got "
                f"{weight} and {units}"
            )


SIZES: dict[str, dict] = {
    "cpu": {
        "minutes": MINUTES,
        "iterations": 200,
        "network": ModelConfig(channels=32, blocks=2, policy_channels=32, value_channels=4),
        # Few lanes and many plies: the outcome of most plies is known when the iteration ends. Many
        # random openings: the model must know where moves lead that a search would not play.
        "selfplay": SelfPlayConfig(
            lanes=64,
            plies=128,
            simulations=16,
            temperature_plies=6,
            random_opening_share=0.5,
            random_opening_plies=12,
        ),
        "replay": ReplayConfig(capacity=131_072),
        "learner": LearnerConfig(batch_size=256, updates=48, decay_steps=10_000),
        "evaluation": EvaluationConfig(every=10, games=64, opponents=("random", "minimax:depth=1")),
    },
    "accelerator": {
        "minutes": MINUTES,
        "network": ModelConfig(channels=64, blocks=6, dynamics_blocks=2),
        "selfplay": SelfPlayConfig(lanes=2048, plies=32),
        "replay": ReplayConfig(capacity=1_048_576),
        "learner": LearnerConfig(batch_size=2048, updates=64),
        "evaluation": EvaluationConfig(games=512),
    },
    "many": {
        "minutes": MINUTES,
        "network": ModelConfig(channels=64, blocks=6, dynamics_blocks=2),
        "selfplay": SelfPlayConfig(lanes=8192, plies=32),
        "replay": ReplayConfig(capacity=4_194_304),
        "learner": LearnerConfig(batch_size=8192, updates=64, learning_rate=4e-3),
        "evaluation": EvaluationConfig(games=1024),
    },
}
"""Settings that differ from the defaults, by class of devices, for every game."""
