"""Games against an opponent that stays as it is: who moves when, and what is learned from it."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs.alphazero import AlphaZeroConfig, LearnerConfig, ReplayConfig, SelfPlayConfig
from jaxgames.env import Env
from jaxgames.networks import network_files
from jaxgames.networks.config import NetworkConfig
from jaxgames.search.agent import Decision
from jaxgames.search.evaluators.evaluator import Evaluation
from tests.nim import Nim
from tests.turn_nim import TurnNim
from train import against, selfplay
from train.against import Against, AgainstParams
from train.alphazero_learner import make_program

RULES = Nim()
LANES = 6
CONFIG = SelfPlayConfig(lanes=LANES, plies=20, temperature_plies=4, random_opening_share=0.0)
OWN, THEIRS = 0.25, 0.75  # values that the learner's search and its network say for seat 0


@dataclasses.dataclass(frozen=True)
class Counting:
    """Plays its last legal action and counts its moves; the policy prefers no action."""

    def reset(self, batch_size):
        return jnp.zeros(batch_size, jnp.int32)

    def act(self, params, memory, state, key):
        legal = jax.vmap(RULES.legal_actions)(state)
        action = jnp.where(legal, jnp.arange(RULES.num_actions), -1).argmax(axis=1)
        values = jnp.broadcast_to(jnp.array([OWN, -OWN]), (len(action), 2))
        policy = legal / jnp.maximum(legal.sum(axis=1, keepdims=True), 1)
        return Decision(action.astype(jnp.int32), policy, values), memory + 1


@dataclasses.dataclass(frozen=True)
class First(Counting):
    """Plays its first legal action with a fresh memory, and none with any other."""

    def act(self, params, memory, state, key):
        decision, after = super().act(params, memory, state, key)
        first = jax.vmap(RULES.legal_actions)(state).argmax(axis=1)
        return decision._replace(action=jnp.where(memory == 0, first, -1)), after


class Network:
    """Says that seat 0 is ahead."""

    def __call__(self, params, state, key):
        batch = len(state.seat)
        values = jnp.broadcast_to(jnp.array([THEIRS, -THEIRS]), (batch, 2))
        return Evaluation(jnp.zeros((batch, RULES.num_actions)), values)


@pytest.fixture(scope="module")
def played():
    """Returns the lanes and the record of games of `Counting` against `First`."""
    agent = Against(RULES, Counting(), Network(), First())
    lanes = selfplay.start_lanes(RULES, CONFIG, LANES, jax.random.key(0))
    lanes = lanes.replace(memory=agent.reset(LANES))
    play = jax.jit(functools.partial(selfplay.play, RULES, agent, CONFIG))
    return play(AgainstParams((), ()), lanes, jax.random.key(1))


def is_learners():
    """Returns `[T, B]`: whether a ply is the learner's."""
    return (np.arange(LANES) < LANES // 2) ^ (np.arange(CONFIG.plies)[:, None] % 2 == 1)


def test_the_two_move_in_turns_and_the_opponent_makes_its_own_moves(played):
    _, plies = played
    legal = np.asarray(jax.vmap(jax.vmap(RULES.legal_actions))(plies.game))
    first = legal.argmax(axis=-1)
    np.testing.assert_array_equal(np.asarray(plies.action)[~is_learners()], first[~is_learners()])
    # The learner prefers no action, so the first plies of games explore.
    assert (np.asarray(plies.action) != first)[is_learners()].mean() > 0.5


def test_the_network_learns_the_moves_of_the_opponent_and_its_own_values(played):
    _, plies = played
    shares = np.asarray(plies.policy).max(axis=-1)
    assert (shares[~is_learners()] == 1).all()
    several = np.asarray(jax.vmap(jax.vmap(RULES.legal_actions))(plies.game)).sum(axis=-1) > 1
    assert (shares[is_learners() & several] < 1).all()
    expected = np.where(is_learners(), OWN, THEIRS)
    np.testing.assert_array_equal(plies.search_values[..., 0], expected)


def test_the_memory_of_the_learner_waits_while_the_opponent_moves(played):
    lanes, _ = played
    np.testing.assert_array_equal(lanes.memory.learner, is_learners().sum(axis=0))
    np.testing.assert_array_equal(lanes.memory.is_learners, np.arange(LANES) < LANES // 2)


def test_the_score_is_that_of_the_learner_whichever_seat_it_has(played):
    _, plies = played
    found = against.total_score(RULES, plies, jnp.arange(LANES) < LANES // 2)
    ended = np.asarray(plies.ended)
    # In Nim the last stone wins: the learner wins where it makes the last move.
    assert 0 < found < ended.sum()
    assert found == (ended & is_learners()).sum()


SIZES = {"channels": 4, "blocks": 1, "policy_channels": 4, "value_channels": 2, "value_hidden": 8}
TINY = AlphaZeroConfig(
    game="onitama",
    network=NetworkConfig(**SIZES),
    selfplay=SelfPlayConfig(
        lanes=16, plies=16, simulations=4, temperature_plies=0, opponent="first_legal"
    ),
    replay=ReplayConfig(capacity=256),
    learner=LearnerConfig(batch_size=16, updates=2),
)


def test_a_run_starts_from_a_stored_network_and_reports_its_score(tmp_path):
    env = jaxgames.make("onitama")
    program = make_program(dataclasses.replace(TINY, start=None))
    params = jax.device_get(program.initial_state().params)
    path = tmp_path / "start.npz"
    network_files.save_network(path, params, network_files.describe(env, "", TINY.network, 3))
    learner = make_program(dataclasses.replace(TINY, start=str(path), seed=5)).learner
    learner.steps = program.learner.steps  # what is compiled
    state = learner.initial_state(jax.random.key(9))
    jax.tree.map(np.testing.assert_array_equal, state.params, params)
    score = games = 0.0
    for iteration in range(2):
        state, numbers = learner.iterate(state, iteration, jax.random.key(iteration))
        score += numbers["selfplay/score"] * numbers["selfplay/games"]
        games += numbers["selfplay/games"]
    assert games > 4 and score / games > 0.5  # who plays the first legal action is weak

    other = dataclasses.replace(
        TINY, start=str(path), network=NetworkConfig(**SIZES | {"blocks": 2})
    )
    with pytest.raises(ValueError, match=r"than asked for: add .*--network.blocks=1"):
        make_program(other)


@pytest.mark.parametrize(
    ("env", "lanes", "message"),
    [
        (
            jaxgames.make("onitama"),
            3,
            "must be even on each device where there is an opponent, got 3",
        ),
        (Env("turn_nim", TurnNim()), 4, "which turn_nim is not; train.afterstates has"),
    ],
)
def test_only_games_of_two_seats_in_turns_have_an_opponent(env, lanes, message):
    with pytest.raises(ValueError, match=message):
        against.check(env, lanes)


def test_an_opponent_goes_without_a_teacher():
    with pytest.raises(ValueError, match="opponent=first_legal goes without teacher"):
        dataclasses.replace(TINY, teacher="random")
