"""Settings of `python -m train.alphazero`: plain values, checked when they are made.

The text under a field is its explanation in `--help`. Sizes count over all devices together.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

from configs import training
from configs.training import MINUTES, TrainingConfig
from jaxgames.internal.checks import at_least, one_of, positive, within
from jaxgames.networks.config import NetworkConfig

_SEARCHES = ("gumbel", "puct", "mctx")
ENDGAMES = "endgames"
"""The value of `selfplay.starts` that is no file."""


@dataclasses.dataclass(frozen=True)
class SelfPlayConfig:
    """How the network plays against itself."""

    lanes: int = 256
    """Games played at once; a multiple of the number of devices."""
    plies: int = 32
    """Plies that every game advances in one iteration."""
    search: str = "gumbel"
    """gumbel (Gumbel MuZero), puct (AlphaZero's), or mctx (Gumbel MuZero by that library, a slower
    reference; not in train.muzero)."""
    simulations: int = 32
    """Network evaluations below the root for one move."""
    max_children: int | None = None
    """Most actions that a node of the search keeps, the most probable ones; all if not given. Not
    in train.muzero."""
    reuse: bool = False
    """Keep the part of the tree below the moves made. Not with mctx, chance or hidden information,
    and not in train.muzero."""
    max_considered: int = 16
    """Gumbel: root actions among which the search chooses."""
    gumbel_scale: float = 1.0
    """Gumbel: exploration noise at the root; 0 plays the best move found."""
    rescale_values: bool = True
    """Gumbel: map values to 0 for the worst action of a node and 1 for the best. If not, a value
    counts by its size: better after a teacher, whose good actions differ by little."""
    c_init: float = 1.25
    """PUCT: weight of exploration against the values."""
    dirichlet_fraction: float = 0.25
    """PUCT: share of noise in the prior at the root."""
    dirichlet_alpha: float = 0.3
    """PUCT: concentration of the noise; about 10 by the number of legal moves."""
    temperature_plies: int = 8
    """Number of first plies of a game whose move is drawn from the search's policy."""
    random_opening_share: float = 0.25
    """Share of games that begin with uniformly random moves, for variety."""
    random_opening_plies: int = 8
    """Such a game begins with 1 to this many random moves."""
    starts: str | None = None
    """Positions from which some games begin: a file of game records (all their positions), a file
    with the text of a position on each line, or endgames: random ones, in games that have some."""
    starts_share: float = 0.25
    """Share of games that begin there. Their first moves are neither random nor drawn."""
    opponent: str | None = None
    """Agent spec: the other seat is played by this agent, which stays as it is, instead of the
    network. The network learns to beat it. For games of two seats that move in turns."""

    def __post_init__(self) -> None:
        """Checks each field."""
        for name in ("lanes", "plies", "simulations", "max_considered"):
            at_least(self, name, 1)
        at_least(self, "random_opening_plies", 1)
        at_least(self, "temperature_plies", 0)
        at_least(self, "gumbel_scale", 0.0)
        at_least(self, "c_init", 0.0)
        one_of(self, "search", _SEARCHES)
        if self.max_children is not None:
            at_least(self, "max_children", 1)
        within(self, "dirichlet_fraction", 0.0, 1.0)
        positive(self, "dirichlet_alpha")
        if self.search == "mctx" and self.reuse:
            raise ValueError("selfplay.search=mctx keeps no subtree: leave reuse out")
        within(self, "random_opening_share", 0.0, 1.0)
        within(self, "starts_share", 0.0, 1.0)

    def for_matches(self, simulations: int) -> "SelfPlayConfig":
        """Returns the same search without noise, and with nothing kept between moves."""
        return dataclasses.replace(
            self,
            simulations=simulations,
            gumbel_scale=0.0,
            dirichlet_fraction=0.0,
            reuse=False,
        )


@dataclasses.dataclass(frozen=True)
class ReplayConfig:
    """The window of positions that the learner draws from."""

    capacity: int = 100_000
    """Newest positions kept; rounded up to whole iterations of self-play."""
    reanalyse: float = 0.0
    """Reanalyse: in each iteration, this many positions of the replay for each position played get
    new targets from a search with the newest network; 0: none."""
    solved: float = 0.0
    """Share of the positions learned from that are solved ones, with exact values and best moves,
    in games that have some. Solving them takes minutes on a CPU. Not in train.muzero."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "capacity", 1)
        within(self, "reanalyse", 0.0, 1.0)
        within(self, "solved", 0.0, 1.0)


@dataclasses.dataclass(frozen=True)
class LearnerConfig:
    """The gradient steps: AdamW with clipped gradients, warm-up and cosine decay."""

    batch_size: int = 512
    """Positions in one gradient step; a multiple of the number of devices."""
    updates: int = 32
    """Gradient steps in one iteration."""
    learning_rate: float = 2e-3
    """Highest learning rate, reached after the warm-up."""
    warmup_steps: int = 200
    """Gradient steps over which the learning rate rises from zero."""
    decay_steps: int = 20_000
    """Gradient steps until the learning rate is at its final value, however long the run is."""
    final_learning_rate_fraction: float = 0.1
    """Final learning rate as a share of the highest."""
    weight_decay: float = 1e-4
    """AdamW's weight decay of kernels (biases have none)."""
    max_grad_norm: float = 1.0
    """Gradients with a larger global norm are scaled down to it."""
    value_loss_weight: float = 1.0
    """Weight of the value's squared error against the policy's cross-entropy."""
    score_loss_weight: float = 0.0
    """Weight of the error of the predicted points, in games that count points; 0: not learned."""
    score_unit: float = 50.0
    """Points that count as an error of one, and as a lead of one."""
    lead_value_share: float = 0.0
    """Value target: this share of the outcome is the squashed lead in points, in games that count
    points; the rest is who won."""
    search_value_share: float = 0.25
    """Value target: this share of the value that the search or the teacher gives, the rest is the
    outcome of the game. A larger share suits a teacher that gives values."""
    augment: bool = True
    """Apply a random symmetry of the game to each sampled position."""

    def __post_init__(self) -> None:
        """Checks each field."""
        for name in ("batch_size", "updates", "decay_steps"):
            at_least(self, name, 1)
        for name in ("warmup_steps", "weight_decay", "value_loss_weight", "score_loss_weight"):
            at_least(self, name, 0)
        positive(self, "learning_rate")
        positive(self, "score_unit")
        positive(self, "max_grad_norm")
        within(self, "final_learning_rate_fraction", 0.0, 1.0)
        within(self, "lead_value_share", 0.0, 1.0)
        within(self, "search_value_share", 0.0, 1.0)


@dataclasses.dataclass(frozen=True)
class EvaluationConfig(training.EvaluationConfig):
    """Matches against opponents that do not learn; they never influence the training."""

    games: int = 128
    """Games against each opponent, an even number: seats are swapped from equal set-ups."""
    simulations: int = 32
    """Simulations for each move of the trained network, without noise."""
    temperature: float = 0.0
    """How the network plays without search: 0 its most probable move, 1 one drawn from its policy.
    Where a turn has many good moves, its end may be the most probable single one from the start."""
    opponents: tuple[str, ...] = ("random", "minimax:depth=2")
    """Opponents as agent specs."""
    saved_games: int = 0
    """Games of each match that are kept as records, in the folder `games` of the run."""

    def __post_init__(self) -> None:
        """Checks each field."""
        super().__post_init__()
        at_least(self, "saved_games", 0)
        at_least(self, "simulations", 1)
        at_least(self, "temperature", 0.0)


TEACHER_ITERATIONS = 40


@dataclasses.dataclass(frozen=True)
class AlphaZeroConfig(TrainingConfig):
    """A run of Gumbel AlphaZero."""

    start: str | None = None
    """Run folder, exported or pretrained network whose parameters a new run starts from."""
    teacher: str | None = None
    """Agent spec, for instance afterstate:network=terra_mystica,noise=0.05. In the first
    iterations the network learns this agent's preferences instead of those of its own search."""
    teacher_iterations: int = TEACHER_ITERATIONS
    """Iterations with the teacher. Its share of the moves falls over them; it labels all positions.
    """
    network: NetworkConfig = dataclasses.field(default_factory=NetworkConfig)
    selfplay: SelfPlayConfig = dataclasses.field(default_factory=SelfPlayConfig)
    replay: ReplayConfig = dataclasses.field(default_factory=ReplayConfig)
    learner: LearnerConfig = dataclasses.field(default_factory=LearnerConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)

    YOUNGER: ClassVar[Mapping[str, Any]] = {
        "replay.reanalyse": 0.0,
        "replay.solved": 0.0,
        "selfplay.opponent": None,
        "selfplay.rescale_values": True,
        "selfplay.starts": None,
        "selfplay.starts_share": SelfPlayConfig.starts_share,
        "start": None,
    }
    RENAMED: ClassVar[Mapping[str, str]] = {
        "selfplay.max_considered_actions": "selfplay.max_considered",
        "selfplay.reuse_subtree": "selfplay.reuse",
    }

    @property
    def taught_iterations(self) -> int:
        """The iterations with the teacher, if there is one."""
        return self.teacher_iterations if self.teacher else 0

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group."""
        super().__post_init__()
        at_least(self, "teacher_iterations", 1)
        if self.teacher is None and self.teacher_iterations != TEACHER_ITERATIONS:
            raise ValueError(
                f"teacher_iterations needs a teacher, got {self.teacher_iterations} without one"
            )
        share = self.selfplay.starts_share
        if self.selfplay.starts is None and share != SelfPlayConfig.starts_share:
            raise ValueError(
                f"selfplay.starts_share needs selfplay.starts, got {share} without positions"
            )
        if self.selfplay.opponent is not None and (self.teacher or self.replay.reanalyse):
            raise ValueError(
                f"selfplay.opponent={self.selfplay.opponent} goes without teacher and "
                f"replay.reanalyse, got {self.teacher} and {self.replay.reanalyse}"
            )

    @property
    def split_sizes(self) -> tuple[int, ...]:
        """The lanes, which divide the replay as well, and the batch of the learner."""
        return self.selfplay.lanes, self.learner.batch_size

    @property
    def replay_capacity(self) -> int:
        """Positions that the replay holds: `replay.capacity` in whole iterations of self-play."""
        per_iteration = self.selfplay.lanes * self.selfplay.plies
        return -(-self.replay.capacity // per_iteration) * per_iteration

    def rung(self, number: int) -> dict[str, Any]:
        """Returns the sizes of a rung: above 0, networks 1.5 times as wide and twice as deep.

        Below rung 0 the replay holds as many iterations as there; above, two and four times as
        many.
        """
        less = 2.0 ** min(number, 0)
        sizes: dict[str, Any] = {
            "selfplay.lanes": int(self.selfplay.lanes * less),
            "learner.updates": max(1, int(self.learner.updates * less)),
            "replay.capacity": max(1, int(self.replay.capacity * 2.0 ** min(number, 2))),
        }
        if number > 0 and self.start is None:
            sizes["network.blocks"] = self.network.blocks * 2**number
            for name in ("channels", "common_channels"):
                width = getattr(self.network, name) * 1.5**number
                sizes[f"network.{name}"] = 8 * math.ceil(width / 8)
        return sizes

    def schedule(self, iterations: int) -> dict[str, Any]:
        """Returns a decay that ends with the run, after a warm-up of a twentieth at most."""
        steps = iterations * self.learner.updates
        warmup = min(self.learner.warmup_steps, steps // 20)
        return {"learner.decay_steps": steps, "learner.warmup_steps": warmup}

    @property
    def reanalysed_plies(self) -> int:
        """Positions that an iteration reanalyses for each lane: at least one, if any at all."""
        return math.ceil(self.replay.reanalyse * self.selfplay.plies)


SIZES: dict[str, dict] = {
    "cpu": {
        "minutes": MINUTES,
        "iterations": 160,
        "network": NetworkConfig(channels=32, blocks=2, policy_channels=32, value_channels=4),
        "selfplay": SelfPlayConfig(lanes=128, plies=64, simulations=16, temperature_plies=6),
        "replay": ReplayConfig(capacity=131_072),
        "learner": LearnerConfig(batch_size=512, updates=32, decay_steps=5_000),
        "evaluation": EvaluationConfig(games=64),
    },
    # With 8,192 games at once, the network takes more than half of the modelled iteration time
    # on an H100; with 2,048, the many short kernels of tree and game do.
    "accelerator": {
        "minutes": MINUTES,
        "network": NetworkConfig(channels=64, blocks=6),
        "selfplay": SelfPlayConfig(lanes=8192, plies=32),
        "replay": ReplayConfig(capacity=2_097_152),
        "learner": LearnerConfig(batch_size=2048, updates=128, decay_steps=40_000),
        "evaluation": EvaluationConfig(games=512),
    },
    "many": {
        "minutes": MINUTES,
        "network": NetworkConfig(channels=64, blocks=6),
        "selfplay": SelfPlayConfig(lanes=32_768, plies=32),
        "replay": ReplayConfig(capacity=8_388_608),
        "learner": LearnerConfig(
            batch_size=8192, updates=128, learning_rate=4e-3, decay_steps=40_000
        ),
        "evaluation": EvaluationConfig(games=1024),
    },
}
"""Settings that differ from the defaults, by class of devices, for every game."""
