"""How far a learned model is right, step by step, and what its errors cost in a match.

    python -m benchmarks.model_error --network=runs/muzero-onitama-0 --opponent=minimax:depth=1

Games are played by the model's own policy. From positions of these games, the model is unrolled
along the actions that were played, and its predictions after each action are compared with the
position that the rules lead to: the legal actions, the seat to move and the outcome; and with what
the same network predicts when it observes that position.

Three players then meet the opponent with this network: its policy without search, the search with
the model, and the same search with the rules. The first loses by policy and values alone. Where
the second is weaker than the third, the model's errors cost the difference.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("model_error")

import argparse
import functools
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames.env import Env
from jaxgames.matches.match import check_match, match
from jaxgames.matches.match_loop import MatchResult
from jaxgames.networks.learned_model import LearnedModel
from jaxgames.players import registry, stand_ins
from jaxgames.players.network import PriorPolicy, load_evaluator
from jaxgames.players.player import Player
from jaxgames.search.agent import Agent, Params
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.model_agent import LearnedSearch
from jaxgames.search.tree.search import TreeSearch
from jaxgames.state import State

POLICY, MODEL, RULES = "policy", "search with the model", "search with the rules"


class Games(NamedTuple):
    """Games played side by side, `T` plies of each."""

    states: State[Any]  # [T + 1, B, ...], without observations
    action: Int32[Array, "T B"]
    outcome: Float[Array, "B players"]
    is_decided: Bool[Array, "B"]  # whether the game ended within its plies


class Errors(NamedTuple):
    """Means over the sequences, by the number of actions after the observed position, from 0."""

    illegal: Float[Array, "K"]
    """Share of the prior on actions that are illegal."""
    first_legal: Float[Array, "K"]
    """Share of positions whose most probable action is legal."""
    seat: Float[Array, "K"]
    """Share of positions whose seat to move is right."""
    value: Float[Array, "K"]
    """Root of the mean squared error of the value, against the outcome of games that ended."""
    value_observed: Float[Array, "K"]
    """The same for the value of a network that observes the position."""
    same_choice: Float[Array, "K"]
    """Share of positions whose most probable legal action is that of such a network."""


def measure(options: argparse.Namespace) -> Report:
    """Plays the games, unrolls the model, and plays the matches.

    Raises:
        ValueError: for a network that is no learned model of the game, an unknown opponent, a
            number of games that does not fit, or games too short for the steps.
    """
    started = time.perf_counter()
    if options.steps > options.plies:
        raise ValueError(f"--steps={options.steps} are more than --plies={options.plies}")
    env = registry.make_env(options.game, options.env_options)
    check_match(env, env.num_players, options.games, options.opening_plies)
    opponent = registry.make_program(options.opponent, env)
    evaluator, params = load_evaluator(env, options.network)
    if not isinstance(evaluator.network, LearnedModel):
        raise ValueError(
            f"--network={options.network} has no model: expected a network of train.muzero"
        )
    policy = Gumbel(gumbel_scale=0.0, rescale_values=not options.no_rescale_values)
    key = jax.random.key(options.seed)
    play_key, match_key = jax.random.split(key)
    games = play(env, evaluator, params, options.lanes, options.plies, play_key)
    found = unroll(env, evaluator.network, params, games, options.steps)
    errors, sequences = jax.device_get(found)
    if not sequences:
        raise ValueError(f"no game lasted --steps={options.steps} plies: expected a smaller number")
    players: dict[str, Agent] = {
        POLICY: PriorPolicy(env.rules, evaluator),
        MODEL: LearnedSearch(env.rules, evaluator.network, policy, options.simulations),
        RULES: TreeSearch(env.rules, evaluator, policy, options.simulations),
    }
    results = {
        name: match(
            env,
            (Player(name, agent, params), *[opponent] * (env.num_players - 1)),
            match_key,
            options.games,
            options.opening_plies,
        )
        for name, agent in players.items()
    }
    return Report(
        "Errors of a learned model",
        render(errors, int(sequences), results, options.opponent),
        {
            "errors": {name: x.tolist() for name, x in errors._asdict().items()},
            "sequences": int(sequences),
            "scores": {name: found.scores[0]._asdict() for name, found in results.items()},
        },
        {
            "game": f"{options.game} {options.env_options}".strip(),
            "network": options.network,
            "simulations": options.simulations,
            "rescale_values": policy.rescale_values,
            "random plies first": options.opening_plies,
            **stand_ins.meaning([options.opponent], env),
            "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        },
    )


@functools.partial(jax.jit, static_argnums=(0, 1, 3, 4))
def play(
    env: Env[Any],
    evaluator: NetworkEvaluator,
    params: Params,
    lanes: int,
    plies: int,
    key: PRNGKeyArray,
) -> Games:
    """Returns games in which every move is drawn from the policy of the network."""
    start_key, key = jax.random.split(key)
    first = jax.vmap(env.init)(jax.random.split(start_key, lanes))
    policy = PriorPolicy(env.rules, evaluator, temperature=1.0)

    def one_ply(
        carry: tuple[State[Any], Float[Array, "B players"]], key: PRNGKeyArray
    ) -> tuple[Any, Any]:
        state, returns = carry
        move_key, chance_key = jax.random.split(key)
        action = policy.act(params, (), state.game, move_key)[0].action
        after = jax.vmap(env.step)(state, action, jax.random.split(chance_key, lanes))
        return (after, returns + after.rewards), (state.replace(observation=()), action)

    start = first, jnp.zeros_like(first.rewards)
    (last, outcome), (states, action) = jax.lax.scan(one_ply, start, jax.random.split(key, plies))
    last = last.replace(observation=())
    states = jax.tree.map(lambda xs, x: jnp.concatenate([xs, x[None]]), states, last)
    return Games(states, action, outcome, last.terminated)


@functools.partial(jax.jit, static_argnums=(0, 1, 4))
def unroll(
    env: Env[Any], model: LearnedModel, params: Params, games: Games, steps: int
) -> tuple[Errors, Int32[Array, ""]]:
    """Returns the errors of the model, and the number of sequences: all that fit into the games."""
    starts = len(games.action) - steps + 1
    ended = games.states.terminated | games.states.truncated

    def from_ply(start: Int32[Array, ""]) -> tuple[Any, ...]:
        found = [
            jax.tree.map(lambda x, step=step: x[start + step], games.states)
            for step in range(steps + 1)
        ]
        seats = [jax.vmap(env.rules.to_move)(state.game).astype(jnp.int32) for state in found]
        goes_on = ~ended[start + steps]
        features = model.represent(params, _observe(env, found[0], seats[0]))
        seat, sums = seats[0], []
        for step, state in enumerate(found):
            if step:
                after = model.step(params, features, games.action[start + step - 1])
                features = after.features
                seat = (seat + after.seat_logits.argmax(axis=-1)) % env.num_players
            fresh = model.represent(params, _observe(env, state, seats[step]))
            sums.append(
                _compare(model, params, games, state, seats[step], features, seat, fresh, goes_on)
            )
        return jax.tree.map(lambda *xs: jnp.stack(xs), *sums), goes_on.sum()

    sums, counts = jax.lax.map(from_ply, jnp.arange(starts))
    total, decided = counts.sum(), sums.pop("decided").sum(axis=0)
    means = {name: x.sum(axis=0) / jnp.maximum(total, 1) for name, x in sums.items()}
    for name in ("value", "value_observed"):
        means[name] = jnp.sqrt(sums[name].sum(axis=0) / jnp.maximum(decided, 1))
    return Errors(**means), total


def _observe(env: Env[Any], state: State[Any], seat: Int32[Array, "B"]) -> Any:
    return jax.vmap(env.rules.observe)(state.game, seat)


def _compare(
    model: LearnedModel,
    params: Params,
    games: Games,
    state: State[Any],
    mover: Int32[Array, "B"],
    features: Any,
    seat: Int32[Array, "B"],
    fresh: Any,
    counts: Bool[Array, "B"],
) -> dict[str, Float[Array, ""]]:
    """Returns sums over the games whose sequence counts; fields as in `Errors`."""
    legal = state.legal_action_mask
    predicted, observed = model.predict(params, features), model.predict(params, fresh)
    prior = jax.nn.softmax(predicted.logits.astype(jnp.float32))
    first = prior.argmax(axis=-1)
    rows = jnp.arange(len(first))

    def choice(logits: Float[Array, "B actions"]) -> Int32[Array, "B"]:
        return jnp.where(legal, logits, -jnp.inf).argmax(axis=-1)

    def squared(values: Float[Array, "B players"], of: Int32[Array, "B"]) -> Float[Array, "B"]:
        return (values[:, 0].astype(jnp.float32) - games.outcome[rows, of]) ** 2 * games.is_decided

    found = {
        "illegal": jnp.where(legal, 0, prior).sum(axis=-1),
        "first_legal": legal[rows, first],
        "seat": seat == mover,
        "value": squared(predicted.values, seat),
        "value_observed": squared(observed.values, mover),
        "same_choice": choice(predicted.logits) == choice(observed.logits),
        "decided": games.is_decided,
    }
    return {name: (x * counts).sum().astype(jnp.float32) for name, x in found.items()}


def render(
    errors: Errors, sequences: Any, results: Mapping[str, MatchResult], opponent: str
) -> list[str]:
    """Returns the lines of the record."""
    rows = []
    for step in range(len(errors.illegal)):
        at = Errors(*(x[step] for x in errors))
        shares = (at.illegal, at.first_legal, at.seat, at.same_choice)
        illegal, first, seat, same = (f"{100 * x:.1f} %" for x in shares)
        rows.append(
            [step, illegal, first, seat, same, f"{at.value:.3f}", f"{at.value_observed:.3f}"]
        )
    scores = {name: result.scores[0] for name, result in results.items()}
    played = [
        [name, f"{100 * x.mean:.1f} ± {100 * x.standard_error:.1f} % of {x.games} games"]
        for name, x in scores.items()
    ]
    different = {name: (result.different, len(result.plies)) for name, result in results.items()}
    warnings = measuring.repeated_games(different)
    return [
        f"Means of {sequences:,} sequences of games that the network's own policy played.",
        "",
        *measuring.table(
            [
                "actions after the observed position",
                "prior on illegal actions",
                "most probable action is legal",
                "seat to move is right",
                "same choice as after observing",
                "error of the value",
                "the same after observing",
            ],
            rows,
        ),
        "",
        "The error of a value is the root of its mean square against the outcome, from -1 to 1.",
        "",
        *measuring.table([f"player with this network, against {opponent}", "score"], played),
        *(["", *warnings] if warnings else []),
    ]
