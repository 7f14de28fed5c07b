"""Forward-model calls a second inside planners, compared with random play of the same game.

    python -m benchmarks.planning --game=onitama

A call is one completed action. Planner and random play run in turns, from the same positions of
random games and on the same number of lanes. A lane of a planner is one of the games that its
search plays at once. Some planners play for all decisions of a batch at once, others for some
decisions at a time. Random play is that of `benchmarks/rollouts.py`.
"""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring

if TYPE_CHECKING:
    from jaxgames import Env

AGENTS = ("mc", "rhea")
STEPS = 512  # of one call of random play; enough that new set-ups cost little


class Speed(NamedTuple):
    """The speed of one planner; rates are of all lanes together, by repeat."""

    agent: str
    games: int  # in the batch, with one decision each
    lanes: int  # games played at once
    calls: int  # for all decisions together
    planning: Sequence[float]  # forward-model calls a second
    random: Sequence[float]  # completed actions a second

    @property
    def ratio(self) -> measuring.Spread:
        """Returns the speed of planning divided by the speed of random play of the same repeat."""
        pairs = zip(self.planning, self.random, strict=True)
        return measuring.spread([planning / random for planning, random in pairs])


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    parser = make_parser()
    options = parser.parse(arguments)
    from jaxgames.players import registry

    with measuring.user_errors(parser):
        env = registry.make_env(options.game, options.env_options)
        speeds = [
            measure(env, name, options.lanes, options.plies, options.repeats, options.seed)
            for name in options.agents
        ]
    record = environment.record() | {
        "game": options.game, "options": options.env_options or "none", "seed": options.seed,
        "random plies before": options.plies, "repeats": options.repeats,
    }  # fmt: skip
    numbers = {"environment": record, "speeds": [speed._asdict() for speed in speeds]}
    measuring.write_result(options.output, render(record, speeds), numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.planning",
        description="Forward-model calls a second inside planners, and those of random play.",
    )
    parser.add_argument("--game", default="onitama", help="id of a game (default: %(default)s)")
    parser.add_argument("--env-options", default="", help="options of the game")
    parser.add_argument(
        "--agents", nargs="+", default=AGENTS, metavar="SPEC", help="default: mc rhea"
    )
    parser.add_argument(
        "--lanes",
        type=measuring.positive,
        default=1024,
        help="games played at once, rounded up to whole decisions (default: %(default)s)",
    )
    parser.add_argument(
        "--plies", type=measuring.natural, default=8, help="random plies before the positions"
    )
    parser.add_argument("--repeats", type=measuring.positive, default=5)
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "speed/planning")
    return parser


def measure(env: "Env[Any]", name: str, lanes: int, plies: int, repeats: int, seed: int) -> Speed:
    """Returns the speed of the planner of a spec string.

    Raises:
        ValueError: for an agent that does not plan by playing games.
    """
    import jax
    import jax.numpy as jnp

    from benchmarks import rollouts
    from jaxgames.players import registry
    from jaxgames.search.planning.monte_carlo import MonteCarlo
    from jaxgames.search.planning.rhea import Evolution

    planner = registry.make(name, env).agent
    if not isinstance(planner, MonteCarlo | Evolution):
        raise ValueError(f"{name!r} does not play games of its own; choose mc, rhea or oep")
    games = next(n for n in itertools.count(1) if planner.lanes(n) >= lanes)
    lanes = planner.lanes(games)
    keys = jax.random.split(jax.random.key(seed), 4)
    states = jax.jit(functools.partial(_positions, env.rules, games, plies))(keys[0])
    starts = jax.tree.map(lambda x: x[jnp.arange(lanes) % games], states)
    asked = ~jax.vmap(env.rules.is_over)(states)
    search = jax.jit(planner.search)
    chunk = jax.jit(rollouts.own_env(env, "lean").chunk(lanes, STEPS))
    work: dict[str, Callable[[], Any]] = {
        "planning": lambda: search((), planner.nothing_kept(games), states, asked, keys[1]),
        "random": lambda: chunk(starts, keys[2]),
    }
    seconds = measuring.time_in_turns(work, repeats)
    calls = int(work["planning"]().calls.sum())
    share = float(jax.jit(functools.partial(_completed_share, env.rules))(starts, keys[3]))
    actions = STEPS * lanes * share
    return Speed(
        name,
        games,
        lanes,
        calls,
        [calls / time for time in seconds["planning"]],
        [actions / time for time in seconds["random"]],
    )


def render(record: Mapping[str, Any], speeds: Sequence[Speed]) -> str:
    """Returns the result file."""
    header = ["agent", "decisions", "lanes", "calls each", "calls/s", "random play/s", "ratio"]
    rows = []
    for speed in speeds:
        middle, lowest, highest = speed.ratio
        rows.append(
            [
                speed.agent,
                speed.games,
                speed.lanes,
                f"{speed.calls / speed.games:,.0f}",
                f"{measuring.spread(speed.planning).median:,.0f}",
                f"{measuring.spread(speed.random).median:,.0f}",
                f"{middle:.2f} ({lowest:.2f} to {highest:.2f})",
            ]
        )
    lines = [
        "Medians of completed actions a second, of all lanes together. A ratio compares planning "
        "and random play of the same repeat: the median, with the lowest and the highest.",
        "",
        *measuring.table(header, rows),
    ]
    return measuring.page("Planning compared with random play", record, lines)


def _positions(rules: Any, games: int, plies: int, key: Any) -> Any:
    """Returns games after random plies; a ply that would end its game is left out."""
    import jax

    from jaxgames import sampling
    from jaxgames.batching.trees import select_rows

    init_key, play_key = jax.random.split(key)

    def ply(states: Any, key: Any) -> tuple[Any, None]:
        word_key, chance_key = jax.random.split(key)
        actions = jax.vmap(rules.sample_action)(states, sampling.random_words(word_key, games))
        moved = jax.vmap(rules.step)(states, actions, jax.random.split(chance_key, games))
        return select_rows(jax.vmap(rules.is_over)(moved), states, moved), None

    states = jax.vmap(rules.init)(jax.random.split(init_key, games))
    return jax.lax.scan(ply, states, jax.random.split(play_key, plies))[0]


def _completed_share(rules: Any, states: Any, key: Any) -> Any:
    """Returns the share of random plies that complete an action."""
    import jax
    import jax.numpy as jnp

    from jaxgames import sampling

    def ply(carry: tuple[Any, Any, Any], key: Any) -> tuple[Any, None]:
        states, completed, played = carry
        word_key, chance_key = jax.random.split(key)
        runs = ~jax.vmap(rules.is_over)(states)
        words = sampling.random_words(word_key, len(runs))
        actions = jax.vmap(rules.sample_action)(states, words)
        completed += (runs & jax.vmap(rules.completes_action)(states, actions)).sum()
        moved = jax.vmap(rules.step)(states, actions, jax.random.split(chance_key, len(runs)))
        return (moved, completed, played + runs.sum()), None

    start = states, jnp.int32(0), jnp.int32(0)
    _, completed, played = jax.lax.scan(ply, start, jax.random.split(key, STEPS))[0]
    return completed / jnp.maximum(played, 1)


if __name__ == "__main__":
    command_line.run(main)
