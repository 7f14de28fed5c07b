"""One gradient step: targets, losses, target networks, and the validity network that freezes."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.positions import random_positions
from jaxgames.players.registry import make_env
from papers.onitama_report.ddpg import learner
from papers.onitama_report.ddpg.actor import VALIDITY_NET, make_actor, masked_policy
from papers.onitama_report.ddpg.critic import make_critic
from papers.onitama_report.ddpg.games import Transition
from papers.onitama_report.tests.ddpg.small import CONFIG

ENV = make_env(CONFIG.game, CONFIG.env_options)
ACTOR, CRITIC = make_actor(ENV, "dual", CONFIG.network), make_critic(ENV, CONFIG.network)
SETTINGS = dataclasses.replace(
    CONFIG.learner, tau=0.25, actor_learning_rate=0.01, critic_learning_rate=0.02, discount=0.9
)
BATCH = 32


@functools.cache
def fresh():
    return learner.init(ACTOR, CRITIC, SETTINGS, jax.random.key(0))


@functools.cache
def transitions():
    games = random_positions(ENV.rules, BATCH, 3, 10)
    actions = jax.vmap(ENV.rules.legal_actions)(games).argmax(axis=1)
    moved = jax.vmap(lambda g, a: ENV.rules.step(g, a))(games, actions)
    ended = jnp.arange(BATCH) % 4 == 0
    reward = jnp.where(ended, jnp.where(jnp.arange(BATCH) % 8 == 0, 1, -1), 0).astype(jnp.int8)
    return Transition(games, actions.astype(jnp.int16), reward, moved, ended)


@functools.cache
def batch():
    return learner.make_batch(ENV.rules, transitions())


@functools.cache
def step():
    return jax.jit(functools.partial(learner.update, ACTOR, CRITIC, SETTINGS))


def equal(first, second):
    return jax.tree.all(jax.tree.map(jnp.array_equal, first, second))


def test_batch_shows_both_positions_to_their_mover_and_the_move_as_one_hot():
    rules = ENV.rules
    for i in (0, 5):
        before, action, _, after, _ = jax.tree.map(lambda x, i=i: x[i], transitions())
        for game, obs, mask in (
            (before, batch().obs, batch().mask),
            (after, batch().next_obs, batch().next_mask),
        ):
            for found, wanted in zip(obs, rules.observe(game, rules.to_move(game)), strict=True):
                np.testing.assert_array_equal(found[i], wanted)
            np.testing.assert_array_equal(mask[i], rules.legal_actions(game))
        assert batch().action[i].sum() == batch().action[i, action] == 1


def test_target_is_the_reward_or_what_the_slow_copies_expect():
    before = fresh().replace(
        actor=jax.tree.map(jnp.zeros_like, fresh().actor),
        critic=jax.tree.map(jnp.zeros_like, fresh().critic),
    )
    target = learner.critic_target(ACTOR, CRITIC, SETTINGS, before, batch())
    policy = ACTOR.apply(before.target_actor, *batch().next_obs).policy * batch().next_mask
    policy = policy / policy.sum(axis=1, keepdims=True)
    later = CRITIC.apply(before.target_critic, *batch().next_obs, policy)
    wanted = np.where(batch().has_ended, batch().reward, 0.9 * later)
    np.testing.assert_allclose(target, wanted, rtol=1e-5)
    assert (np.asarray(later)[~batch().has_ended] != 0).any()


def test_fresh_copies_equal_their_originals_and_follow_by_a_share():
    before = fresh()
    assert equal(before.actor, before.target_actor)
    assert equal(before.critic, before.target_critic)
    after, _ = step()(before, batch(), jnp.bool_(False))
    for old, new, slow in (
        (before.actor, after.actor, after.target_actor),
        (before.critic, after.critic, after.target_critic),
    ):
        assert not equal(old, new)
        jax.tree.map(
            lambda o, n, s: np.testing.assert_allclose(
                s, 0.75 * o + 0.25 * n, rtol=1e-4, atol=1e-6
            ),
            old,
            new,
            slow,
        )


def test_first_step_of_each_network_is_as_long_as_its_learning_rate():
    before = fresh()
    after, _ = step()(before, batch(), jnp.bool_(False))
    for old, new, layer, rate in (
        (before.actor, after.actor, "actions", SETTINGS.actor_learning_rate),
        (before.critic, after.critic, "value", SETTINGS.critic_learning_rate),
    ):
        # Adam divides its first gradient by its size.
        length = jnp.abs(new[layer]["kernel"] - old[layer]["kernel"]).max()
        np.testing.assert_allclose(length, rate, rtol=0.01)


def test_actor_is_judged_by_the_critic_after_its_step_and_by_running_averages():
    after, metrics = step()(fresh(), batch(), jnp.bool_(False))
    policy = masked_policy(ACTOR.train(fresh().actor, *batch().obs)[0].policy, batch().mask)

    def judged(critic):
        return CRITIC.apply(critic, *batch().obs, policy).mean()

    found = SETTINGS.validity_weight * metrics["validity_loss"] - metrics["actor_loss"]
    wanted = judged(after.critic)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    by_the_batch = CRITIC.train(after.critic, *batch().obs, policy)[0].mean()
    assert abs(judged(fresh().critic) - wanted) > 1e-3 and abs(by_the_batch - wanted) > 1e-3


def test_frozen_validity_network_stays_and_the_rest_learns():
    before = fresh()
    after, _ = step()(before, batch(), jnp.bool_(True))
    free, _ = step()(before, batch(), jnp.bool_(False))
    for name in before.actor:
        assert equal(after.actor[name], before.actor[name]) == (name in VALIDITY_NET)
        assert not equal(free.actor[name], before.actor[name])
    assert equal(after.critic, free.critic)


def test_steps_on_one_batch_lower_every_loss():
    state, losses = fresh(), []
    for _ in range(60):
        state, metrics = step()(state, batch(), jnp.bool_(False))
        losses.append(metrics)
    first, last = losses[0], losses[-1]
    assert last["critic_loss"] < 0.5 * first["critic_loss"]
    assert last["validity_loss"] < 0.7 * first["validity_loss"]
    assert last["actor_loss"] < first["actor_loss"]


def test_actor_moves_towards_what_the_critic_likes():
    """With a critic that only counts the share of one action, the actor learns to play it."""
    liked = int(batch().mask.sum(axis=0).argmax())
    params = jax.tree.map(jnp.zeros_like, fresh().critic)
    inputs = params["preprocess"]
    inputs["vectors"][1]["kernel"] = inputs["vectors"][1]["kernel"].at[liked, 0].set(1.0)
    inputs["first"]["kernel"] = inputs["first"]["kernel"].at[4 + 10, 0].set(1.0)
    inputs["second"]["kernel"] = inputs["second"]["kernel"].at[0, 0].set(1.0)
    params["value"]["kernel"] = params["value"]["kernel"].at[0, 0].set(1.0)
    policy = ACTOR.apply(fresh().actor, *batch().obs).policy
    np.testing.assert_allclose(
        CRITIC.apply(params, *batch().obs, policy), policy[:, liked], rtol=1e-5
    )
    settings = dataclasses.replace(SETTINGS, validity_weight=0.0)
    gradient = jax.jit(
        jax.grad(
            lambda actor: learner.actor_loss(actor, params, ACTOR, CRITIC, settings, batch())[0]
        )
    )(fresh().actor)
    moved = jax.tree.map(lambda x, y: x - 0.1 * y, fresh().actor, gradient)
    shares = [
        masked_policy(ACTOR.train(actor, *batch().obs)[0].policy, batch().mask)[:, liked].mean()
        for actor in (fresh().actor, moved)
    ]
    assert shares[1] > shares[0]


def test_validity_loss_counts_with_its_weight():
    def losses(weight):
        settings = dataclasses.replace(SETTINGS, validity_weight=weight)
        loss, (metrics, _) = learner.actor_loss(
            fresh().actor, fresh().critic, ACTOR, CRITIC, settings, batch()
        )
        return loss, metrics["validity_loss"]

    (without, error), (weighted, _) = losses(0.0), losses(2.5)
    assert error > 0.1
    np.testing.assert_allclose(weighted - without, 2.5 * error, rtol=1e-4)


@pytest.mark.parametrize("judged_policy", ["masked", "raw"])
def test_critic_moves_invalid_actions_of_the_raw_policy_only(judged_policy):
    settings = dataclasses.replace(SETTINGS, judged_policy=judged_policy, validity_weight=0.0)
    network = make_actor(ENV, "actions_only", CONFIG.network)
    actor = network.init(jax.random.key(1))
    params = CRITIC.init(jax.random.key(2))
    invalid = 7  # from now on in every position
    positions = batch()._replace(mask=batch().mask.at[:, invalid].set(False))
    gradient = jax.jit(
        jax.grad(lambda x: learner.actor_loss(x, params, network, CRITIC, settings, positions)[0])
    )(actor)["actions"]["bias"]
    # After the mask the logit cancels out, but for rounding.
    share = jnp.abs(gradient[invalid]) / jnp.abs(gradient).max()
    assert share > 1e-3 if judged_policy == "raw" else share < 1e-5

    policies = []

    class Asked:
        """Takes down the policy that the critic is asked about."""

        def apply(self, params, *inputs):
            policies.append(inputs[-1])
            return jnp.zeros(BATCH)

    learner.critic_target(ACTOR, Asked(), settings, fresh(), batch())
    invalid_mass = jnp.where(batch().next_mask, 0.0, policies[0]).sum()
    assert (invalid_mass > 0) == (judged_policy == "raw")


@pytest.mark.parametrize(("kind", "wanted"), [("mse", 0.25), ("bce", np.log(2))])
def test_validity_loss_of_an_undecided_layer(kind, wanted):
    mask = jnp.array([[True, False, True], [False, False, True]])
    np.testing.assert_allclose(
        learner.validity_loss(kind, jnp.zeros((2, 3)), mask), wanted, rtol=1e-6
    )
    sure = jnp.where(mask, 20.0, -20.0)
    assert learner.validity_loss(kind, sure, mask) < 1e-6
