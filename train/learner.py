"""The gradient step: cross-entropy to the improved policy plus squared error of the value.

In games that count points, the error of the predicted points and leads may be added. Points show
much of what decides a game, long before the result does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from configs.alphazero import LearnerConfig
from jaxgames import Rules
from jaxgames.batching.trees import select_rows
from jaxgames.networks.network import Network
from jaxgames.networks.prediction import NetworkOutput, PredictedScores
from jaxgames.search import action_slots
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import to_observer_first
from train.targets import Samples

Metrics = dict[str, Float[Array, ""]]
Loss = Callable[[Params, Any], tuple[Float[Array, ""], tuple[Metrics, Params]]]
"""Maps parameters and a batch to the loss; then its parts, and the parameters with new running
averages."""


class Batch(NamedTuple):
    """Inputs and targets of one gradient step."""

    obs: Any
    mask: Bool[Array, "B actions"] | None  # None: illegal actions are unknown
    policy: Float[Array, "B actions"]
    values: Float[Array, "B players"]  # observer first
    value_weight: Float[Array, "B"]
    scores: PredictedScores | None = None  # observer first, in units of the learner
    score_weight: Float[Array, "B"] | None = None
    policy_weight: Float[Array, "B"] | None = None  # None: one everywhere


def make_batch(rules: Rules, config: LearnerConfig, samples: Samples, key: PRNGKeyArray) -> Batch:
    """Rebuilds observations, mixes the value targets and applies a random symmetry.

    The value target is `(1 - share) * outcome + share * search value`. If the outcome is not known,
    the target is the search value, with the weight `share`. In games that count points, part of the
    outcome may be the squashed lead.
    """
    choice = draw_symmetries(rules, config, len(samples.outcome_known), key)
    samples, policy, mask = with_symmetries(rules, samples, choice)
    seat = jax.vmap(rules.to_move)(samples.game)
    batch = targets_of(config, samples, policy, seat)
    return batch._replace(obs=jax.vmap(rules.observe)(samples.game, seat), mask=mask)


def targets_of(
    config: LearnerConfig,
    samples: Samples,
    policy: Float[Array, "B actions"],
    seat: Int32[Array, "B"],
) -> Batch:
    """Returns the targets of positions as `seat` sees them, without inputs and masks."""
    share = config.search_value_share
    known = samples.outcome_known[:, None]
    search_values = samples.search_values.astype(jnp.float32)
    mixed = (1.0 - share) * outcome_of(config, samples) + share * search_values
    scores = None
    if samples.scores is not None and config.score_loss_weight > 0:
        points = samples.scores.astype(jnp.float32) / config.score_unit
        points = to_observer_first(points, seat)
        scores = PredictedScores(points, lead_of(points))
    return Batch(
        obs=None,
        mask=None,
        policy=policy,
        values=to_observer_first(jnp.where(known, mixed, search_values), seat),
        value_weight=jnp.where(samples.outcome_known, 1.0, share),
        scores=scores,
        score_weight=None if scores is None else samples.outcome_known.astype(jnp.float32),
    )


def outcome_of(config: LearnerConfig, samples: Samples) -> Float[Array, "B players"]:
    """Returns what a finished game was worth to each seat: who won, and a share of the lead."""
    outcome = samples.outcome.astype(jnp.float32)
    if samples.scores is None:
        return outcome
    lead = lead_of(samples.scores.astype(jnp.float32) / config.score_unit)
    share = config.lead_value_share
    return (1.0 - share) * outcome + share * jnp.tanh(lead)


def lead_of(points: Float[Array, "B players"]) -> Float[Array, "B players"]:
    """Returns the lead of each seat: its points minus the points of the best other seat."""
    own = jnp.eye(points.shape[-1], dtype=bool)
    others = jnp.where(own, -jnp.inf, points[:, None])  # [B, seat, other]
    return points - others.max(axis=-1)


def make_optimizer(config: LearnerConfig) -> optax.GradientTransformation:
    """Returns AdamW with clipped gradients, a linear warm-up and a cosine decay."""
    schedule = optax.warmup_cosine_decay_schedule(
        init_value=0.0,
        peak_value=config.learning_rate,
        warmup_steps=config.warmup_steps,
        decay_steps=max(config.decay_steps, config.warmup_steps + 1),
        end_value=config.learning_rate * config.final_learning_rate_fraction,
    )
    return optax.chain(
        optax.clip_by_global_norm(config.max_grad_norm),
        optax.adamw(schedule, weight_decay=config.weight_decay, mask=_is_matrix),
    )


def gradient_step(
    loss_of: Loss,
    optimizer: optax.GradientTransformation,
    params: Params,
    opt_state: optax.OptState,
    batch: Any,
) -> tuple[Params, optax.OptState, Metrics]:
    """Returns parameters, optimizer state and metrics after one step on the global batch."""
    gradient, (metrics, params) = jax.grad(loss_of, has_aux=True)(params, batch)
    updates, opt_state = optimizer.update(gradient, opt_state, params)
    metrics["learner/gradient_norm"] = optax.tree.norm(gradient)
    return optax.apply_updates(params, updates), opt_state, metrics


def loss(
    params: Params, network: Network, config: LearnerConfig, batch: Batch
) -> tuple[Float[Array, ""], tuple[Metrics, Params]]:
    """Returns the loss; then its parts, and the parameters with new running averages."""
    prediction, params = network.train(params, batch.obs)
    total, metrics = loss_of_heads(config, prediction, batch)
    return total, (metrics, params)


def loss_of_heads(
    config: LearnerConfig, prediction: NetworkOutput, batch: Batch
) -> tuple[Float[Array, ""], Metrics]:
    """Returns the loss of predictions against targets, and its parts."""
    logits, values, predicted = prediction
    chex.assert_equal_shape([logits, batch.policy])
    chex.assert_equal_shape([values, batch.values])
    if batch.mask is not None:
        logits = jnp.where(batch.mask, logits, jnp.finfo(logits.dtype).min)
    weighed = batch.policy * jax.nn.log_softmax(logits)
    if batch.mask is not None:
        weighed = jnp.where(batch.mask, weighed, 0.0)
    weight = 1.0 if batch.policy_weight is None else batch.policy_weight
    cross_entropy = (-weighed.sum(axis=-1) * weight).mean()
    entropy = (-jax.scipy.special.xlogy(batch.policy, batch.policy).sum(axis=-1) * weight).mean()

    error = jnp.square(values - batch.values).mean(axis=-1)
    value_loss = (batch.value_weight * error).mean()
    total = cross_entropy + config.value_loss_weight * value_loss
    metrics = {
        "learner/loss": total,
        "learner/policy_loss": cross_entropy,
        "learner/policy_kl": cross_entropy - entropy,
        "learner/value_loss": value_loss,
        "learner/value_correlation": correlation(values[:, 0], batch.values[:, 0]),
        "learner/target_entropy": entropy,
    }
    if batch.scores is not None and batch.score_weight is not None and predicted is not None:
        chex.assert_trees_all_equal_shapes(predicted, batch.scores)
        errors = [
            optax.huber_loss(guess, target).mean(axis=-1)
            for guess, target in zip(predicted, batch.scores, strict=True)
        ]
        score_loss = (batch.score_weight * sum(errors)).mean()
        total += config.score_loss_weight * score_loss
        metrics |= {
            "learner/loss": total,
            "learner/score_loss": score_loss,
            "learner/lead_correlation": correlation(
                batch.score_weight * predicted.lead[:, 0],
                batch.score_weight * batch.scores.lead[:, 0],
            ),
        }
    return total, metrics


def draw_symmetries(
    rules: Rules, config: LearnerConfig, size: int, key: PRNGKeyArray
) -> Int32[Array, "B"] | None:
    """Returns numbers of symmetries, all equally likely; 0 is the identity. None: no symmetries."""
    if not (config.augment and rules.symmetries):
        return None
    return jax.random.randint(key, (size,), 0, 1 + len(rules.symmetries))


def with_symmetries(
    rules: Rules, samples: Samples, choice: Int32[Array, "B"] | None
) -> tuple[Samples, Float[Array, "B actions"], Bool[Array, "B actions"]]:
    """Returns the images of samples under symmetries, their policies and their legal actions."""
    mask = jax.vmap(rules.legal_actions)(samples.game)
    policy = action_slots.to_dense(samples.policy.astype(jnp.float32), mask)
    if choice is None:
        return samples, policy, mask
    moves = samples.moves
    result = (samples.game, policy, None if moves is None else moves.action)
    for index, symmetry in enumerate(rules.symmetries, start=1):
        number = jax.vmap(symmetry.map_action)(samples.game)
        image = (
            jax.vmap(symmetry.map_state)(samples.game),
            jax.vmap(lambda p, n: jnp.zeros_like(p).at[n].set(p))(policy, number),
            None if moves is None else _at(number, moves.action),
        )
        result = select_rows(choice == index, image, result)
    game, policy, action = result
    if moves is not None and action is not None:
        moves = moves._replace(action=action)
    mask = jax.vmap(rules.legal_actions)(game)
    return samples._replace(game=game, moves=moves), policy, mask


def _at(number: Int32[Array, "B actions"], action: Int32[Array, "B"]) -> Int32[Array, "B"]:
    return jnp.take_along_axis(number, action[:, None], axis=-1)[:, 0].astype(jnp.int32)


def correlation(x: Float[Array, "B"], y: Float[Array, "B"]) -> Float[Array, ""]:
    """Returns the correlation of two samples; 0 where one of them is constant."""
    x, y = x - x.mean(), y - y.mean()
    return (x * y).mean() / jnp.maximum(jnp.sqrt((x * x).mean() * (y * y).mean()), 1e-8)


def _is_matrix(params: Params) -> Any:
    """Returns a mask of the kernels: weight decay acts on them, not on biases."""
    return jax.tree.map(lambda leaf: leaf.ndim > 1, params)
