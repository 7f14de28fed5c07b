"""The planners of Tribes against decisions of the reference's, which the golden games hold.

Their choices are partly chance, so what is compared is how good and of what kinds they are.
"""

import collections
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float, Int32, PRNGKeyArray

import jaxgames
from benchmarks import host_batches
from benchmarks.golden.core.records import read_records
from benchmarks.golden.tribes.actions import GLOBAL
from benchmarks.golden.tribes.games import FIELDS, games_of
from benchmarks.golden.tribes.recorded_game import RecordedGame, read_game
from jaxgames.batching import trees
from jaxgames.players import registry
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.tribes.engine.actions import (
    END_TURN,
    FIRST_ATTACK,
    FIRST_LEVEL_UP,
    FIRST_SPAWN,
    FIRST_TILE_SUB_ACTION,
    FIRST_UNIT_SUB_ACTION,
)
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.sub_actions import TileSubAction
from tests.golden_reports import shared_directory

pytestmark = pytest.mark.slow
LANES = 96
TILES = 121
KINDS = ("move", "attack", "road", "spawn", "research", "end", "other")


class Recorded(NamedTuple):
    """Positions in which a player of the reference decided, and what it chose."""

    states: TribesState
    plies: Int32[np.ndarray, "B 2"]


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("tribes")


def recorded_games_of(file: str) -> list[RecordedGame]:
    """Returns the games of a file."""
    path = shared_directory("tribes") / f"{file}.jsonl.gz"
    games = games_of(read_records(path, FIELDS))
    return [read_game(game["lines"]) for game in games]


@pytest.fixture(scope="module")
def recorded_games():
    return recorded_games_of("games_search")


def decisions(recorded_games: list[RecordedGame], name: str, number: int = 2 * LANES) -> Recorded:
    """Returns decisions of a player, evenly spread over all of them."""
    found = [
        (host_batches.take(recorded_game.states, row), recorded_game.choices[row])
        for recorded_game in recorded_games
        for row in range(len(recorded_game.decisions))
        if recorded_game.head["agents"][int(recorded_game.states.active[row])] == name
    ]
    chosen = [found[i] for i in np.linspace(0, len(found) - 1, number).astype(int)]
    plies = [
        (TILES + sub_action, NO_PLY) if tile == GLOBAL else (tile, sub_action)
        for _, (tile, sub_action) in chosen
    ]
    return Recorded(trees.stack([state for state, _ in chosen]), np.array(plies, np.int32))


def decider(env, spec: str) -> Callable[[TribesState, PRNGKeyArray], Int32[np.ndarray, "B 2"]]:
    """Returns a program that gives the plies of the actions that a planner of ours chooses."""
    agent = registry.make(spec, env).agent

    @jax.jit
    def decide(states: TribesState, key: PRNGKeyArray) -> Int32[Array, "B 2"]:
        decision, memory = agent.act((), agent.reset(len(states.phase)), states, key)
        return jnp.stack([decision.action, memory.rest[:, 0]], axis=1)

    return lambda states, key: np.asarray(decide(states, key))


def gains(domain: PlannerDomain, states: TribesState, plies: Array) -> Float[Array, "B"]:
    """Returns what the tribes to move gain by their actions, as they know the game."""
    seats, keys = (
        jax.vmap(domain.rules.to_move)(states),
        jax.random.split(jax.random.key(0), len(plies)),
    )
    known = jax.vmap(domain.rules.determinize)(states, seats, keys)
    after, _ = jax.vmap(domain.play)(known, plies, keys)
    gained = jax.vmap(domain.evaluate)(after) - jax.vmap(domain.evaluate)(known)
    return jnp.take_along_axis(gained, seats[:, None], axis=1)[:, 0]


def kinds(plies: Int32[np.ndarray, "B 2"]) -> collections.Counter:
    """Returns how often each kind of action was chosen."""
    return collections.Counter(_kind(int(first), int(second)) for first, second in plies)


def _kind(first: int, second: int) -> str:
    if second == NO_PLY:
        number = first - TILES
        return "end" if number == END_TURN else "research" if number < FIRST_LEVEL_UP else "other"
    if second >= FIRST_SPAWN:
        return "spawn"
    if second < FIRST_UNIT_SUB_ACTION:
        return "move" if second < FIRST_ATTACK else "attack"
    is_road = second == FIRST_TILE_SUB_ACTION + TileSubAction.BUILD_ROAD
    return "road" if is_road else "other"


def test_one_step_look_ahead_judges_as_the_reference_does(env, recorded_games):
    recorded = decisions(recorded_games, "OSLA")
    ours = decider(env, "osla:budget=2000")(recorded.states, jax.random.key(0))
    value = jax.jit(lambda states, plies: gains(planner_domain_of(env), states, plies))
    best, theirs = value(recorded.states, ours), value(recorded.states, recorded.plies)
    # What ruins hold is chance, and a road may bring what the reference's model leaves out.
    assert (np.abs(best - theirs) < 1e-3).mean() > 0.97


@pytest.mark.parametrize(
    ("name", "spec", "least_moves"),
    [("MC", "mc", 1 / 2), ("MCTS", "planning_mcts", 1 / 3), ("RHEA", "rhea", 1 / 3)],
)
def test_chooses_kinds_of_actions_as_often_as_the_reference(
    env, recorded_games, name, spec, least_moves
):
    recorded = decisions(recorded_games, name)
    decide = decider(env, f"{spec}:budget=500")
    draws = [decide(recorded.states, jax.random.key(seed)) for seed in range(3)]
    ours, theirs = kinds(np.concatenate(draws)), kinds(recorded.plies)
    number = len(recorded.plies)
    check_kinds(ours, theirs)
    assert theirs["move"] > number * least_moves


def check_kinds(ours: collections.Counter, theirs: collections.Counter) -> None:
    """Asserts that no kind of action is chosen more or less often by three standard errors."""
    all_ours, all_theirs = ours.total(), theirs.total()
    for kind in KINDS:
        share, expected = ours[kind] / all_ours, theirs[kind] / all_theirs
        middle = (share + expected) / 2
        error = np.sqrt(middle * (1 - middle) * (1 / all_theirs + 1 / all_ours))
        assert abs(share - expected) <= 3 * error, kind


def test_one_step_look_ahead_chooses_among_equals_as_the_reference_does(env):
    recorded = decisions(recorded_games_of("games_paper_levels"), "OSLA", number=40 * LANES)
    decide = decider(env, "osla:budget=2000")
    ours = collections.Counter()
    for seed in range(3):
        key = jax.random.key(seed)
        for part in host_batches.slices(40 * LANES, LANES):
            states = host_batches.take(recorded.states, part)
            ours += kinds(decide(states, jax.random.fold_in(key, part.start)))
    check_kinds(ours, kinds(recorded.plies))


def test_recorded_random_players_choose_all_actions_alike(env):
    recorded_games = [
        one for one in recorded_games_of("games_mixed") if one.head["agents"] == ["RND", "RND"]
    ]
    recorded = decisions(recorded_games, "RND", number=20 * LANES)
    pairs = jax.jit(jax.vmap(env.rules.legal_pairs))
    expected, variance = np.zeros((2, len(KINDS)))
    for part in host_batches.slices(20 * LANES, LANES):
        on_tiles, of_tribe = map(np.asarray, pairs(host_batches.take(recorded.states, part)))
        for sub_actions, global_ in zip(on_tiles, of_tribe, strict=True):
            legal = [
                *np.argwhere(sub_actions),
                *((TILES + n, NO_PLY) for n in np.flatnonzero(global_)),
            ]
            share = np.array([kinds(legal)[kind] for kind in KINDS]) / len(legal)
            expected += share
            variance += share * (1 - share)
    chosen = kinds(recorded.plies)
    seen = np.array([chosen[kind] for kind in KINDS])
    assert seen.sum() == 20 * LANES
    assert (np.abs(seen - expected) <= 3 * np.sqrt(variance)).all()
