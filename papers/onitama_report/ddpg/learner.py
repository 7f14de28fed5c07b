"""One gradient step of DDPG for one learner, with the validity loss of the Onitama report.

Source: Lillicrap et al., "Continuous control with deep reinforcement learning", 2015.

The critic learns from the executed action as a one-hot vector. DDPG stores the action with its
exploration noise, and here the draw of a move from the policy is the only noise. Where the critic
judges the actor, it sees the policy after the mask. It has never seen an invalid action executed,
so before the mask an actor soon chooses invalid actions of which the critic expects too much.
`judged_policy="raw"` judges before the mask, as the report's formulas read.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jaxtyping import Array, Bool, Float

from jaxgames.batching.trees import choose
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from papers.onitama_report.config import LearnerConfig
from papers.onitama_report.ddpg.actor import VALIDITY_NET, ActorNetwork, masked_policy
from papers.onitama_report.ddpg.critic import CriticNetwork
from papers.onitama_report.ddpg.games import Transition

Metrics = dict[str, Float[Array, ""]]


class Learner(struct.PyTreeNode):
    """Actor and critic, their target networks, and the states of Adam."""

    actor: Params
    critic: Params
    target_actor: Params
    target_critic: Params
    actor_adam: optax.OptState
    critic_adam: optax.OptState


class Batch(NamedTuple):
    """Inputs of one gradient step."""

    obs: tuple[Array, ...]
    mask: Bool[Array, "B actions"]
    action: Float[Array, "B actions"]
    reward: Float[Array, "B"]
    next_obs: tuple[Array, ...]
    next_mask: Bool[Array, "B actions"]
    has_ended: Bool[Array, "B"]


def init(actor: ActorNetwork, critic: CriticNetwork, config: LearnerConfig, key: Array) -> Learner:
    """Returns a fresh learner; the target networks equal actor and critic."""
    actor_key, critic_key = jax.random.split(key)
    actor_params, critic_params = actor.init(actor_key), critic.init(critic_key)
    actor_optimizer, critic_optimizer = _optimizers(config)
    return Learner(
        actor=actor_params,
        critic=critic_params,
        target_actor=jax.tree.map(jnp.copy, actor_params),
        target_critic=jax.tree.map(jnp.copy, critic_params),
        actor_adam=actor_optimizer.init(actor_params),
        critic_adam=critic_optimizer.init(critic_params),
    )


def make_batch(rules: Rules[Any], transitions: Transition) -> Batch:
    """Rebuilds both positions as the seat to move sees them.

    In the second the learner is to move, unless transitions end right after its own move.
    """

    def view(games: GameStates) -> tuple[tuple[Array, ...], Bool[Array, "B actions"]]:
        obs = jax.vmap(rules.observe)(games, jax.vmap(rules.to_move)(games))
        return tuple(obs), jax.vmap(rules.legal_actions)(games)

    obs, mask = view(transitions.game)
    next_obs, next_mask = view(transitions.next_game)
    return Batch(
        obs=obs,
        mask=mask,
        action=jax.nn.one_hot(transitions.action, rules.num_actions),
        reward=transitions.reward.astype(jnp.float32),
        next_obs=next_obs,
        next_mask=next_mask,
        has_ended=transitions.has_ended,
    )


def update(
    actor: ActorNetwork,
    critic: CriticNetwork,
    config: LearnerConfig,
    learner: Learner,
    batch: Batch,
    is_frozen: Bool[Array, ""],
) -> tuple[Learner, Metrics]:
    """Returns the learner after a step of critic, actor and target networks, and the losses.

    With `is_frozen`, the validity network of `dual` stays as it is.
    """
    actor_optimizer, critic_optimizer = _optimizers(config)
    target = critic_target(actor, critic, config, learner, batch)
    gradient, (error, critic_params) = jax.grad(critic_loss, has_aux=True)(
        learner.critic, critic, batch, target
    )
    steps, critic_adam = critic_optimizer.update(gradient, learner.critic_adam)
    critic_params = optax.apply_updates(critic_params, steps)

    gradient, (metrics, actor_params) = jax.grad(actor_loss, has_aux=True)(
        learner.actor, critic_params, actor, critic, config, batch
    )
    steps, actor_adam = actor_optimizer.update(gradient, learner.actor_adam)
    actor_params = optax.apply_updates(actor_params, steps)
    if actor.architecture == "dual":
        actor_params |= {
            name: choose(is_frozen, learner.actor[name], actor_params[name])
            for name in VALIDITY_NET
        }
    after = Learner(
        actor=actor_params,
        critic=critic_params,
        target_actor=follow(learner.target_actor, actor_params, config.tau),
        target_critic=follow(learner.target_critic, critic_params, config.tau),
        actor_adam=actor_adam,
        critic_adam=critic_adam,
    )
    return after, metrics | {"critic_loss": error}


def critic_target(
    actor: ActorNetwork,
    critic: CriticNetwork,
    config: LearnerConfig,
    learner: Learner,
    batch: Batch,
) -> Float[Array, "B"]:
    """Returns the reward plus, if the game goes on, the discounted value by the target networks."""
    output = actor.apply(learner.target_actor, *batch.next_obs)
    policy = _judged(config, output.policy, batch.next_mask)
    later = critic.apply(learner.target_critic, *batch.next_obs, policy)
    return batch.reward + config.discount * jnp.where(batch.has_ended, 0.0, later)


def critic_loss(
    params: Params, critic: CriticNetwork, batch: Batch, target: Float[Array, "B"]
) -> tuple[Float[Array, ""], tuple[Float[Array, ""], Params]]:
    """Returns the mean squared error; then the error again, and the parameters after `train`."""
    values, params = critic.train(params, *batch.obs, batch.action)
    error = jnp.square(values - target).mean()
    return error, (error, params)


def actor_loss(
    params: Params,
    critic_params: Params,
    actor: ActorNetwork,
    critic: CriticNetwork,
    config: LearnerConfig,
    batch: Batch,
) -> tuple[Float[Array, ""], tuple[Metrics, Params]]:
    """Returns the loss; then its parts, and the parameters after `train`.

    The critic is normalised by its running averages: the actor must not gain by moving the
    statistics of a batch.
    """
    output, params = actor.train(params, *batch.obs)
    policy = _judged(config, output.policy, batch.mask)
    loss = -critic.apply(critic_params, *batch.obs, policy).mean()
    metrics = {}
    if output.validity_logits is not None:
        error = validity_loss(config.validity_loss, output.validity_logits, batch.mask)
        loss += config.validity_weight * error
        metrics["validity_loss"] = error
    return loss, (metrics | {"actor_loss": loss}, params)


def _judged(
    config: LearnerConfig, policy: Float[Array, "B actions"], mask: Bool[Array, "B actions"]
) -> Float[Array, "B actions"]:
    """Returns the action vector that the critic is asked about."""
    return policy if config.judged_policy == "raw" else masked_policy(policy, mask)


def validity_loss(
    kind: str, logits: Float[Array, "B actions"], mask: Bool[Array, "B actions"]
) -> Float[Array, ""]:
    """Returns the mean error of the validities, squared or as binary cross-entropy."""
    valid = mask.astype(jnp.float32)
    if kind == "bce":
        return optax.sigmoid_binary_cross_entropy(logits, valid).mean()
    return jnp.square(jax.nn.sigmoid(logits) - valid).mean()


def follow(target: Params, params: Params, tau: float) -> Params:
    """Returns the target network, moved by the share `tau` towards the learned one."""
    return jax.tree.map(lambda slow, fast: slow + tau * (fast - slow), target, params)


def _optimizers(
    config: LearnerConfig,
) -> tuple[optax.GradientTransformation, optax.GradientTransformation]:
    return optax.adam(config.actor_learning_rate), optax.adam(config.critic_learning_rate)
