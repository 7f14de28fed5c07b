"""`Algorithm`: what AlphaZero and MuZero do differently in the same loop of self-play and learning.

The learner (`alphazero_learner.py`), its compiled pieces (`steps.py`), the games, the replay and
the optimizer are the same for both.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import jax
from jaxtyping import Array, Float, PRNGKeyArray

from configs.alphazero import AlphaZeroConfig, LearnerConfig, SelfPlayConfig
from jaxgames import Env, Rules
from jaxgames.networks.network import Network, make_network
from jaxgames.search.agent import Agent, Params
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.evaluators.network import NetworkEvaluator
from train import learner, replay, selfplay
from train.learner import Metrics
from train.replay import Replay

Batch = Any
"""Inputs and targets of one gradient step: a pytree of arrays with a leading axis `B`."""


class Algorithm(Protocol):
    """What is learned, how it plays and what its loss is; holds no arrays."""

    @property
    def evaluator(self) -> Evaluator:
        """Policy and values of positions, without any search."""
        ...

    @property
    def needs_moves(self) -> bool:
        """Whether the replay keeps the moves and the ends of games, as sequences need."""
        ...

    @property
    def about(self) -> Mapping[str, str]:
        """What agents must know of the network beside its settings."""
        ...

    def init(self, key: PRNGKeyArray) -> Params:
        """Returns fresh parameters."""
        ...

    def make_search(self, config: SelfPlayConfig) -> Agent:
        """Returns the search that the settings describe.

        Raises:
            ValueError: if the search cannot play this game.
        """
        ...

    def sample(self, samples: Replay, size: int, lanes: int, key: PRNGKeyArray) -> Batch:
        """Returns a batch drawn from the replay of one device, which holds plies of `lanes`."""
        ...

    def loss(self, params: Params, batch: Batch) -> tuple[Float[Array, ""], tuple[Metrics, Params]]:
        """Returns the loss; then its parts, and the parameters with new running averages."""
        ...


@dataclasses.dataclass(frozen=True)
class PolicyValue:
    """AlphaZero: a network of policy and value, and search with the rules of the game."""

    rules: Rules[Any]
    network: Network
    config: LearnerConfig
    needs_moves: bool = False

    about: ClassVar[Mapping[str, str]] = {}

    @property
    def evaluator(self) -> NetworkEvaluator:
        """The network."""
        return NetworkEvaluator(self.rules, self.network)

    def init(self, key: PRNGKeyArray) -> Params:
        """Returns fresh parameters."""
        return self.network.init(key)

    def make_search(self, config: SelfPlayConfig) -> Agent:
        """Returns the search that the settings describe."""
        return selfplay.make_search(self.rules, self.evaluator, config)

    def sample(self, samples: Replay, size: int, lanes: int, key: PRNGKeyArray) -> learner.Batch:
        """Returns positions drawn uniformly."""
        del lanes
        draw_key, augment_key = jax.random.split(key)
        drawn = replay.sample(samples, size, draw_key)
        return learner.make_batch(self.rules, self.config, drawn, augment_key)

    def loss(
        self, params: Params, batch: learner.Batch
    ) -> tuple[Float[Array, ""], tuple[Metrics, Params]]:
        """Returns the loss of `learner.loss`."""
        return learner.loss(params, self.network, self.config, batch)


def make_alphazero(env: Env[Any], config: AlphaZeroConfig) -> PolicyValue:
    """Returns AlphaZero for a game.

    Raises:
        ValueError: if the game does not fit the network or the loss.
    """
    network = make_network(env, config.network)
    check_scores(env, network, config.learner)
    return PolicyValue(env.rules, network, config.learner)


def check_scores(env: Env[Any], network: Network, config: LearnerConfig) -> None:
    """Checks that points are only learned where the network predicts them.

    Raises:
        ValueError: if they are weighed, but not predicted.
    """
    if config.score_loss_weight > 0 and not network.predicts_scores:
        raise ValueError(
            f"learner.score_loss_weight={config.score_loss_weight} needs a game that "
            f"counts points and --network.tower=hex or tile, which predict them; {env.id} has none"
        )
