"""Agents that play with a trained network: with search (`gumbel`) and without (`network`)."""

import dataclasses
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.env import Env
from jaxgames.internal import checks
from jaxgames.networks.evaluators import make_evaluator
from jaxgames.networks.learned_model import LearnedModel
from jaxgames.networks.network_files import check_game
from jaxgames.players.afterstate import PLAYS_AS, fitted
from jaxgames.players.knowledge import action_domain_of, score_of
from jaxgames.players.stored_networks import load_network
from jaxgames.rules import Rules
from jaxgames.search.agent import Agent, Decision, GameStates, Memoryless, Params
from jaxgames.search.evaluators.afterstates import AfterstateEvaluator
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.evaluators.heuristic import Heuristic
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.uniform import SLIGHT, Shuffled, Uniform
from jaxgames.search.factories import Engine, TreeSettings, tree_search
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.model_agent import LearnedSearch
from jaxgames.search.tree.puct import Puct

EvaluatorKind = Literal["network", "afterstates", "uniform", "rollout", "heuristic"]
# Matches are played without noise unless it is asked for.
GUMBEL, PUCT, SETTINGS = Gumbel(gumbel_scale=0.0), Puct(dirichlet_fraction=0.0), TreeSettings()
PRIOR_TEMPERATURE = 0.03  # of the prior made of a heuristic's scores, which lie in [-1, 1]


@dataclasses.dataclass(frozen=True)
class PriorPolicy(Memoryless):
    """Plays from the evaluator's prior alone, without search."""

    rules: Rules[Any]
    evaluator: Evaluator
    temperature: float = 0.0  # 0: the most probable move; 1: a move drawn from the prior
    evaluates: ClassVar[bool] = True
    shows_prior: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Checks the temperature."""
        checks.temperature(self.temperature)

    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns a move by the prior over the legal actions, and the evaluator's values."""
        eval_key, choice_key = jax.random.split(key)
        evaluation = self.evaluator(params, state, eval_key)
        mask = jax.vmap(self.rules.legal_actions)(state)
        logits = jnp.where(mask, evaluation.logits, jnp.finfo(jnp.float32).min)
        if self.temperature == 0:
            action = logits.argmax(axis=-1)
        else:
            action = jax.random.categorical(choice_key, logits / self.temperature)
        policy = jnp.where(mask, jax.nn.softmax(logits), 0.0)
        return Decision(action.astype(jnp.int32), policy, evaluation.values), memory


def make_gumbel(
    env: Env[Any],
    *,
    network: str | None = None,
    evaluator: EvaluatorKind = "network",
    policy: Gumbel = GUMBEL,
    settings: TreeSettings = SETTINGS,
    engine: Engine = "tree",
) -> tuple[Agent, Params]:
    """Returns Gumbel AlphaZero with a trained network or another evaluator.

    A learned model is searched without the rules of the game: then this is Gumbel MuZero.

    Raises:
        ValueError: if the network is missing, damaged or of another game, or the game does not fit.
    """
    judge, params = _evaluator(env, evaluator, network)
    return search_of(env.rules, judge, policy, settings, engine), params


def make_puct(
    env: Env[Any],
    *,
    network: str | None = None,
    evaluator: EvaluatorKind = "network",
    policy: Puct = PUCT,
    settings: TreeSettings = SETTINGS,
) -> tuple[Agent, Params]:
    """Returns AlphaZero's search with a trained network or another evaluator.

    A learned model is searched without the rules of the game.

    Raises:
        ValueError: if the network is missing, damaged or of another game, or the game does not fit.
    """
    judge, params = _evaluator(env, evaluator, network)
    return search_of(env.rules, judge, policy, settings), params


def search_of(
    rules: Rules[Any],
    evaluator: Evaluator,
    policy: Gumbel | Puct,
    settings: TreeSettings,
    engine: Engine = "tree",
) -> Agent:
    """Returns the search of an evaluator: with its own model if it is a learned one.

    Raises:
        ValueError: for a setting out of range, or one that a learned model or the game excludes.
    """
    if not (
        isinstance(evaluator, NetworkEvaluator) and isinstance(evaluator.network, LearnedModel)
    ):
        return tree_search(rules, evaluator, policy, settings, engine)
    options = {**dataclasses.asdict(settings), "engine": engine}
    simulations = options.pop("simulations")
    given = [name for name, x in options.items() if x not in (None, False, "tree")]
    if given:
        raise ValueError(
            f"the network is a learned model, which is searched without rules: leave out "
            f"{', '.join(given)}"
        )
    return LearnedSearch(rules, evaluator.network, policy, simulations)


def make_policy(
    env: Env[Any], *, network: str, temperature: float = 0.0
) -> tuple[PriorPolicy, Params]:
    """Returns the policy of a trained network, without search.

    Raises:
        ValueError: if the network is missing, damaged or of another game.
    """
    evaluator, params = _evaluator(env, "network", network)
    return PriorPolicy(env.rules, evaluator, temperature), params


def _evaluator(env: Env[Any], kind: str, file: str | None) -> tuple[Evaluator, Params]:
    if kind == "network":
        if file is None:
            raise ValueError(
                "a search needs a network, for instance 'gumbel:network=PATH' (a run's folder "
                "or an exported file), or another evaluator, as in 'gumbel:evaluator=rollout'"
            )
        return load_evaluator(env, file)
    if kind == "afterstates":
        if file is None:
            raise ValueError("evaluator=afterstates needs network=PATH, of train.afterstates")
        network, params = fitted(env, *load_network(file), file)
        # Both as in the player without search, `afterstate.make_player`.
        rules, choosing = network.domain.rules, action_domain_of(env)
        return AfterstateEvaluator(rules, network, PRIOR_TEMPERATURE, choosing=choosing), params
    if file is not None:
        raise ValueError(f"evaluator={kind} reads no network, got {file!r}")
    judge: Evaluator = Uniform(env.rules)
    if kind == "rollout":
        judge = Rollout(env.rules)
    elif kind == "heuristic":
        judge = Heuristic(env.rules, score_of(env), PRIOR_TEMPERATURE)
    return Shuffled(env.rules, judge, SLIGHT), ()


def load_evaluator(env: Env[Any], file: str) -> tuple[NetworkEvaluator, Params]:
    """Returns the network of a run or of a network file as evaluator, with its parameters.

    Raises:
        ValueError: if the network cannot be read or was trained for another game, version or size.
    """
    params, meta = load_network(file)
    check_game(env, meta, file)
    if meta.get("plays_as") == PLAYS_AS:
        raise ValueError(
            f"{file} holds values of afterstates: search on them with "
            f"evaluator=afterstates,network={file}, or play without search as {PLAYS_AS}={file}"
        )
    return make_evaluator(env, params, meta, file)
