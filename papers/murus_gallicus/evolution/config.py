"""Settings of the evolution of weights: plain values, checked when they are made.

The text under a field is its explanation in `--help`. Defaults follow Wilson, Savinov, Kadavanich,
"Developing a game AI for Murus Gallicus" (TU Berlin, 2020), section on evolutionary learning.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from configs.training import CheckpointConfig
from jaxgames.internal.checks import MOST, at_least, label, one_of, positive, within

_METHODS = ("scheme", "cma_es")
_SCOPES = ("generation", "individual")
_MUTATIONS = ("one", "all", "redraw")
_OFFSET_LIMIT = 10_000


@dataclasses.dataclass(frozen=True)
class SchemeConfig:
    """The paper's way from one generation to the next; CMA-ES reads none of this."""

    rate_scope: str = "generation"
    """What one draw decides: generation (crossover or not, mutation or not, for all individuals of
    a generation together) or individual (for each one)."""
    phases: tuple[int, ...] = (0, 7, 14)
    """Generations, from 0, from which the next crossover rate and the next mutation offset hold."""
    crossover_rates: tuple[float, ...] = (0.1, 0.15, 0.8)
    """Chance that an individual gives way to the mean of two parents; one rate for each phase."""
    mutation_rate: float = 0.5
    """Chance that an individual is mutated."""
    mutation_offsets: tuple[int, ...] = (50, 75, 200)
    """A mutated value moves by at most this, up or down; one bound for each phase."""
    mutation: str = "one"
    """What mutates: one (a random value of the individual), all (each of its values) or redraw
    (each is drawn anew from -1 to 10, as the paper's program did with its tables)."""
    tournament: int = 4
    """Individuals drawn for the selection of a parent, the best of which is chosen."""
    hopeless_wins: int = 1
    """An individual with at most so many wins gives way to a changed copy of the best; -1: none."""
    hopeless_offset: int = 75
    """Each value of such a copy moves by at most this, up or down."""

    def __post_init__(self) -> None:
        """Checks each field."""
        one_of(self, "rate_scope", _SCOPES)
        one_of(self, "mutation", _MUTATIONS)
        if not self.phases or self.phases[0] != 0 or list(self.phases) != sorted({*self.phases}):
            name = label(self, "phases")
            raise ValueError(f"{name} must begin with 0 and increase, got {list(self.phases)}")
        if self.phases[-1] > MOST:
            name = label(self, "phases")
            raise ValueError(f"{name} must be at most {MOST}, got {list(self.phases)}")
        for name in ("crossover_rates", "mutation_offsets"):
            values = getattr(self, name)
            if len(values) != len(self.phases):
                raise ValueError(
                    f"{label(self, name)} needs one value for each of the {len(self.phases)} "
                    f"phases, got {list(values)}"
                )
        if not all(0 <= rate <= 1 for rate in self.crossover_rates):
            name = label(self, "crossover_rates")
            raise ValueError(f"{name} must be from 0 to 1, got {list(self.crossover_rates)}")
        if not all(0 <= offset <= _OFFSET_LIMIT for offset in self.mutation_offsets):
            raise ValueError(
                f"{label(self, 'mutation_offsets')} must be from 0 to {_OFFSET_LIMIT}, "
                f"got {list(self.mutation_offsets)}"
            )
        within(self, "mutation_rate", 0.0, 1.0)
        within(self, "tournament", 1, 100)
        at_least(self, "hopeless_wins", -1)
        within(self, "hopeless_offset", 0, _OFFSET_LIMIT)


@dataclasses.dataclass(frozen=True)
class MatchConfig:
    """The games between the individuals."""

    depth: int = 3
    """Plies that every player looks ahead."""
    opening_plies: int = 0
    """Random plies at the start of each game, equal for both games of a pair; with 0, as in the
    paper, all games begin alike and a pair always repeats its two games."""
    random_ties: bool = False
    """Let chance decide between moves of equal value; if not, as in the paper, an order of the
    moves does, the same in every position."""
    lanes: int | None = None
    """Games played at once, the others wait; all of them if not given. It changes no result."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "depth", 1)
        at_least(self, "opening_plies", 0)
        if self.lanes is not None:
            at_least(self, "lanes", 1)


@dataclasses.dataclass(frozen=True)
class EvaluationConfig:
    """Matches of the best individual against the frozen player; they influence nothing."""

    every: int = 5
    """Generations between evaluations; 0 evaluates never."""
    games: int = 64
    """Games for each seed, an even number: seats are swapped after equal openings."""
    opening_plies: int = 4
    """Random plies at the start of each game, so that the games differ."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "every", 0)
        at_least(self, "games", 2)
        at_least(self, "opening_plies", 0)
        if self.games % 2:
            raise ValueError(f"evaluation.games must be even, got {self.games}")


@dataclasses.dataclass(frozen=True)
class EvolutionConfig:
    """A run of evolutionary learning."""

    game: str
    """Game whose evaluation is tuned."""
    env_options: str = ""
    """Options of the game, for instance "variant=fire3"; several are separated by commas."""
    method: str = "scheme"
    """scheme (the paper's) or cma_es (needs the extra `evolution`), on the same number of games."""
    parameters: str = "material"
    """What is tuned: material (the weights of wall, tower and catapult) or pst (the piece-square
    tables)."""
    material: tuple[int, int, int] | None = None
    """Weights of wall, tower and catapult while the tables are tuned; the frozen player's if not
    given."""
    seed: int = 0
    """Seed of the first population; the others follow it."""
    seeds: int = 1
    """Populations, each with a seed of its own, that evolve side by side."""
    run_dir: str | None = None
    """Folder of the run; runs/evolution-GAME-METHOD-PARAMETERS-SEED if not given. A run that is
    already there goes on."""
    iterations: int = 30
    """Generations in total, those before a resume included."""
    max_minutes: float | None = None
    """Stop, with a checkpoint, at the end of the generation in which the run has taken so many
    minutes in total, those before a resume included."""
    scheme: SchemeConfig = dataclasses.field(default_factory=SchemeConfig)
    match: MatchConfig = dataclasses.field(default_factory=MatchConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)
    checkpoint: CheckpointConfig = dataclasses.field(
        default_factory=lambda: CheckpointConfig(every=1)
    )

    CHANGEABLE: ClassVar[tuple[str, ...]] = (
        "checkpoint.",
        "evaluation.",
        "iterations",
        "match.lanes",
        "max_minutes",
        "run_dir",
    )
    """Settings (or groups, with a dot) that may differ when a run goes on: none changes a game
    between individuals."""
    YOUNGER: ClassVar[Mapping[str, Any]] = {}
    RENAMED: ClassVar[Mapping[str, str]] = {}
    """Settings that records of older runs lack, and what those runs did."""

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group."""
        one_of(self, "method", _METHODS)
        at_least(self, "seeds", 1)
        within(self, "seed", 0, 2**32 - self.seeds)
        at_least(self, "iterations", 1)
        if self.max_minutes is not None:
            positive(self, "max_minutes")
        if self.material is not None and self.parameters == "material":
            raise ValueError(
                f"material={list(self.material)} are weights to keep while parameters=pst are "
                "tuned; with parameters=material they are what is tuned"
            )

    @property
    def directory(self) -> str:
        """Folder of the run."""
        default = f"runs/evolution-{self.game}-{self.method}-{self.parameters}-{self.seed}"
        return self.run_dir or default
