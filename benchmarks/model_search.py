"""Search with a learned model: `jaxgames.search.mctx` against mctx, on the same `recurrent_fn`.

    python -m benchmarks.model_search

The model has one hidden layer and random weights: it predicts an embedding of 64 numbers, logits,
a value and a reward. Both searches have the same keys, so they make the same simulations. They run
in turns, and so does the model alone: a loop of as many predictions as a search makes. A search of
mctx can take minutes; then it runs fewer times. Memory is that of the compiled program beside its
arguments.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("model_search")

import argparse
import functools
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mctx
import numpy as np

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames.search import mctx as ours

HIDDEN, EMBEDDING = 256, 64
ENGINES = ("mctx", "ours")


class Result(NamedTuple):
    """Searches of one size by both engines, and the model alone."""

    policy: str
    actions: int
    simulations: int
    lanes: int
    seconds: Mapping[str, Sequence[float]]  # of one search of all lanes, by repeat
    bytes: Mapping[str, int]
    same_actions: float  # share of lanes where both engines choose the same action

    def per_simulation(self, name: str) -> measuring.Spread:
        """Returns microseconds of one simulation of one lane."""
        return measuring.spread(self.seconds[name], 1e6 / (self.lanes * self.simulations))

    @property
    def speedup(self) -> float:
        """How many times as fast ours is: the median of the ratios within the repeats."""
        return measuring.ratios(self.seconds["mctx"], self.seconds["ours"]).median

    @property
    def beyond_model(self) -> float:
        """Microseconds of a simulation of one lane by ours, without the model."""
        pairs = zip(self.seconds["ours"], self.seconds["model"], strict=True)
        seconds = statistics.median(whole - model for whole, model in pairs)
        return 1e6 * seconds / (self.lanes * self.simulations)


def measure(options: argparse.Namespace) -> Report:
    """Measures searches of all sizes."""
    results = [
        measure_size(
            policy, actions, simulations, options.lanes, options.repeats, options.most_seconds
        )
        for policy in options.policies
        for actions in options.actions
        for simulations in options.simulations
    ]
    numbers = [
        one._asdict() | {"speedup": one.speedup, "beyond_model": one.beyond_model}
        for one in results
    ]
    return Report(
        "Search with a learned model",
        render(results),
        {"results": numbers},
        {
            "model": f"one hidden layer of {HIDDEN}, embeddings of {EMBEDDING} numbers",
            "lanes": options.lanes,
        },
    )


def measure_size(
    policy: str, actions: int, simulations: int, lanes: int, repeats: int, most_seconds: int
) -> Result:
    """Runs both engines and the model in turns."""
    params, embedding = make_model(actions, lanes)
    work: dict[str, Callable[[], Any]] = {}
    needed = {}
    for name in (*ENGINES, "model"):
        program = (
            _model_alone(simulations) if name == "model" else search(name, policy, simulations)
        )
        inputs = params, embedding, jax.random.key(1)
        compiled = jax.jit(program).lower(*inputs).compile()
        work[name] = functools.partial(compiled, *inputs)
        memory: Any = compiled.memory_analysis()
        needed[name] = memory.temp_size_in_bytes + memory.output_size_in_bytes
    seconds: dict[str, list[float]] = {name: [] for name in work}
    found: dict[str, Any] = {}
    begun = time.perf_counter()
    while not found or len(seconds["ours"]) < repeats:
        if found and time.perf_counter() - begun > most_seconds:
            break
        for name, function in work.items():
            started = time.perf_counter()
            found[name] = jax.block_until_ready(function())
            seconds[name].append(time.perf_counter() - started)
    same = float(np.mean(np.asarray(found["mctx"][0]) == np.asarray(found["ours"][0])))
    return Result(policy, actions, simulations, lanes, seconds, needed, same)


def make_model(actions: int, lanes: int) -> tuple[dict[str, Any], Any]:
    """Returns the weights of a random model, and the embeddings of the roots."""
    names = ("embedding", "action", "next", "policy", "values")
    keys = dict(zip((*names, "roots"), jax.random.split(jax.random.key(0), 6), strict=True))
    shapes = {
        "embedding": (EMBEDDING, HIDDEN),
        "action": (actions, HIDDEN),
        "next": (HIDDEN, EMBEDDING),
        "policy": (HIDDEN, actions),
        "values": (HIDDEN, 2),
    }
    scales = {"embedding": EMBEDDING**-0.5, "action": EMBEDDING**-0.5, "policy": 2 * HIDDEN**-0.5}
    params = {
        name: scales.get(name, HIDDEN**-0.5) * jax.random.normal(keys[name], shapes[name])
        for name in names
    }
    return params, jax.random.normal(keys["roots"], (lanes, EMBEDDING))


def predict(params: Mapping[str, Any], action: Any, embedding: Any) -> tuple[Any, ...]:
    """Returns the next embedding, logits, value and reward."""
    hidden = jax.nn.relu(embedding @ params["embedding"] + params["action"][action])
    value, reward = jnp.tanh(hidden @ params["values"]).T
    return jnp.tanh(hidden @ params["next"]), hidden @ params["policy"], value, reward


def search(engine: str, policy: str, simulations: int) -> Callable[..., Any]:
    """Returns a search: weights, embeddings of roots and a key to actions and their weights."""
    library: Any = {"mctx": mctx, "ours": ours}[engine]

    def recurrent_fn(params: Any, key: Any, action: Any, embedding: Any) -> tuple[Any, Any]:
        del key
        embedding, logits, value, reward = predict(params, action, embedding)
        output = library.RecurrentFnOutput(
            reward=reward,
            discount=jnp.full_like(reward, 0.99),
            prior_logits=logits,
            value=value,
        )
        return output, embedding

    def decide(params: Any, embedding: Any, key: Any) -> Any:
        first = jnp.zeros(len(embedding), jnp.int32)
        embedding, logits, value, _ = predict(params, first, embedding)
        root = library.RootFnOutput(prior_logits=logits, value=value, embedding=embedding)
        found = getattr(library, policy)(params, key, root, recurrent_fn, simulations)
        return found.action, found.action_weights

    return decide


def _model_alone(simulations: int) -> Callable[..., Any]:
    """Returns a loop of predictions, each of which needs all results of the one before."""

    def run(params: Any, embedding: Any, key: Any) -> Any:
        del key

        def once(_: Any, carry: tuple[Any, Any]) -> tuple[Any, Any]:
            action, embedding = carry
            embedding, logits, value, reward = predict(params, action, embedding)
            action = jnp.argmax(logits + (value + reward)[:, None], axis=-1).astype(jnp.int32)
            return action, embedding

        first = jnp.zeros(len(embedding), jnp.int32)
        return jax.lax.fori_loop(0, simulations, once, (first, embedding))

    return run


def render(results: Sequence[Result]) -> list[str]:
    """Returns the lines of the record."""
    header = [
        *("policy", "actions", "simulations", "mctx", "ours", "ours faster by"),
        *("model alone", "ours beyond the model", "MB mctx", "MB ours", "memory", "same actions"),
    ]
    rows = [
        [
            one.policy,
            one.actions,
            one.simulations,
            one.per_simulation("mctx").text(),
            one.per_simulation("ours").text(),
            f"{one.speedup:.1f} x",
            f"{one.per_simulation('model').median:.2f}",
            f"{one.beyond_model:.2f}",
            *(f"{one.bytes[name] / 1e6:.1f}" for name in ENGINES),
            f"1/{one.bytes['mctx'] / one.bytes['ours']:.1f}",
            f"{100 * one.same_actions:.1f} %",
        ]
        for one in results
    ]
    return [
        "Microseconds of one simulation of one root; in brackets the fastest and the slowest "
        "repeat. A ratio is the median of the ratios within each repeat.",
        "",
        *measuring.table(header, rows),
    ]
