"""`MuZero`: a learned model unrolled over sequences, and search with this model.

From the first observation of a sequence, the model predicts policy, values and the seat to move
after each action. Source: J. Schrittwieser et al., "Mastering Atari, Go, chess and shogi by
planning with a learned model", Nature 588, 2020.

Values are those of all seats, and points where the game counts them. The comparison of predicted
with observed features is that of W. Ye et al., "Mastering Atari games with limited data", NeurIPS
2021.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from configs.alphazero import SelfPlayConfig
from configs.muzero import LearnerConfig, MuZeroConfig
from jaxgames import Env, Rules
from jaxgames.networks.learned_model import KIND, LearnedModel, make_model
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.tree.model_agent import LearnedSearch
from train import alphazero_learner, learner, selfplay
from train.algorithm import check_scores
from train.learner import Metrics
from train.muzero import sequences
from train.muzero.sequences import Sequences
from train.network_program import NetworkProgram
from train.replay import Replay

GRADIENT_SHARE = 0.5  # of the gradient that passes from one step of the dynamics to the one before


@dataclasses.dataclass(frozen=True)
class MuZero:
    """MuZero as an `Algorithm`."""

    rules: Rules[Any]
    model: LearnedModel
    config: LearnerConfig
    needs_moves: bool = True

    about: ClassVar[Mapping[str, str]] = {"kind": KIND}

    @property
    def evaluator(self) -> NetworkEvaluator:
        """Representation and prediction, without any step of the dynamics."""
        return NetworkEvaluator(self.rules, self.model)

    def init(self, key: PRNGKeyArray) -> Params:
        """Returns fresh parameters."""
        return self.model.init(key)

    def make_search(self, config: SelfPlayConfig) -> LearnedSearch:
        """Returns the search that the settings describe."""
        policy = selfplay.make_policy(config)
        return LearnedSearch(self.rules, self.model, policy, config.simulations)

    def sample(self, samples: Replay, size: int, lanes: int, key: PRNGKeyArray) -> Sequences:
        """Returns sequences that start at positions drawn uniformly."""
        keeps_view = self.model.keeps_view
        return sequences.draw(self.rules, self.config, samples, size, lanes, key, keeps_view)

    def loss(
        self, params: Params, batch: Sequences
    ) -> tuple[Float[Array, ""], tuple[Metrics, Params]]:
        """Returns the loss: that of the first position, and the mean of those that follow."""
        model, config = self.model, self.config
        features = model.represent(params, batch.obs)
        first = jax.tree.map(lambda x: x[:, 0], batch.targets)._replace(mask=batch.mask)
        total, metrics = learner.loss_of_heads(config, model.predict(params, features), first)

        later: list[Metrics] = []
        for step in range(config.unroll):
            after = model.step(params, _with_less_gradient(features), batch.action[:, step])
            features = after.features
            wanted = jax.tree.map(lambda x, step=step: x[:, step + 1], batch.targets)
            prediction = model.predict(params, features)
            loss, parts = learner.loss_of_heads(config, prediction, wanted)
            weight = batch.weight[:, step]
            seat_loss = optax.losses.softmax_cross_entropy_with_integer_labels(
                after.seat_logits, batch.seat[:, step]
            )
            parts["learner/seat_loss"] = (weight * seat_loss).mean()
            loss += config.seat_loss_weight * parts["learner/seat_loss"]
            if config.consistency_loss_weight > 0:
                obs = jax.tree.map(lambda x, step=step: x[:, step], batch.later_obs)
                difference = _difference(model, params, features, obs)
                is_seen = wanted.policy_weight
                parts["learner/consistency_loss"] = (is_seen * difference).mean()
                loss += config.consistency_loss_weight * parts["learner/consistency_loss"]
            parts["learner/loss"] = loss
            later.append(parts)
        total += jnp.stack([parts["learner/loss"] for parts in later]).mean()
        for name in later[0]:
            mean = jnp.stack([parts[name] for parts in later]).mean()
            metrics[name.replace("learner/", "learner/unrolled_")] = mean
        metrics["learner/loss"] = total
        return total, (metrics, params)


def make_muzero(env: Env[Any], config: MuZeroConfig) -> MuZero:
    """Returns MuZero for a game.

    Raises:
        ValueError: if the game does not fit the network or the loss.
    """
    model = make_model(env, config.network)
    check_scores(env, model.network, config.learner)
    weight = config.learner.consistency_loss_weight
    if weight > 0 and not env.rules.perfect_information:
        raise ValueError(
            f"learner.consistency_loss_weight={weight} is for games without hidden information: in "
            f"{env.id} the next seat sees what the seat before cannot know"
        )
    return MuZero(env.rules, model, config.learner)


def make_program(config: MuZeroConfig) -> NetworkProgram:
    """Returns the training of MuZero; raises as `alphazero_learner.make_program`."""
    return alphazero_learner.make_program(config, make_muzero)


def _with_less_gradient(features: Any) -> Any:
    """Returns the features; `GRADIENT_SHARE` of the gradient passes through them."""
    return jax.tree.map(
        lambda x: GRADIENT_SHARE * x + jax.lax.stop_gradient((1 - GRADIENT_SHARE) * x), features
    )


def _difference(model: LearnedModel, params: Params, features: Any, obs: Any) -> Float[Array, "B"]:
    """Returns minus the cosine between predicted and observed features, as projected."""
    expected = model.foresee(params, model.project(params, features)).astype(jnp.float32)
    seen = model.project(params, model.represent(params, obs)).astype(jnp.float32)
    return -optax.losses.cosine_similarity(expected, jax.lax.stop_gradient(seen), epsilon=1e-6)
