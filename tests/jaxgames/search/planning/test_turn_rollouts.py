"""Rollouts to the ends of turns: exact where only ends of turns are judged well."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.turn_rollouts import TurnRollouts
from tests import gamble, turn_nim
from tests.jaxgames.search.planning.planners import (
    KEY,
    ExactNim,
    Indifferent,
    TwoPlies,
    TwoStepNim,
    decide,
    play_action,
    search,
)
from tests.turn_nim import CHOOSING, TurnNim

POSITIONS = turn_nim.all_positions()


class Turns(PlannerDomain):
    """Both plies of a turn are actions; the turn ends with the second."""

    ends_turns: ClassVar[bool] = True


@dataclasses.dataclass(frozen=True)
class BlindInTurns:
    """Knows the true value where a turn ends, and the opposite in the middle of a turn."""

    scale: float = 1.0

    def __call__(self, params: Any, state: Any, seat: Any) -> Any:
        del params, seat
        exact = jax.vmap(PlannerDomain(TurnNim(), ExactNim()).evaluate)(state)
        return self.scale * jnp.where((state.chosen == CHOOSING)[:, None], exact, -exact)

    def as_returns(self, values: Any) -> Any:
        return values / self.scale


@dataclasses.dataclass(frozen=True)
class OneStone:
    """Likes many stones left, so each turn takes one."""

    def __call__(self, params: Any, state: Any, seat: Any) -> Any:
        stones = state.heaps.sum(axis=1).astype(jnp.float32)
        own = jnp.arange(2) == seat[:, None]
        return jnp.where(own, stones[:, None], -stones[:, None]) / 10

    def as_returns(self, values: Any) -> Any:
        return values


NIM = Turns(TurnNim(), Indifferent())
make = functools.partial(TurnRollouts, NIM, 3, BlindInTurns())


@pytest.mark.parametrize("seat", [0, 1])
def test_values_at_ends_of_turns_decide(seat):
    states = turn_nim.batch(POSITIONS, seat)
    decision, _ = decide(make(), states)
    assert turn_nim.mistakes(POSITIONS, decision.action) == []
    best = [turn_nim.best_outcome(position) for position in POSITIONS]
    # One legal action is not played on: its value is that after one step.
    several = np.asarray(jax.vmap(TurnNim().legal_actions)(states)).sum(axis=1) > 1
    np.testing.assert_array_equal(decision.values[several, seat], np.array(best)[several])
    one_step = OneStep(NIM, value=BlindInTurns())
    blind, _ = decide(one_step, states)
    assert turn_nim.mistakes(POSITIONS, blind.action)


def test_few_candidates_are_those_of_the_highest_values():
    only_one, _ = decide(make(candidates=1), turn_nim.batch(POSITIONS, 0))
    one_step, _ = decide(OneStep(NIM, value=BlindInTurns()), turn_nim.batch(POSITIONS, 0))
    best = [turn_nim.outcomes(p) for p in POSITIONS]
    judged = [
        {a: worth * (-1 if p[1] == CHOOSING else 1) for a, worth in table.items()}
        for p, table in zip(POSITIONS, best, strict=True)
    ]
    for decision in (only_one, one_step):
        for table, action in zip(judged, decision.action, strict=True):
            assert table[int(action)] == max(table.values())


def test_forced_and_unasked_games_are_not_played_on():
    states = turn_nim.batch(POSITIONS, 0)
    asked = jnp.arange(len(POSITIONS)) % 2 == 0
    plan = search(make(samples=3), (), states, asked, KEY)
    count = np.asarray(jax.vmap(TurnNim().legal_actions)(states)).sum(axis=1)
    choosing = np.array([chosen == CHOOSING for _, chosen in POSITIONS])
    over = [sum(n > 0 for n in heaps) == 0 for heaps, _ in POSITIONS]
    assert not any(over)
    rollouts = np.where(count > 1, 3 * count * np.where(choosing, 2, 1), 0)
    expected = np.where(asked, count + rollouts, 0)
    np.testing.assert_array_equal(plan.calls, expected)
    assert (np.asarray(plan.plies)[~asked] == -1).all()


@pytest.mark.parametrize(("turns", "depth", "expected"), [(1, 32, 2), (2, 32, 6), (2, 3, 3)])
def test_rollouts_take_their_turns(turns, depth, expected):
    start = turn_nim.batch([((3, 3, 2), CHOOSING)], 0)
    domain = Turns(TurnNim(), Indifferent())
    agent = TurnRollouts(domain, 3, OneStone(), samples=1, turns=turns, depth=depth)
    plan = search(agent, (), start, jnp.ones((1,), bool), KEY)
    assert int(plan.calls[0]) == 3 + 3 * expected  # three actions judged, each played on


@pytest.mark.parametrize("seat", [0, 1])
def test_actions_of_two_plies(seat):
    domain = TwoPlies(TwoStepNim(), Indifferent())
    agent = TurnRollouts(domain, 64, BlindInTurns(), candidates=8, samples=1)
    choosing = [p for p in POSITIONS if p[1] == CHOOSING]
    states = turn_nim.batch(choosing, seat)
    _, reached, _ = play_action(agent, states)
    values = np.asarray(BlindInTurns()((), reached, None))[:, seat]
    np.testing.assert_array_equal(values, [turn_nim.best_outcome(p) for p in choosing])


@dataclasses.dataclass(frozen=True)
class WorthOfStage:
    """What a gamble is worth once its chance is known, if seat 1 chooses well."""

    def __call__(self, params: Any, state: Any, seat: Any) -> Any:
        least = [
            min([gamble.PAYS[a] for a in gamble.CHOICES.get(s, ())] or [0.0]) for s in range(5)
        ]
        worth = jnp.where(
            jax.vmap(gamble.Gamble().is_over)(state),
            jax.vmap(gamble.Gamble().returns)(state)[:, 0],
            jnp.asarray(least)[state.stage],
        )
        return jnp.stack([worth, -worth], axis=1)

    def as_returns(self, values: Any) -> Any:
        return values


def test_chance_is_averaged_over_samples():
    wins = np.arange(gamble.ODDS + 1)
    worth = gamble.worth_of_gamble(wins)
    for better in (-0.2, 0.2):  # what is safe is worse, or better
        states = gamble.start(jnp.asarray(wins), jnp.asarray(worth + better))
        agent = TurnRollouts(
            PlannerDomain(gamble.Gamble(), Indifferent()), 2, WorthOfStage(), samples=1000
        )
        decision, _ = decide(agent, states)
        assert (decision.action == (gamble.SAFE if better > 0 else gamble.GAMBLE)).all()
        np.testing.assert_allclose(decision.values[:, 0], worth + max(better, 0), atol=0.1)


@pytest.mark.parametrize(
    "setting", ["candidates", "samples", "turns", "depth", "width", "max_actions"]
)
def test_settings_below_one_are_refused(setting):
    with pytest.raises(ValueError, match=f"{setting} must be at least 1"):
        dataclasses.replace(make(), **{setting: 0})


def test_negative_noise_is_refused():
    with pytest.raises(ValueError, match="noise must be at least 0"):
        make(noise=-0.5)
