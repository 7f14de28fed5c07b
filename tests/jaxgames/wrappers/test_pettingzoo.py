import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from jaxgames.wrappers import pettingzoo
from tests.jaxgames.wrappers.games import EVERY_GAME

SEATS = [pytest.param("terra_mystica", seats, marks=pytest.mark.slow) for seats in (3, 5)] + [
    pytest.param("tribes", 3, marks=pytest.mark.slow)
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("env_id", EVERY_GAME)
def test_environment_passes_the_tests_of_pettingzoo(env_id, capsys):
    api_test(pettingzoo.make(env_id), num_cycles=60)
    seed_test(lambda: pettingzoo.make(env_id), num_cycles=20)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("env_id", "seats"), SEATS)
def test_environment_of_more_seats_passes_the_tests_of_pettingzoo(env_id, seats):
    env = pettingzoo.make(env_id, num_players=seats)
    assert env.possible_agents == [f"seat_{seat}" for seat in range(seats)]
    api_test(env, num_cycles=60)


def test_pictures_pass_the_test_of_pettingzoo():
    render_test(
        lambda render_mode=None: pettingzoo.make("onitama", render_mode=render_mode),
        {"svg": lambda picture: "<svg" in picture.as_svg()},
    )


def play(env, seed=0):
    """Plays a random game; returns what each agent got and the agents in the order of turns."""
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    total, turns = dict.fromkeys(env.possible_agents, 0.0), []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        mask = observation["action_mask"]
        over = terminated or truncated
        assert mask.any() != over
        assert not any(
            env.observe(other)["action_mask"].any() for other in env.agents if other != agent
        )
        turns.append(agent)
        env.step(None if over else int(generator.choice(np.flatnonzero(mask))))
    return total, turns


def test_game_pays_each_agent_once():
    env = pettingzoo.make("onitama")
    for seed in range(3):
        total, turns = play(env, seed)
        assert sorted(total.values()) == [-1.0, 1.0]
        assert turns[0] != turns[1] and turns[:2] == turns[2:4]
        assert env.agents == []


def test_illegal_action_costs_its_agent():
    env = pettingzoo.make("onitama")
    env.reset(seed=0)
    agent = env.agent_selection
    env.step(int(env.observe(agent)["action_mask"].argmin()))
    assert env.terminations == {"seat_0": True, "seat_1": True}
    assert env.rewards == {seat: -1.0 if seat == agent else 1.0 for seat in env.agents}


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="render mode 'rgb_array'; available: human, ansi, svg"):
        pettingzoo.make("onitama", render_mode="rgb_array")
    with pytest.raises(ValueError, match="call reset first"):
        pettingzoo.make("onitama").observe("seat_0")
    env = pettingzoo.make("onitama")
    with pytest.raises(ValueError, match="call reset first"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="step takes an integer action"):
        env.step(1.5)
    for call in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(ValueError, match=r"one of \['seat_0', 'seat_1'\], got 'seat_7'"):
            call("seat_7")
