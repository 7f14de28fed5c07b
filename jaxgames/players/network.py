"""Agents that play with a trained network: with search (`gumbel`) and without (`network`)."""

import dataclasses
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames import Env, Rules
from jaxgames.internal import checks
from jaxgames.networks.evaluators import make_evaluator
from jaxgames.networks.learned_model import LearnedModel
from jaxgames.networks.network_files import check_game
from jaxgames.players.afterstate import PLAYS_AS, fitted
from jaxgames.players.knowledge import action_domain_of, score_of
from jaxgames.players.stored_networks import load_network
from jaxgames.search import factories
from jaxgames.search.agent import Agent, Decision, GameStates, Memoryless, Params
from jaxgames.search.evaluators.afterstates import AfterstateEvaluator
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.evaluators.heuristic import Heuristic
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.shuffled import SLIGHT, Shuffled
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.learned_search import LearnedSearch
from jaxgames.search.tree.puct import Puct

EvaluatorKind = Literal["network", "afterstates", "uniform", "rollout", "heuristic"]
PRIOR_TEMPERATURE = 0.03  # of the prior made of a heuristic's scores, which lie in [-1, 1]


@dataclasses.dataclass(frozen=True)
class PriorPolicy(Memoryless):
    """Plays from the evaluator's prior alone, without search."""

    rules: Rules[Any]
    evaluator: Evaluator
    temperature: float = 0.0  # 0: the most probable move; 1: a move drawn from the prior

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
    simulations: int = 32,
    max_considered: int = 16,
    gumbel_scale: float = 0.0,
    max_children: int | None = None,
    reuse: bool = False,
    stop_decided: bool = False,
    rescale_values: bool = True,
    value_scale: float = 0.1,
    engine: factories.Engine = "tree",
) -> tuple[Agent, Params]:
    """Returns Gumbel AlphaZero with a trained network or another evaluator.

    A learned model is searched without the rules of the game: then this is Gumbel MuZero.

    Raises:
        ValueError: if the network is missing, damaged or of another game, or the game does not fit.
    """
    chosen, params = _evaluator(env, evaluator, network)
    search = gumbel_search_of(
        env.rules,
        chosen,
        simulations=simulations,
        max_considered=max_considered,
        gumbel_scale=gumbel_scale,
        max_children=max_children,
        reuse=reuse,
        stop_decided=stop_decided,
        rescale_values=rescale_values,
        value_scale=value_scale,
        engine=engine,
    )
    return search, params


def gumbel_search_of(
    rules: Rules[Any],
    evaluator: Evaluator,
    *,
    simulations: int,
    max_considered: int = 16,
    gumbel_scale: float = 0.0,
    max_children: int | None = None,
    reuse: bool = False,
    stop_decided: bool = False,
    rescale_values: bool = True,
    value_scale: float = 0.1,
    engine: factories.Engine = "tree",
) -> Agent:
    """Returns the Gumbel search of an evaluator: with its own model if it is a learned one.

    Raises:
        ValueError: for a setting out of range, or one that a learned model or the game excludes.
    """
    if (model := _learned_model(evaluator)) is not None:
        _refuse_options_of_rules(
            max_children=max_children, reuse=reuse, stop_decided=stop_decided, engine=engine
        )
        policy = Gumbel(max_considered, gumbel_scale, value_scale, rescale_values=rescale_values)
        return LearnedSearch(rules, model, policy, simulations)
    return factories.gumbel_search(
        rules,
        evaluator,
        engine=engine,
        simulations=simulations,
        max_considered=max_considered,
        gumbel_scale=gumbel_scale,
        max_children=max_children,
        reuse=reuse,
        stop_decided=stop_decided,
        rescale_values=rescale_values,
        value_scale=value_scale,
    )


def make_puct(
    env: Env[Any],
    *,
    network: str | None = None,
    evaluator: EvaluatorKind = "network",
    simulations: int = 32,
    c_init: float = 1.25,
    dirichlet_fraction: float = 0.0,
    dirichlet_alpha: float = 0.3,
    temperature: float = 0.0,
    max_children: int | None = None,
    reuse: bool = False,
    stop_decided: bool = False,
) -> tuple[Agent, Params]:
    """Returns AlphaZero's search with a trained network or another evaluator.

    A learned model is searched without the rules of the game.

    Raises:
        ValueError: if the network is missing, damaged or of another game, or the game does not fit.
    """
    chosen, params = _evaluator(env, evaluator, network)
    if (model := _learned_model(chosen)) is not None:
        _refuse_options_of_rules(max_children=max_children, reuse=reuse, stop_decided=stop_decided)
        policy = Puct(dirichlet_fraction, dirichlet_alpha, temperature, c_init)
        return LearnedSearch(env.rules, model, policy, simulations), params
    search = factories.puct_search(
        env.rules,
        chosen,
        simulations=simulations,
        c_init=c_init,
        dirichlet_fraction=dirichlet_fraction,
        dirichlet_alpha=dirichlet_alpha,
        temperature=temperature,
        max_children=max_children,
        reuse=reuse,
        stop_decided=stop_decided,
    )
    return search, params


def make_policy(
    env: Env[Any], *, network: str, temperature: float = 0.0
) -> tuple[PriorPolicy, Params]:
    """Returns the policy of a trained network, without search.

    Raises:
        ValueError: if the network is missing, damaged or of another game.
    """
    evaluator, params = _evaluator(env, "network", network)
    return PriorPolicy(env.rules, evaluator, temperature), params


def _learned_model(evaluator: Evaluator) -> LearnedModel | None:
    if isinstance(evaluator, NetworkEvaluator) and isinstance(evaluator.network, LearnedModel):
        return evaluator.network
    return None


def _refuse_options_of_rules(**options: Any) -> None:
    """Raises a `ValueError` for options that a search with a learned model does not have."""
    given = [name for name, x in options.items() if x not in (None, False, "tree")]
    if given:
        raise ValueError(
            f"the network is a learned model, which is searched without rules: leave out "
            f"{', '.join(given)}"
        )


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
