"""All registered games keep the promises of `Rules` and `Env`; games that break one are caught."""

import dataclasses
import functools
import importlib.util

import jax
import jax.numpy as jnp
import pytest

import jaxgames
from jaxgames import testing
from jaxgames.env import Env
from jaxgames.testing import env as checks_of_env
from jaxgames.testing import rules as checks_of_rules
from tests.conformance import games

# Minutes, for their rules are large. Their own tests compare compiled, batched and plain steps.
LARGE = ("terra_mystica", "terra_mystica_alphatm", "tribes")
SLOW_GAMES = (*LARGE, "onitama_report")  # the last one is Onitama with another observation


def marked(env_id: str):
    return pytest.param(env_id, marks=pytest.mark.slow) if env_id in SLOW_GAMES else env_id


@pytest.mark.parametrize("env_id", [marked(env_id) for env_id in jaxgames.available()])
def test_registered_game_keeps_all_promises(env_id):
    testing.check_env(jaxgames.make(env_id))


@pytest.mark.parametrize("env_id", jaxgames.available())
def test_registered_game_has_notation_and_renderer(env_id):
    env = jaxgames.make(env_id)
    assert importlib.util.find_spec(env.notation) is not None
    assert importlib.util.find_spec(env.renderer) is not None


@pytest.mark.parametrize("env_id", jaxgames.available())
def test_no_array_of_a_registered_game_is_empty(env_id):
    """Else orbax, `flax.shard`, and every split into groups of an unknown size refuse the state."""
    env = jaxgames.make(env_id)
    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), 8))
    states = jax.eval_shape(lambda keys: jax.lax.map(env.init, keys, batch_size=4), keys)
    assert min(leaf.size for leaf in jax.tree.leaves(states)) > 0
    in_fours = functools.partial(jax.tree.map, lambda x: x.reshape(4, -1, *x.shape[1:]))
    grouped = jax.eval_shape(in_fours, states)
    assert {leaf.shape[:2] for leaf in jax.tree.leaves(grouped)} == {(4, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["basic", "delayed", "fire3", "fire8"])
def test_variant_of_murus_gallicus_keeps_all_promises(variant):
    testing.check_env(jaxgames.make("murus_gallicus", variant=variant), seed=1)


@pytest.mark.slow
def test_murus_gallicus_with_longer_openings_keeps_all_promises():
    testing.check_env(jaxgames.make("murus_gallicus", redistribute_start=True, pie_rule=True))


@pytest.mark.slow
def test_onitama_with_all_cards_keeps_all_promises():
    testing.check_env(jaxgames.make("onitama", deck="all"), seed=1)


def test_test_game_keeps_all_promises():
    testing.check_env(Env("nim", games.Nim()))


def keep_one_check(monkeypatch, module, check):
    """Leaves out all other checks of a module, whose programs would be compiled too."""
    checks = [name for name in vars(module) if name.startswith("check_")]
    for name in set(checks) - {check}:
        monkeypatch.setattr(module, name, lambda *arguments: None)


@pytest.mark.parametrize(("check", "broken", "promise"), games.BROKEN)
def test_broken_game_is_caught(check, broken, promise, monkeypatch):
    keep_one_check(monkeypatch, checks_of_rules, check)
    with pytest.raises(AssertionError, match=promise):
        testing.check_rules(broken())


@dataclasses.dataclass(frozen=True)
class BrokenEnv(Env):
    """An environment whose steps are changed by `change(before, after)`."""

    change: str = ""

    def step(self, state, action, key=None):
        after = super().step(state, action, key)
        over = state.terminated | state.truncated
        if self.change == "pays again":
            return after.replace(rewards=self.rules.returns(after.game))
        if self.change == "pays nothing":
            return after.replace(rewards=jnp.zeros(2))
        if self.change == "pays -0.0":
            return after.replace(rewards=jnp.where(after.rewards == 0, -0.0, after.rewards))
        if self.change == "counts on":
            return after.replace(step_count=state.step_count + 1)
        if self.change == "old observation":
            return after.replace(observation=state.observation)
        if self.change == "moves on":
            game = self.rules.step(state.game, jnp.clip(action, 0, self.num_actions - 1), key)
            return after.replace(
                game=jax.tree.map(lambda a, b: jnp.where(over, b, a), game, after.game)
            )
        if self.change == "empty mask":
            return after.replace(legal_action_mask=self.rules.legal_actions(after.game))
        if self.change == "never cuts off":
            return after.replace(truncated=jnp.bool_(False))
        raise ValueError(self.change)


@pytest.mark.parametrize(
    ("check", "change", "promise"),
    [
        ("check_rewards", "pays again", "paid once"),
        ("check_rewards", "pays nothing", "rewards are the outcome"),
        ("check_rewards", "pays -0.0", "no reward is -0.0"),
        ("check_rewards", "counts on", "a step counts until the end"),
        ("check_views", "old observation", "observation is what current_player observes"),
        ("check_illegal_actions", "moves on", "moves nothing"),
        ("check_views", "empty mask", "until the end, the mask holds the legal actions"),
        ("check_truncation", "never cuts off", "cut off at max_steps"),
    ],
)
def test_broken_environment_is_caught(check, change, promise, monkeypatch):
    keep_one_check(monkeypatch, checks_of_env, check)
    with pytest.raises(AssertionError, match=promise):
        testing.check_env(BrokenEnv("nim", games.Nim(), change=change))
