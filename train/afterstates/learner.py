"""The gradient steps of TD(lambda): Huber loss, or cross-entropy where outcomes are bounded."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from configs.afterstates import LearnerConfig
from jaxgames.internal.devices import AXIS
from jaxgames.networks.afterstates import AfterstateNetwork, Inputs
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import to_absolute_seats, to_observer_first
from train.afterstates.play import Afterstates
from train.afterstates.targets import lambda_returns
from train.learner import Metrics, correlation


class ValueSamples(NamedTuple):
    """Afterstates with their targets, the seat that acted first."""

    inputs: Inputs
    targets: Float[Array, "heads N"]
    """Heads come first: as the last axis, a TPU would pad them to 128."""


def make_optimizer(config: LearnerConfig) -> optax.GradientTransformation:
    """Returns Adam with clipped gradients, without its learning rate, which changes with time."""
    return optax.chain(optax.clip_by_global_norm(config.max_grad_norm), optax.scale_by_adam())


def learning_rate(config: LearnerConfig, iteration: Int32[Array, ""]) -> Float[Array, ""]:
    """Returns the learning rate of an iteration: a straight line, then constant."""
    done = jnp.minimum(iteration / config.learning_rate_iterations, 1.0)
    change = config.final_learning_rate - config.learning_rate
    return jnp.float32(config.learning_rate + done * change)


def predicted_heads(
    network: AfterstateNetwork, params: Params, inputs: Inputs, seat: Int32[Array, "N"]
) -> Float[Array, "N heads"]:
    """Returns the predicted values of all seats, then their points; seat 0 first in both."""
    found = network.apply(params, inputs)
    heads = [to_absolute_seats(x, seat) for x in found if x is not None]
    return jnp.concatenate(heads, axis=-1)


def learn(
    network: AfterstateNetwork,
    optimizer: optax.GradientTransformation,
    config: LearnerConfig,
    params: Params,
    opt_state: optax.OptState,
    window: Afterstates,
    filled: Int32[Array, ""],
    rate: Float[Array, ""],
    key: PRNGKeyArray,
    batch_size: int,
) -> tuple[Params, optax.OptState, Metrics]:
    """Returns parameters and optimizer after all gradient steps of an iteration, and the metrics.

    Runs on every device, on its part of the window; gradients are averaged over devices.

    Args:
        network: the network.
        optimizer: of `make_optimizer`.
        config: the settings.
        params: the parameters before.
        opt_state: the state of the optimizer before.
        window: the newest iterations of play, `[window, T, B, ...]`.
        filled: the number of iterations that the window holds.
        rate: the learning rate.
        key: of the draws of this device.
        batch_size: afterstates of this device in one step.
    """
    samples, has_target = _with_targets(network, config, params, window)
    number = jnp.arange(config.window)[:, None, None]
    usable = (has_target & (number < filled)).reshape(-1)
    count = usable.sum(dtype=jnp.int32)
    (places,) = jnp.nonzero(usable, size=usable.size, fill_value=0)

    def step(
        carry: tuple[Params, optax.OptState], key: PRNGKeyArray
    ) -> tuple[tuple[Params, optax.OptState], Metrics]:
        params, opt_state = carry
        drawn = places[jax.random.randint(key, (batch_size,), 0, jnp.maximum(count, 1))]
        inputs = jax.tree.map(lambda x: x[drawn], samples.inputs)
        batch = ValueSamples(inputs, samples.targets[:, drawn])
        (_, metrics), gradients = jax.value_and_grad(_loss, argnums=2, has_aux=True)(
            network, config, params, batch
        )
        gradients = jax.tree.map(lambda x: jnp.where(count > 0, x, 0.0), gradients)
        gradients, metrics = jax.lax.pmean((gradients, metrics), AXIS)
        metrics["learner/gradient_norm"] = optax.tree.norm(gradients)
        updates, opt_state = optimizer.update(gradients, opt_state)
        params = jax.tree.map(lambda x, y: x - rate * y, params, updates)
        return (params, opt_state), metrics

    keys = jax.random.split(key, config.updates)
    (params, opt_state), metrics = jax.lax.scan(step, (params, opt_state), keys)
    return params, opt_state, jax.tree.map(jnp.mean, metrics)


def _with_targets(
    network: AfterstateNetwork, config: LearnerConfig, params: Params, window: Afterstates
) -> tuple[ValueSamples, Any]:
    """Returns all afterstates of the window in one list, and the mask of those with a target."""
    players = network.domain.rules.num_players

    def of_one(record: Afterstates) -> tuple[Array, Array]:
        plies, lanes = record.seat.shape
        inputs = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), record.inputs)
        seat = record.seat.reshape(-1)
        heads = predicted_heads(network, params, inputs, seat)
        targets, has_target = lambda_returns(heads.reshape(plies, lanes, -1), record, config.trace)
        targets = targets.reshape(plies * lanes, -1)
        halves = [
            to_observer_first(targets[:, start : start + players], seat)
            for start in range(0, targets.shape[1], players)
        ]
        return jnp.concatenate(halves, axis=-1).T, has_target

    targets, has_target = jax.lax.map(of_one, window)
    inputs = jax.tree.map(lambda x: x.reshape(-1, *x.shape[3:]), window.inputs)
    return ValueSamples(
        inputs, jnp.moveaxis(targets, 1, 0).reshape(targets.shape[1], -1)
    ), has_target


def _loss(
    network: AfterstateNetwork, config: LearnerConfig, params: Params, batch: ValueSamples
) -> tuple[Float[Array, ""], Metrics]:
    players = network.domain.rules.num_players
    found = network.apply(params, batch.inputs)
    targets = batch.targets.T
    wanted = targets[:, :players]
    if network.domain.bounded:
        chance = jnp.clip((found.values + 1) / 2, 1e-6, 1 - 1e-6)
        target = jnp.clip((wanted + 1) / 2, 0.0, 1.0)
        errors = -target * jnp.log(chance) - (1 - target) * jnp.log(1 - chance)
    else:
        errors = optax.huber_loss(found.values, wanted)
    loss = errors.mean()
    metrics = {
        "learner/value_loss": loss,
        "learner/value_error": jnp.sqrt(jnp.square(found.values - wanted).mean()),
        "learner/value_correlation": correlation(found.values[:, 0], wanted[:, 0]),
    }
    if found.points is not None:
        of_points = optax.huber_loss(found.points, targets[:, players:]).mean()
        metrics["learner/points_loss"] = of_points
        loss += config.points_weight * of_points
    return loss, metrics | {"learner/loss": loss}
