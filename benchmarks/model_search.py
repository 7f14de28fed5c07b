"""Search with a learned model: `jaxgames.search.mctx` against mctx, on the same `recurrent_fn`.

    python -m benchmarks.model_search

The model has one hidden layer and random weights: it predicts an embedding of 64 numbers, logits,
a value and a reward. Both searches have the same keys, so they make the same simulations. They run
in turns, and so does the model alone: a loop of as many predictions as a search makes. A search of
mctx can take minutes; then it runs fewer times. Memory is that of the compiled program beside its
arguments.
"""

import functools
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring

ACTIONS = (16, 200)
SIMULATIONS = (32, 200, 800)
LANES = 128
HIDDEN, EMBEDDING = 256, 64
POLICIES = ("gumbel_muzero_policy", "muzero_policy")
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
        scale = 1e6 / (self.lanes * self.simulations)
        middle, low, high = measuring.spread(self.seconds[name])
        return measuring.Spread(scale * middle, scale * low, scale * high)

    @property
    def speedup(self) -> float:
        """How many times as fast ours is: the median of the ratios within the repeats."""
        pairs = zip(self.seconds["mctx"], self.seconds["ours"], strict=True)
        return statistics.median(slow / fast for slow, fast in pairs)

    @property
    def beyond_model(self) -> float:
        """Microseconds of a simulation of one lane by ours, without the model."""
        pairs = zip(self.seconds["ours"], self.seconds["model"], strict=True)
        seconds = statistics.median(whole - model for whole, model in pairs)
        return 1e6 * seconds / (self.lanes * self.simulations)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    options = make_parser().parse(arguments)
    results = [
        measure(policy, actions, simulations, options.lanes, options.repeats, options.most_seconds)
        for policy in options.policies
        for actions in options.actions
        for simulations in options.simulations
    ]
    record = environment.record() | {
        "model": f"one hidden layer of {HIDDEN}, embeddings of {EMBEDDING} numbers",
        "lanes": options.lanes,
    }
    numbers = {
        "environment": record,
        "results": [
            found._asdict() | {"speedup": found.speedup, "beyond_model": found.beyond_model}
            for found in results
        ],
    }
    measuring.write_result(options.output, render(record, results), numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.model_search",
        description="Time and memory of searches with a learned model, by mctx and by ours.",
    )
    positive = measuring.positive
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=POLICIES[:1])
    parser.add_argument("--actions", nargs="+", type=positive, default=ACTIONS)
    parser.add_argument("--simulations", nargs="+", type=positive, default=SIMULATIONS)
    parser.add_argument("--lanes", type=positive, default=LANES, help="roots searched at once")
    parser.add_argument("--repeats", type=positive, default=3)
    parser.add_argument(
        "--most-seconds",
        type=positive,
        default=60,
        help="no further repeat of a size that has taken longer (default: %(default)s)",
    )
    measuring.add_output(parser, "speed/model_search")
    return parser


def measure(
    policy: str, actions: int, simulations: int, lanes: int, repeats: int, most_seconds: int
) -> Result:
    """Runs both engines and the model in turns."""
    import jax
    import numpy as np

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
    import jax

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
    import jax
    import jax.numpy as jnp

    hidden = jax.nn.relu(embedding @ params["embedding"] + params["action"][action])
    value, reward = jnp.tanh(hidden @ params["values"]).T
    return jnp.tanh(hidden @ params["next"]), hidden @ params["policy"], value, reward


def search(engine: str, policy: str, simulations: int) -> Callable[..., Any]:
    """Returns a search: weights, embeddings of roots and a key to actions and their weights."""
    import jax.numpy as jnp

    if engine == "mctx":
        import mctx as library
    else:
        import jaxgames.search.mctx as library

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
    import jax
    import jax.numpy as jnp

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


def render(record: Mapping[str, Any], results: Sequence[Result]) -> str:
    """Returns the result file."""
    header = [
        *("policy", "actions", "simulations", "mctx", "ours", "ours faster by"),
        *("model alone", "ours beyond the model", "MB mctx", "MB ours", "memory", "same actions"),
    ]
    rows = [
        [
            found.policy,
            found.actions,
            found.simulations,
            _time(found.per_simulation("mctx")),
            _time(found.per_simulation("ours")),
            f"{found.speedup:.1f} x",
            f"{found.per_simulation('model').median:.2f}",
            f"{found.beyond_model:.2f}",
            f"{found.bytes['mctx'] / 1e6:.1f}",
            f"{found.bytes['ours'] / 1e6:.1f}",
            f"1/{found.bytes['mctx'] / found.bytes['ours']:.1f}",
            f"{100 * found.same_actions:.1f} %",
        ]
        for found in results
    ]
    lines = [
        "Microseconds of one simulation of one root; in brackets the fastest and the slowest "
        "repeat. A ratio is the median of the ratios within each repeat.",
        "",
        *measuring.table(header, rows),
    ]
    return measuring.page("Search with a learned model", record, lines)


def _time(spread: measuring.Spread) -> str:
    return f"{spread.median:.1f} ({spread.lowest:.1f} to {spread.highest:.1f})"


if __name__ == "__main__":
    command_line.run(main)
