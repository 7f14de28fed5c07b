"""Plays the games of the study in batches, and keeps them in a file for later runs."""

import functools
import json
import math
import pathlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxgames.internal import files
from papers.tribes.study import paper

if TYPE_CHECKING:
    from jaxgames import Env
    from jaxgames.matches import resumable
    from jaxgames.tribes.rules import Tribes

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


class Settings(NamedTuple):
    """Settings that all batches of a file share."""

    calls: int
    """Of the forward model, for one decision."""
    seed: int
    env_options: str = ""
    """Options that differ from the paper's game, as text."""
    parameters: str = "{}"
    """Parameters that differ from the game's table, as JSON."""

    @property
    def has_paper_rules(self) -> bool:
        """Whether nothing differs from the game of the paper."""
        return not self.env_options and self.parameters == "{}"


def make_env(options: str = "", parameters: str = "{}") -> "Env[Any]":
    """Returns the paper's game with some options and parameters changed.

    Args:
        options: of the game, as text.
        parameters: values of its table of parameters by name, as JSON from `canonical`.

    Raises:
        ValueError: for an unknown option or parameter, a value that does not fit, or an option that
            the levels of the paper fix.
    """
    import jaxgames
    from jaxgames.players import spec
    from jaxgames.tribes.rules import Tribes

    names = ",".join(tribe.name.lower() for tribe in paper.TRIBES)
    changed = spec.arguments(spec.Spec("tribes", spec.parse_fields(options)), Tribes)
    if fixed := sorted(FIXED & changed.keys()):
        raise ValueError(f"option {fixed[0]} is fixed by the levels of the paper, got {options!r}")
    return jaxgames.make(
        "tribes", tribes=names, parameters=files.parse_json(parameters) or None, **changed
    )


def canonical(parameters: str) -> str:
    """Returns changed parameters as JSON with sorted keys, as files name them.

    Raises:
        ValueError: for a text that is no JSON object, or names a parameter twice.
    """
    from jaxgames.internal import checks

    values = checks.parsed(parameters, "--parameters")
    if not isinstance(values, dict):
        raise ValueError(
            '--parameters must be an object such as {"tier_points": [0, 0, 0]}, '
            f"got {parameters[:80]!r}"
        )
    return json.dumps(values, sort_keys=True)


def missing(
    batches: Sequence[Batch], pairs: Sequence[Pair], groups: int, most: int
) -> list[tuple[Pair, range]]:
    """Returns the groups that each pair lacks of `groups`, in ranges of at most `most`."""
    known = set().union(*map(_groups_of, batches))
    due: list[tuple[Pair, range]] = []
    for pair in pairs:
        at = 0
        while at < groups:
            there = range(at, min(at + most, groups))
            end = next((group for group in there if (pair, group) in known), there.stop)
            if end > at:
                due.append((pair, range(at, end)))
            at = max(end, at + 1)
    return sorted(due, key=lambda part: part[1].start)


def _groups_of(batch: Batch) -> set[tuple[Pair, int]]:
    """Returns the groups of a batch, with their pair."""
    pair, count = (batch.first, batch.second), len(batch.features["rank"]) // 2
    return {(pair, group) for group in range(batch.start, batch.start + count)}


def checkpoint_of(saved: pathlib.Path, pair: Pair, start: int) -> "resumable.Checkpoint":
    """Returns the checkpoint of the batch that begins with a group: a file beside all games."""
    from jaxgames.matches import resumable

    return resumable.Checkpoint(
        saved.with_name(f"{saved.stem}.{'-'.join(pair)}-{start}.npz"), "--saved"
    )


def play(
    env: "Env[Any]",
    pair: Pair,
    groups: range,
    settings: Settings,
    checkpoint: "resumable.Checkpoint",
) -> Batch:
    """Plays groups of a pair as one batch, or goes on from its checkpoint."""
    import jax
    import numpy as np

    from jaxgames.matches.match import match
    from jaxgames.players import registry
    from papers.tribes.study.choices import Choices

    began = time.perf_counter()
    players = [
        registry.make(paper.PLAYERS[name].format(calls=settings.calls), env) for name in pair
    ]
    starts = first_positions(env, groups)
    # Games of another length cannot be compared with the paper.
    is_counted = pair == OBSERVED and int(_rules(env).config.last_tick) == paper.TURNS
    tally = Choices.of(env) if is_counted else None
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
        starts=starts,
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


def first_positions(env: "Env[Any]", groups: Sequence[int]) -> Any:
    """Returns the first position of each group: the levels in turn."""
    import jax
    import jax.numpy as jnp

    seeds = [paper.LEVEL_SEEDS[group % len(paper.LEVEL_SEEDS)] for group in groups]
    firsts = [_first_position(_rules(env), seed) for seed in seeds]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *firsts)


@functools.cache
def _first_position(rules: "Tribes", seed: int) -> Any:
    """Returns the position before the first action on the level of a seed."""
    from jaxgames.tribes.levels import generation

    return rules.begin(generation.generate(seed, paper.SIDE, [int(t) for t in paper.TRIBES]))


def _rules(env: "Env[Any]") -> "Tribes":
    from jaxgames.tribes.rules import Tribes

    assert isinstance(env.rules, Tribes)
    return env.rules


def _features(env: "Env[Any]", finals: Any) -> dict[str, Any]:
    """Returns the features of the seats at the end of each game, by the names of `FEATURES`."""
    import jax
    import numpy as np

    from jaxgames.players.tribes import score
    from jaxgames.tribes.tables.technologies import Technology

    config = _rules(env).config
    features = jax.jit(jax.vmap(functools.partial(score.features, config)))(finals)
    found = score.FeatureWeights(*np.moveaxis(np.asarray(features, np.float64), -1, 0))._asdict()
    found["technologies"] *= 100 / len(Technology)
    return found | {"rank": np.asarray(finals.ranking, np.float64) + 1}


def load(option: str, path: pathlib.Path, settings: Settings) -> list[Batch]:
    """Returns the batches of a file that is named by an option.

    Raises:
        ValueError: if the file is no file of this study, or one with other settings.
    """
    try:
        record = files.parse_json(path.read_bytes())
        batches = [Batch(**batch) for batch in record["batches"]]
        seen: set[tuple[Pair, int]] = set()
        for batch in batches:
            _check(batch)
            groups = _groups_of(batch)
            if groups & seen:
                raise ValueError(f"group {batch.start} of {batch.first} v {batch.second} again")
            seen |= groups
        found = record["study"]
    except FileNotFoundError:
        raise ValueError(f"{option}: there is no file {path}") from None
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(
            f"{option}: {path} exists, but holds no games of this study: {reason}"
        ) from error
    files.check_identity(option, path, found, _identity(settings))
    return batches


def _check(batch: Batch) -> None:
    """Raises a `ValueError` if a batch is not one of whole groups of a pair of the table."""
    pair = batch.first, batch.second
    place = f"group {batch.start!r} of {' v '.join(map(str, pair))}"
    if pair not in paper.WINS or type(batch.start) is not int or batch.start < 0:
        raise ValueError(place)
    if type(batch.seconds) not in (int, float) or not 0 <= batch.seconds < math.inf:
        raise ValueError(f"{place}, seconds: {batch.seconds!r}")
    ranks = batch.features["rank"]
    for name in FEATURES:
        values = batch.features[name]
        if len(values) != len(ranks) or len(values) % 2:
            raise ValueError(f"{place}, {name}: {len(values)} games of {len(ranks)}")
        if any(len(game) != 2 or not all(map(math.isfinite, game)) for game in values):
            raise ValueError(f"{place}, {name}: not two numbers for each game")
    if any(sorted(game) != [1, 2] for game in ranks):
        raise ValueError(f"{place}, rank: not 1 and 2 in each game")
    if batch.turns is not None:
        _check_turns(batch.turns, len(ranks), place)


def _check_turns(turns: Any, games: int, place: str) -> None:
    """Raises a `ValueError` if the counts are not three numbers for each turn."""
    import numpy as np

    shape = (games, 2, paper.TURNS + 1, 3)
    found = np.asarray(turns, np.float64)  # itself a ValueError for rows of unequal length
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError(f"{place}, turns: numbers of shape {found.shape}, expected {shape}")


def unknown(known: Sequence[Batch], others: Sequence[Batch]) -> list[Batch]:
    """Returns those of the other batches that share no group with the known ones."""
    groups = set().union(*map(_groups_of, known))
    return [batch for batch in others if not _groups_of(batch) & groups]


def save(path: pathlib.Path, settings: Settings, batches: Sequence[Batch]) -> None:
    """Writes all batches; whenever the program is killed, the file is complete.

    Raises:
        OSError: if it cannot be written; says where the batches are kept instead.
    """
    record = {"study": _identity(settings), "batches": [batch._asdict() for batch in batches]}
    files.deliver({path: json.dumps(record) + "\n"})


def _identity(settings: Settings) -> dict[str, Any]:
    version = make_env().version
    return {"format": FORMAT, "game": f"tribes-v{version}", **settings._asdict()}
