import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import jaxgames
import jaxgames.wrappers.gymnasium as wrapper
from tests.jaxgames.wrappers.games import EVERY_GAME_SLOWLY

BATCH = 32


def random_legal(masks, generator):
    """Returns a random legal action for each row of masks."""
    return (generator.random(masks.shape) * masks).argmax(-1)


@pytest.mark.filterwarnings("ignore:.*WARN.*:UserWarning")
def test_environment_passes_the_checks_of_gymnasium():
    env = gymnasium.make("jaxgames/onitama-v0", planes="board", disable_env_checker=True)
    check_env(env.unwrapped)


def test_loop_of_maskable_algorithms_plays_a_game():
    env = gymnasium.make("jaxgames/onitama-v0", planes="board", seat=1)
    generator = np.random.default_rng(0)
    observation, info = env.reset(seed=3)
    total, over = 0.0, False
    while not over:
        masks = env.get_wrapper_attr("action_masks")()  # as sb3_contrib's get_action_masks does
        assert masks.dtype == bool and masks.any()
        np.testing.assert_array_equal(info["action_mask"], masks)
        observation, reward, terminated, truncated, info = env.step(random_legal(masks, generator))
        assert observation in env.observation_space
        total, over = total + reward, terminated or truncated
    assert total in (-1.0, 1.0)


def test_illegal_action_ends_the_game():
    env = wrapper.make("onitama", planes="board")
    env.reset(seed=0)
    illegal = int(env.action_masks().argmin())
    assert env.step(illegal)[1:4] == (-1.0, True, False)


@pytest.mark.parametrize(("mode", "begin"), [("ansi", ""), ("svg", "<svg"), (None, "None")])
def test_render_modes(mode, begin):
    env = wrapper.make("onitama", planes="board", render_mode=mode)
    env.reset(seed=0)
    picture = env.render()
    text = picture.as_svg() if hasattr(picture, "as_svg") else str(picture)
    assert text.startswith(begin)
    if mode == "ansi":
        env.game.env.text_to_state(text)


def test_human_mode_prints_the_position(capsys):
    env = wrapper.make("onitama", planes="board", render_mode="human")
    env.reset(seed=0)
    env.game.env.text_to_state(capsys.readouterr().out.strip())
    env.step(env.action_masks().argmax())
    shown = capsys.readouterr().out
    assert env.render() is None
    assert capsys.readouterr().out == shown != ""


@pytest.fixture(scope="module")
def record():
    envs = gymnasium.make_vec("jaxgames/onitama-v0", num_envs=BATCH, planes="board")
    generator = np.random.default_rng(0)
    observation, _ = envs.reset(seed=7)
    steps = []
    for _ in range(50):
        masks = envs.action_masks()
        after = envs.step(random_legal(masks, generator))
        steps.append((observation, masks, *after))
        observation = after[0]
    return envs, steps


def test_vector_environment_declares_how_games_restart(record):
    envs, steps = record
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert envs.num_envs == BATCH and envs.single_action_space.n == 202
    observation = steps[0][0]
    assert observation in envs.observation_space and observation.dtype == np.float32


def test_vector_environment_restarts_games_in_the_same_step(record):
    _, steps = record
    ends = 0
    for _, _, observation, rewards, terminated, truncated, infos in steps:
        done = terminated | truncated
        assert (rewards[~done] == 0).all()
        assert ("final_obs" in infos) == done.any()
        ends += done.sum()
        if done.any():
            np.testing.assert_array_equal(infos["_final_obs"], done)
            last = infos["final_obs"]
            np.testing.assert_array_equal(last[~done], observation[~done])
            assert (last[done] != observation[done]).any((1, 2, 3)).all()
    assert ends > BATCH


@pytest.mark.slow
def test_vector_environment_repeats_a_seed():
    first, second = (wrapper.make_vec("onitama", num_envs=4, planes="board") for _ in range(2))
    for envs in (first, second):
        envs.reset(seed=5)
    np.testing.assert_array_equal(first.action_masks(), second.action_masks())
    actions = first.action_masks().argmax(-1)
    outcomes = [envs.step(actions)[0] for envs in (first, second)]
    np.testing.assert_array_equal(*outcomes)
    assert (first.reset(seed=6)[0] != outcomes[0]).any()


def begun(make, **options):
    env = make("onitama", planes="board", **options)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wrapper.make("onitama", render_mode="rgb"), "render mode 'rgb'"),
        (lambda: wrapper.make("onitama", render_mode=["svg"]), "a text or None, got"),
        (lambda: wrapper.make_vec("onitama", num_envs=0), "at least 1, got 0"),
        (lambda: wrapper.make("onitama").step(0), "call reset first"),
        (lambda: wrapper.make_vec("onitama").step([0]), "call reset first"),
        (lambda: wrapper.make_vec("onitama").action_masks(), "call reset first"),
        (lambda: begun(wrapper.make).step(1.5), "step takes an integer action"),
        (lambda: begun(wrapper.make).step(True), "step takes an integer action"),
        (lambda: begun(wrapper.make).step(None), "step takes an integer action"),
        (lambda: begun(wrapper.make_vec, num_envs=2).step([1.5] * 2), "integer actions, got dtype"),
        (lambda: begun(wrapper.make_vec, num_envs=2).step([True] * 2), "takes integer actions"),
        (lambda: begun(wrapper.make_vec, num_envs=2).step([None, 1]), "takes integer actions"),
        (lambda: begun(wrapper.make_vec).step([0, 1, 2]), r"expected 1 actions, got shape \(3,\)"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_actions_beyond_32_bits_are_illegal_and_rewards_can_be_changed():
    envs = begun(wrapper.make_vec, num_envs=2)
    rewards, terminated = envs.step(np.array([2**32, -(2**32)]))[1:3]
    assert terminated.all() and rewards.tolist() == [-1, -1]
    rewards *= 2


def test_every_game_is_registered():
    for env_id in jaxgames.available():
        assert f"jaxgames/{env_id}-v0" in gymnasium.registry


@pytest.mark.filterwarnings("ignore:.*WARN.*:UserWarning")
@pytest.mark.parametrize("env_id", EVERY_GAME_SLOWLY)
def test_every_game_passes_the_checks_of_gymnasium(env_id):
    check_env(gymnasium.make(f"jaxgames/{env_id}-v0", disable_env_checker=True).unwrapped)


@pytest.mark.parametrize("env_id", EVERY_GAME_SLOWLY)
def test_every_game_runs_as_a_vector_environment(env_id):
    envs = gymnasium.make_vec(f"jaxgames/{env_id}-v0", num_envs=4)
    generator = np.random.default_rng(0)
    observation, _ = envs.reset(seed=0)
    for _ in range(12):
        assert observation in envs.observation_space
        actions = random_legal(envs.action_masks(), generator)
        observation, rewards, terminated, truncated, _ = envs.step(actions)
        assert (rewards[~(terminated | truncated)] == 0).all()
    assert all(isinstance(leaf, np.ndarray) for leaf in jax.tree.leaves(observation))
