"""Random playouts: what they find, what they cost, which of their means counts."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Bool

import jaxgames
from jaxgames.players import registry
from jaxgames.search.planning import model, monte_carlo
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.monte_carlo import MonteCarlo
from tests import gamble, hidden_coin, ladder, turn_nim
from tests.jaxgames.search.planning import planners
from tests.jaxgames.search.planning.planners import decide
from tests.turn_nim import CHOOSING, NUM_HEAPS, TurnNimState

KEY = jax.random.key(0)
LAST_HEAPS = [((2, 0, 0), CHOOSING), ((0, 3, 0), CHOOSING), ((0, 0, 1), CHOOSING), ((3, 0, 0), 0)]


@pytest.mark.parametrize("choose", ["peak", pytest.param("mean", marks=pytest.mark.slow)])
def test_wins_in_one_action_of_two_plies(choose):
    # All stones are in one heap: whoever takes all of them wins. Other actions may lead to a win.
    state = turn_nim.batch(LAST_HEAPS, jnp.array([0, 1, 0, 1]))
    domain = planners.TwoPlies(planners.TwoStepNim(), planners.Indifferent())
    agent = MonteCarlo(domain, budget=90, depth=3, choose=choose)
    first, after, _ = planners.play_action(agent, state)
    np.testing.assert_array_equal(first[:3], [0, 1, 2])
    played = np.where(np.arange(4) < 3, after.heaps.sum(axis=1), state.heaps[:, 0] - 3)
    assert (played == 0).all() and first[3] == NUM_HEAPS + 2


def test_looks_at_one_action_of_two_plies_like_an_exhaustive_search():
    positions = turn_nim.all_positions()
    domain = planners.TwoPlies(planners.TwoStepNim(), planners.ExactNim())
    agent = MonteCarlo(domain, budget=200, depth=1, choose="mean")
    decision, memory = decide(agent, turn_nim.both_seats(positions))
    assert turn_nim.mistakes(positions * 2, decision.action) == []
    # The second ply is decided with the first.
    is_first = np.array([chosen == CHOOSING for _, chosen in positions * 2])
    np.testing.assert_array_equal(np.asarray(memory.rest[:, 0]) >= NUM_HEAPS, is_first)


@pytest.mark.parametrize(
    ("steps", "budget", "depth"), [pytest.param(1, 60, 20, marks=pytest.mark.slow), (2, 50, 7)]
)
def test_uses_its_budget_of_completed_actions_to_the_last(steps, budget, depth):
    make = ladder.Counting if steps == 1 else ladder.CountingTwoPlies
    agent = MonteCarlo(make(ladder.Ladder(steps), ladder.Lead()), budget, depth)
    assert planners.calls_of(agent, 3) == 3 * budget


def test_games_that_end_early_get_further_playouts():
    # After two actions the game is over: depth 20 is never reached.
    agent = MonteCarlo(ladder.Counting(ladder.Ladder(length=2), ladder.Lead()), 50, 20)
    assert planners.calls_of(agent, 2) == 2 * 50


def test_running_means_are_those_of_one_playout_after_the_other():
    rng = np.random.default_rng(0)
    lanes, playouts, slots = 5, 7, 3
    found = monte_carlo.Statistics(
        jnp.zeros((lanes, slots, 2)),
        jnp.zeros((lanes, slots), jnp.int32),
        jnp.full((lanes, slots), -jnp.inf),
    )
    seat = rng.integers(0, 2, lanes)
    sums, visits = np.zeros((lanes, slots)), np.zeros((lanes, slots))
    peaks = np.full((lanes, slots), -np.inf)
    for _ in range(3):
        slot = rng.integers(0, slots, (lanes, playouts))
        gains = rng.normal(size=(lanes, playouts, 2)).astype(np.float32)
        ran = rng.random((lanes, playouts)) < 0.8
        found = monte_carlo._note(found, *map(jnp.asarray, (slot, gains, ran, seat)))
        for b, r in np.ndindex(lanes, playouts):
            if ran[b, r]:
                sums[b, slot[b, r]] += gains[b, r, seat[b]]
                visits[b, slot[b, r]] += 1
                mean = sums[b, slot[b, r]] / visits[b, slot[b, r]]
                peaks[b, slot[b, r]] = max(peaks[b, slot[b, r]], mean)
    np.testing.assert_array_equal(found.visits, visits)
    np.testing.assert_allclose(peaks, found.peaks, rtol=1e-5, atol=1e-6)
    own = found.gains[np.arange(lanes), :, seat]
    np.testing.assert_allclose(own, sums, rtol=1e-5, atol=1e-6)


class EvenAndOdd(planners.TwoPlies):
    """Heaps of even number and of odd number are groups; nobody ends a turn here."""

    def action_groups(self, state: TurnNimState, *, passing: bool) -> Bool[Array, "groups actions"]:
        assert not passing
        legal = self.rules.legal_actions(state)
        heap = np.arange(self.rules.num_actions)
        is_even = jnp.asarray((heap >= NUM_HEAPS) | (heap % 2 == 0))
        is_odd = jnp.asarray((heap >= NUM_HEAPS) | (heap % 2 == 1))
        return jnp.stack([legal & is_even, legal & is_odd])


def test_one_group_is_drawn_for_each_decision_among_those_that_have_actions():
    lanes = 60
    state = turn_nim.batch([((1, 3, 0), CHOOSING)] * lanes + [((0, 3, 0), CHOOSING)] * lanes, 0)
    agent = MonteCarlo(EvenAndOdd(planners.TwoStepNim(), planners.ExactNim()), 60, 1, "mean")
    _, after, _ = planners.play_action(agent, state)
    left = [tuple(heaps) for heaps in np.asarray(after.heaps[:, :2]).tolist()]
    # Within the group of the second heap, to leave one stone each is best; the first heap has one.
    assert set(left[:lanes]) == {(0, 3), (1, 1)} and 15 < left[:lanes].count((1, 1)) < 45
    assert set(left[lanes:]) == {(0, 0)}


def test_same_key_same_decision_and_a_batch_is_its_games():
    agent = MonteCarlo(ladder.domain(2), budget=40, depth=5)
    state = ladder.starts(agent.domain.rules, 6)
    keys = [jax.random.key(n) for n in range(6)]
    several = [decide(agent, state, key) for key in keys]
    again = [decide(agent, state, key) for key in keys]
    jax.tree.map(np.testing.assert_array_equal, several, again)
    assert len({tuple(decision.action.tolist()) for decision, _ in several}) > 1
    one = jax.tree.map(lambda x: x[:1], state)
    alone = [decide(agent, one, key) for key in keys]
    first = jax.tree.map(lambda x: x[:1], several)
    jax.tree.map(np.testing.assert_array_equal, alone, first)


def test_games_that_need_no_search_take_no_playouts(monkeypatch):
    agent = MonteCarlo(ladder.domain(), budget=40, depth=5)  # 8 playouts a game
    widths = set()
    step = model.step

    def seen(domain, games, plies, keys):
        widths.add(len(plies))
        return step(domain, games, plies, keys)

    monkeypatch.setattr(model, "step", seen)
    needs_plan = jnp.arange(40) % 8 == 3
    starts = ladder.starts(agent.domain.rules, 40)
    plan = jax.jit(agent.search)((), (), starts, needs_plan, KEY)
    assert widths == {256}  # playouts of 32 games at once
    np.testing.assert_array_equal(plan.calls, jnp.where(needs_plan, 40, 0))


def test_finished_games_among_others_change_nothing():
    agent = MonteCarlo(ladder.domain(), budget=40, depth=5)
    state = ladder.starts(agent.domain.rules, 4)
    over = state.replace(played=jnp.array([0, 60, 0, 60]))
    for some, all_ in zip(decide(agent, over)[0], decide(agent, state)[0], strict=True):
        np.testing.assert_array_equal(some[::2], all_[::2])


@pytest.mark.parametrize("together", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_fewer_playouts_at_once_spend_the_same_budget(together):
    rules = gamble.Gamble()
    state = gamble.start(jnp.full((4,), 2, jnp.int8), jnp.array([-0.5, -0.3, 0.3, 0.5]))
    agent = MonteCarlo(PlannerDomain(rules, planners.Indifferent()), 1200, 2, "mean", together)
    plan = planners.search(agent, (), state, jnp.ones((4,), bool), KEY)
    all_ = dataclasses.replace(agent, together=None)
    expected = planners.search(all_, (), state, jnp.ones((4,), bool), KEY)
    np.testing.assert_array_equal(plan.calls, expected.calls)
    np.testing.assert_array_equal(plan.plies, expected.plies)
    np.testing.assert_allclose(plan.values, expected.values, atol=0.2)


@pytest.mark.parametrize("heads", [1, 4, 7])
def test_what_is_hidden_is_guessed_anew_in_each_playout(heads):
    rules = hidden_coin.HiddenCoin()
    agent = MonteCarlo(PlannerDomain(rules, planners.Indifferent()), 1200, 2, "mean")
    coins = jnp.array([hidden_coin.HEADS, hidden_coin.TAILS] * 3, jnp.int8)
    decision, _ = decide(agent, hidden_coin.start(jnp.full((6,), heads, jnp.int8), coins))
    worth = hidden_coin.worth(heads)
    assert set(decision.action.tolist()) == {max(worth, key=worth.get)}


def test_new_chance_is_drawn_in_each_playout():
    rules = gamble.Gamble()
    state = gamble.start(jnp.full((4,), 2, jnp.int8), jnp.array([-0.5, -0.3, 0.3, 0.5]))
    agent = MonteCarlo(PlannerDomain(rules, planners.Indifferent()), 1200, 2, "mean")
    # Half of the gambles lose 1, the others win 0.8 on average, with the other seat at random.
    decision, _ = decide(agent, state)
    wanted = [gamble.GAMBLE, gamble.GAMBLE, gamble.SAFE, gamble.SAFE]
    np.testing.assert_array_equal(decision.action, wanted)
    np.testing.assert_allclose(decision.values[:2, 0], -0.1, atol=0.12)


class Passing(PlannerDomain):
    """Playouts end a turn where they must, or where they are told to and have an even score."""

    ends_turns = True

    def action_groups(self, state, *, passing):
        return (jnp.arange(6) < ladder.END)[None]

    def playout_action(self, state, word):
        return (word % ladder.END).astype(jnp.int32)[None]

    def turn_end(self, state):
        return jnp.where(state.points.sum() % 2 == 0, ladder.END, -1)[None]

    def evaluate(self, state):
        jax.debug.callback(
            lambda *now: ENDS.append(tuple(map(int, now))), state.played, state.turns
        )
        return super().evaluate(state)


ENDS: list[tuple[int, int]] = []


@dataclasses.dataclass(frozen=True)
class Even(ladder.Ladder):
    """Points are even or not as the game began: ONE brings two."""

    def step(self, state, action, key=None):
        return super().step(state, jnp.where(action == ladder.ONE, ladder.TWO, action), key)


@pytest.mark.parametrize(
    ("odd", "turn", "turns"),
    [(0, None, 0), (0, 1, 6), (0, 2, 4), (1, 1, 0)],
)
def test_playouts_end_turns_after_so_many_actions_if_they_can(odd, turn, turns):
    rules = Even(length=100)
    agent = MonteCarlo(Passing(rules, ladder.Lead()), 120, 12, turn=turn)
    states = ladder.starts(rules, 2)
    states = states.replace(points=states.points.at[:, 0].add(odd), left=states.left + 100)
    ENDS.clear()
    decide(agent, states)
    jax.effects_barrier()
    assert {count for played, count in ENDS if played == 12} == {turns}


def test_spec_has_the_numbers_of_the_paper():
    agent = registry.make("mc", jaxgames.make("onitama")).agent
    assert (agent.budget, agent.depth, agent.choose, agent.lanes(1)) == (2000, 20, "peak", 100)
    # Enough playouts to keep a processor busy; then an eighth of the games at once.
    assert [agent.lanes(games) for games in (2, 24, 40)] == [200, 300, 500]
    agent = registry.make("mc:budget=50,depth=7,choose=mean", jaxgames.make("onitama")).agent
    assert (agent.budget, agent.depth, agent.choose, agent.lanes(1)) == (50, 7, "mean", 8)
