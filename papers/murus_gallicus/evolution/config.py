"""Settings of the evolution of weights: plain values, checked when they are made.

The text under a field is its explanation in `--help`. Defaults follow Wilson, Savinov, Kadavanich,
"Developing a game AI for Murus Gallicus" (TU Berlin, 2020), section on evolutionary learning.
"""

import dataclasses
from typing import Any, ClassVar

from configs import training
from configs.training import CheckpointConfig, RunConfig
from jaxgames.internal.checks import MOST, at_least, label, one_of, within
from jaxgames.internal.messages import unknown

TUNABLE = {"murus_gallicus": "papers.murus_gallicus.evolution.weights:make_tunable"}
"""By game: the import path of the function that returns the `Tunable` of its environment."""
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
        starts, rates, offsets = self.phases, self.crossover_rates, self.mutation_offsets
        one_each = f"one value for each of the {len(starts)} phases"
        within_offset = f"must be from 0 to {_OFFSET_LIMIT}"
        for name, is_right, rule in (
            (
                "phases",
                starts[:1] == (0,) and list(starts) == sorted({*starts}),
                "must begin with 0 and increase",
            ),
            ("phases", max(starts, default=0) <= MOST, f"must be at most {MOST}"),
            ("crossover_rates", len(rates) == len(starts), f"needs {one_each}"),
            ("mutation_offsets", len(offsets) == len(starts), f"needs {one_each}"),
            ("crossover_rates", all(0 <= rate <= 1 for rate in rates), "must be from 0 to 1"),
            ("mutation_offsets", all(0 <= x <= _OFFSET_LIMIT for x in offsets), within_offset),
        ):
            if not is_right:
                got = list(getattr(self, name))
                raise ValueError(f"{label(self, name)} {rule}, got {got}")
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

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "depth", 1)
        at_least(self, "opening_plies", 0)


@dataclasses.dataclass(frozen=True)
class EvaluationConfig(training.EvaluationConfig):
    """Matches of the best individual against the frozen player; they influence nothing."""

    every: int = 5
    """Generations between evaluations; 0 evaluates never."""
    games: int = 64
    """Games for each seed, an even number: seats are swapped after equal openings."""
    opening_plies: int = 4
    """Random plies at the start of each game, so that the games differ."""

    def __post_init__(self) -> None:
        """Checks each field."""
        super().__post_init__()
        at_least(self, "opening_plies", 0)


@dataclasses.dataclass(frozen=True)
class EvolutionConfig(training.SeedsConfig):
    """A run of evolutionary learning."""

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
    scheme: SchemeConfig = dataclasses.field(default_factory=SchemeConfig)
    match: MatchConfig = dataclasses.field(default_factory=MatchConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)
    checkpoint: CheckpointConfig = dataclasses.field(
        default_factory=lambda: CheckpointConfig(every=1)
    )

    START: ClassVar[str] = "material"
    CHANGEABLE: ClassVar[tuple[str, ...]] = (*RunConfig.CHANGEABLE, "iterations")

    def __post_init__(self) -> None:
        """Checks the fields that belong to no group."""
        one_of(self, "method", _METHODS)
        super().__post_init__()
        if self.material is not None and self.parameters == "material":
            raise ValueError(
                f"material={list(self.material)} are weights to keep while parameters=pst are "
                "tuned; with parameters=material they are what is tuned"
            )
        if self.method != "scheme":
            self._check_usual_scheme()

    def _check_usual_scheme(self) -> None:
        """Checks that a method without a scheme gets the usual one, which it does not read."""
        usual = _STAGES.get(self.parameters, {}).get("scheme", SchemeConfig())
        for field in dataclasses.fields(SchemeConfig):
            value = getattr(self.scheme, field.name)
            if value != getattr(usual, field.name):
                raise ValueError(
                    f"scheme.{field.name} belongs to method=scheme, and method={self.method} "
                    f"does not read it, got {value}"
                )

    @property
    def name(self) -> str:
        """Name of the folder in `runs/`: program, game, method, parameters and seed."""
        return f"evolution-{self.game}-{self.method}-{self.parameters}-{self.seed}"


# By group of weights: the settings that tuning the group changes.
_STAGES: dict[str, dict[str, Any]] = {
    "material": {},
    "pst": {"scheme": SchemeConfig(mutation="all", mutation_offsets=(200, 200, 200))},
}


def games() -> tuple[str, ...]:
    """Returns the games that have an evaluation to tune, sorted."""
    return tuple(sorted(TUNABLE))


def preset(game: str, parameters: str) -> EvolutionConfig:
    """Returns the default settings for tuning some parameters of a game's evaluation.

    Raises:
        ValueError: for a game or parameters without preset; names the nearest choice.
    """
    if game not in TUNABLE:
        raise ValueError(f"no evaluation to tune: {unknown('game', game, games())}")
    if parameters not in _STAGES:
        raise ValueError(unknown("value of parameters", parameters, _STAGES))
    return EvolutionConfig(game=game, parameters=parameters, **_STAGES[parameters])
