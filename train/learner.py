"""The gradient step: cross-entropy to the improved policy plus squared error of the value.

In games that count points, the error of the predicted points and leads may be added. Points show
much of what decides a game, long before the result does.
"""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from configs.alphazero import LearnerConfig
from jaxgames import Rules
from jaxgames.batches import select_rows
from jaxgames.networks.network import Network
from jaxgames.networks.prediction import Scores
from jaxgames.search import action_slots
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import to_observer_first
from train.targets import Samples

Metrics = dict[str, Float[Array, ""]]


class Batch(NamedTuple):
    """Inputs and targets of one gradient step."""

    obs: Any
    mask: Bool[Array, "B actions"]
    policy: Float[Array, "B actions"]
    values: Float[Array, "B players"]  # observer first
    value_weight: Float[Array, "B"]
    scores: Scores | None = None  # observer first, in units of the learner
    score_weight: Float[Array, "B"] | None = None


def make_batch(rules: Rules, config: LearnerConfig, samples: Samples, key: PRNGKeyArray) -> Batch:
    """Rebuilds observations, mixes the value targets and applies a random symmetry.

    The value target is `(1 - share) * outcome + share * search value`. If the outcome is not known,
    the target is the search value, with the weight `share`. In games that count points, part of the
    outcome may be the squashed lead.
    """
    mask = jax.vmap(rules.legal_actions)(samples.game)
    policy = action_slots.to_dense(samples.policy.astype(jnp.float32), mask)
    game = samples.game
    if config.augment and rules.symmetries:
        game, policy = _augment(rules, game, policy, key)
        mask = jax.vmap(rules.legal_actions)(game)

    seat = jax.vmap(rules.to_move)(game)
    share = config.search_value_share
    known = samples.outcome_known[:, None]
    search_values = samples.search_values.astype(jnp.float32)
    outcome = samples.outcome.astype(jnp.float32)
    scores = None
    if samples.scores is not None:
        points = samples.scores.astype(jnp.float32) / config.score_unit
        lead_share = config.lead_value_share
        outcome = (1.0 - lead_share) * outcome + lead_share * jnp.tanh(lead_of(points))
        if config.score_loss_weight > 0:
            points = to_observer_first(points, seat)
            scores = Scores(points, lead_of(points))
    mixed = (1.0 - share) * outcome + share * search_values
    return Batch(
        obs=jax.vmap(rules.observe)(game, seat),
        mask=mask,
        policy=policy,
        values=to_observer_first(jnp.where(known, mixed, search_values), seat),
        value_weight=jnp.where(samples.outcome_known, 1.0, share),
        scores=scores,
        score_weight=None if scores is None else samples.outcome_known.astype(jnp.float32),
    )


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
    network: Network,
    optimizer: optax.GradientTransformation,
    config: LearnerConfig,
    params: Params,
    opt_state: optax.OptState,
    batch: Batch,
) -> tuple[Params, optax.OptState, Metrics]:
    """Returns parameters, optimizer state and metrics after one step on the global batch."""
    gradient, (metrics, params) = jax.grad(loss, has_aux=True)(params, network, config, batch)
    updates, opt_state = optimizer.update(gradient, opt_state, params)
    metrics["learner/gradient_norm"] = optax.tree.norm(gradient)
    return optax.apply_updates(params, updates), opt_state, metrics


def loss(
    params: Params, network: Network, config: LearnerConfig, batch: Batch
) -> tuple[Float[Array, ""], tuple[Metrics, Params]]:
    """Returns the loss; then its parts, and the parameters with new running averages."""
    (logits, values, predicted), params = network.train(params, batch.obs)
    chex.assert_equal_shape([logits, batch.policy])
    chex.assert_equal_shape([values, batch.values])
    logits = jnp.where(batch.mask, logits, jnp.finfo(logits.dtype).min)
    log_policy = jax.nn.log_softmax(logits)
    cross_entropy = -jnp.where(batch.mask, batch.policy * log_policy, 0.0).sum(axis=-1).mean()
    entropy = -jax.scipy.special.xlogy(batch.policy, batch.policy).sum(axis=-1).mean()

    error = jnp.square(values - batch.values).mean(axis=-1)
    value_loss = (batch.value_weight * error).mean()
    total = cross_entropy + config.value_loss_weight * value_loss
    metrics = {
        "learner/loss": total,
        "learner/policy_loss": cross_entropy,
        "learner/policy_kl": cross_entropy - entropy,
        "learner/value_loss": value_loss,
        "learner/value_correlation": _correlation(values[:, 0], batch.values[:, 0]),
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
            "learner/lead_correlation": _correlation(
                batch.score_weight * predicted.lead[:, 0],
                batch.score_weight * batch.scores.lead[:, 0],
            ),
        }
    return total, (metrics, params)


def _augment(
    rules: Rules, game: Any, policy: Float[Array, "B actions"], key: PRNGKeyArray
) -> tuple[Any, Float[Array, "B actions"]]:
    """Applies to each sample the identity or one of the game's symmetries, equally likely."""
    size = policy.shape[0]
    choice = jax.random.randint(key, (size,), 0, 1 + len(rules.symmetries))
    result = (game, policy)
    for index, symmetry in enumerate(rules.symmetries, start=1):
        number = jax.vmap(symmetry.map_action)(game)
        image = (
            jax.vmap(symmetry.map_state)(game),
            jax.vmap(lambda p, n: jnp.zeros_like(p).at[n].set(p))(policy, number),
        )
        result = select_rows(choice == index, image, result)
    return result


def _correlation(x: Float[Array, "B"], y: Float[Array, "B"]) -> Float[Array, ""]:
    x, y = x - x.mean(), y - y.mean()
    return (x * y).mean() / jnp.maximum(jnp.sqrt((x * x).mean() * (y * y).mean()), 1e-8)


def _is_matrix(params: Params) -> Any:
    """Returns a mask of the kernels: weight decay acts on them, not on biases."""
    return jax.tree.map(lambda leaf: leaf.ndim > 1, params)
