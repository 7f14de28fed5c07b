"""Plays the games of the study in batches, and keeps them in a file for later runs."""

import dataclasses
import functools
import json
import pathlib
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

import jaxgames
from jaxgames import Env
from jaxgames.internal import files
from jaxgames.matches.match import match
from jaxgames.matches.resumable import Checkpoint
from jaxgames.players import registry, spec
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.players.tribes import score
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.tribes.levels import host_generation
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.technologies import Technology
from papers.tribes.study import paper

FORMAT = 3  # of the file; also raised when players decide differently
FEATURES = ("rank", "score", "technologies", "cities", "production")
MANY_GROUPS = 16  # groups from which on the last games of a batch get a program of their own
OBSERVED = ("RHEA", "RB")  # the pair whose choices the paper counts
FIXED = frozenset({"num_players", "side", "tribes"})  # options that the levels decide

Pair = tuple[str, str]


class Batch(NamedTuple):
    """Games of one pair, two in each group: on one level, with tribes exchanged."""

    first: str
    second: str
    start: int
    """Number of the first group, among all of the pair."""
    seconds: float
    features: dict[str, list[list[float]]]
    """By name: the values of the first and the second player at the end of each game."""
    turns: list[Any] | None
    """For each game, player and turn: decisions, sum of choices, sum of their logarithms."""

    @property
    def groups(self) -> set[tuple[str, str, int]]:
        """The groups that were played, with their pair."""
        count = len(self.features["rank"]) // 2
        return {(self.first, self.second, self.start + number) for number in range(count)}


class Settings(NamedTuple):
    """Settings that all batches of a file share."""

    calls: int
    """Of the forward model, for one decision."""
    seed: int
    env_options: str = ""
    """Options that differ from the paper's game, as text."""
    parameters: str = "{}"
    """Parameters that differ from the game's table, as JSON with sorted keys."""

    @property
    def identity(self) -> dict[str, Any]:
        """What a file of games says of its settings."""
        return {"format": FORMAT, "game": f"tribes-v{make_env().version}", **self._asdict()}


@dataclasses.dataclass(frozen=True)
class Choices:
    """A tally: decisions, legal actions at them, and decimal logarithms of their numbers."""

    domain: PlannerDomain

    def start(self, num_games: int) -> Float[Array, "games players turns 3"]:
        """Returns zeros."""
        return jnp.zeros((num_games, self.domain.rules.num_players, paper.TURNS + 1, 3))

    def add(
        self,
        counts: Float[Array, "games players turns 3"],
        games: TribesState,
        moves: Bool[Array, "games"],
    ) -> Float[Array, "games players turns 3"]:
        """Adds a decision of each game in which the first ply of an action is due."""
        number = jax.vmap(self.domain.count_actions)(games)
        is_first = moves & (games.phase == Stage.SOURCE)
        lanes = jnp.where(is_first, jnp.arange(len(moves)), len(moves))
        seat, turn = games.active.astype(jnp.int32), games.tick.astype(jnp.int32)
        found = jnp.stack([jnp.ones_like(number), number, jnp.log10(number)], axis=-1)
        return counts.at[lanes, seat, turn].add(found, mode="drop")


def make_env(options: str = "", parameters: str = "{}") -> Env[Any]:
    """Returns the paper's game with some options and parameters changed.

    Args:
        options: of the game, as text.
        parameters: values of its table of parameters by name, as JSON.

    Raises:
        ValueError: for an unknown option or parameter, a value that does not fit, or an option that
            the levels of the paper fix.
    """
    names = ",".join(tribe.name.lower() for tribe in paper.TRIBES)
    changed = spec.arguments(spec.Spec("tribes", spec.parse_fields(options)), Tribes)
    if fixed := sorted(FIXED & changed.keys()):
        raise ValueError(f"option {fixed[0]} is fixed by the levels of the paper, got {options!r}")
    return jaxgames.make(
        "tribes", tribes=names, parameters=files.parse_json(parameters) or None, **changed
    )


def missing(
    batches: Sequence[Batch], pairs: Sequence[Pair], groups: int, most: int
) -> list[tuple[Pair, range]]:
    """Returns the groups that each pair lacks of `groups`, in ranges of at most `most`."""
    known = set().union(*(batch.groups for batch in batches))
    due: list[tuple[Pair, range]] = []
    for pair in pairs:
        at = 0
        while at < groups:
            there = range(at, min(at + most, groups))
            end = next((group for group in there if (*pair, group) in known), there.stop)
            if end > at:
                due.append((pair, range(at, end)))
            at = max(end, at + 1)
    return sorted(due, key=lambda part: part[1].start)


def play(
    env: Env[Any], pair: Pair, groups: range, settings: Settings, checkpoint: Checkpoint
) -> Batch:
    """Plays groups of a pair as one batch, or goes on from its checkpoint."""
    began = time.perf_counter()
    players = [
        registry.make(paper.PLAYERS[name].format(calls=settings.calls), env) for name in pair
    ]
    # Games of another length cannot be compared with the paper.
    is_counted = pair == OBSERVED and int(_rules(env).config.last_tick) == paper.TURNS
    tally = Choices(planner_domain_of(env)) if is_counted else None
    key = jax.random.key(settings.seed)
    for value in (list(paper.WINS).index(pair), groups.start):
        key = jax.random.fold_in(key, value)
    width = len(groups)
    if not set(pair) & set(paper.STEP_BY_STEP):
        # Some games have five times as many decisions as others. Games that are behind catch up if
        # a player decides half of its share at once.
        width = -(-width // 2)
    result = match(
        env,
        players,
        key,
        2 * len(groups),
        starts=first_positions(env, groups),
        tally=tally,
        width=width,
        checkpoint=checkpoint,
        # Otherwise the last games take up to a third of the time.
        tail=len(groups) // 4 if len(groups) >= MANY_GROUPS else None,
    )

    def of_players(of_seats: Any) -> list[Any]:
        at = np.reshape(result.seats, (*result.seats.shape, *(1,) * (np.ndim(of_seats) - 2)))
        return np.take_along_axis(np.asarray(of_seats), at, axis=1).round(4).tolist()

    found = _features(env, result.finals)
    return Batch(
        *pair,
        start=groups.start,
        features={name: of_players(found[name]) for name in FEATURES},
        turns=None if tally is None else of_players(result.counts),
        seconds=round(checkpoint.spent + time.perf_counter() - began, 1),
    )


def first_positions(env: Env[Any], groups: Sequence[int]) -> Any:
    """Returns the first position of each group: the levels in turn."""
    seeds = [paper.LEVEL_SEEDS[group % len(paper.LEVEL_SEEDS)] for group in groups]
    firsts = [_first_position(_rules(env), seed) for seed in seeds]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *firsts)


@functools.cache
def _first_position(rules: Tribes, seed: int) -> Any:
    """Returns the position before the first action on the level of a seed."""
    return rules.begin(host_generation.generate(seed, paper.SIDE, [int(t) for t in paper.TRIBES]))


def _rules(env: Env[Any]) -> Tribes:
    assert isinstance(env.rules, Tribes)
    return env.rules


def _features(env: Env[Any], finals: Any) -> dict[str, Any]:
    """Returns the features of the seats at the end of each game, by the names of `FEATURES`."""
    features = jax.jit(jax.vmap(functools.partial(score.features, _rules(env).config)))(finals)
    found = score.FeatureWeights(*np.moveaxis(np.asarray(features, np.float64), -1, 0))._asdict()
    found["technologies"] *= 100 / len(Technology)
    return found | {"rank": np.asarray(finals.ranking, np.float64) + 1}


def load(path: pathlib.Path, settings: Settings) -> list[Batch]:
    """Returns the batches of a file; none if there is no file.

    Raises:
        ValueError: if the file is no file of this study, or one with other settings.
    """
    if not path.exists():
        return []
    try:
        record = files.parse_json(path.read_bytes())
        batches = [Batch(**batch) for batch in record["batches"]]
        seen: set[tuple[str, str, int]] = set()
        for batch in batches:
            _check(batch)
            if batch.groups & seen:
                raise ValueError(f"group {batch.start} of {batch.first} v {batch.second} again")
            seen |= batch.groups
        identity = record["study"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(
            f"--saved: {path} exists, but holds no games of this study: {error}"
        ) from error
    files.check_identity("--saved", path, identity, settings.identity)
    return batches


def _check(batch: Batch) -> None:
    """Raises a `ValueError` if a batch is not one of whole groups of a pair of the table."""
    pair = batch.first, batch.second
    games = len(batch.features["rank"])
    shapes = {np.shape(batch.features[name]) for name in FEATURES}
    if pair not in paper.WINS or type(batch.start) is not int or batch.start < 0:
        raise ValueError(f"group {batch.start!r} of {' v '.join(map(str, pair))}")
    numbers = [*batch.features.values(), batch.seconds, batch.turns or 0]
    if games % 2 or not all(np.isfinite(np.asarray(x, np.float64)).all() for x in numbers):
        raise ValueError(f"group {batch.start} has {games} games, or numbers that are not finite")
    if batch.turns is not None:
        shapes.add(np.shape(batch.turns)[:2])
    if shapes != {(games, 2)} or any(sorted(game) != [1, 2] for game in batch.features["rank"]):
        raise ValueError(f"group {batch.start}: not one rank and feature for each player")
    if batch.turns is not None and np.shape(batch.turns)[2:] != (paper.TURNS + 1, 3):
        raise ValueError(f"group {batch.start}: not three numbers for each of {paper.TURNS} turns")


def save(path: pathlib.Path, settings: Settings, batches: Sequence[Batch]) -> None:
    """Writes all batches; whenever the program is killed, the file is complete.

    Raises:
        OSError: if it cannot be written; says where the batches are kept instead.
    """
    record = {"study": settings.identity, "batches": [batch._asdict() for batch in batches]}
    files.deliver({path: json.dumps(record) + "\n"})
