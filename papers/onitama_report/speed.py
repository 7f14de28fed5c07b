"""Speed of the DDPG environment: a batch of games with their opponent against one game alone.

    python -m papers.onitama_report.speed

Both programs play uniformly random moves against minimax, begin new games, and have no networks. In
a batch, whole turns of all games run in one compiled scan. Alone, a game without a batch axis takes
one compiled call for each ply, and the host asks after each call whether the game is over.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxgames
from agents import command_line
from benchmarks import environment, measuring
from jaxgames import sampling
from papers import studies
from papers.onitama_report.config import OpponentConfig
from papers.onitama_report.ddpg.games import Games
from papers.onitama_report.ddpg.opponents import make_opponent

GAME = "onitama_report"
_Program = Callable[[], Any]
"""Goes on with its games for a number of turns; returns the plies played."""


class Row(NamedTuple):
    """Plies/s of each repeat of one program."""

    depth: int
    batch: int  # 1: the game alone
    rates: list[float]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        rows = measure(options.depths, options.batches, options.turns, options.repeats)
        record = environment.record() | {
            "game": GAME,
            "turns of a compiled call": options.turns,
            "repeats": options.repeats,
        }
        numbers = {"rows": [row._asdict() for row in rows]}
        title = "Environment and opponent of DDPG"
        studies.write(options.output, GAME, title, record, lines(rows), numbers, {})


def make_parser() -> measuring.Parser:
    """Returns the command line."""
    parser = measuring.Parser(
        "papers.onitama_report.speed",
        description="Plies/s of the environment of DDPG, in a batch and for one game alone.",
    )
    add = functools.partial(parser.add_argument, type=measuring.positive)
    add("--depths", nargs="+", default=(1, 2), help="depths of the opponent")
    add("--batches", nargs="+", default=(64, 1024, 4096), help="games at once")
    add("--turns", default=32, help="turns in one compiled call, and of the game alone")
    add("--repeats", default=7, help="timed repeats of each program")
    measuring.add_output(parser, "papers/onitama_report/speed")
    return parser


def measure(depths: Sequence[int], batches: Sequence[int], turns: int, repeats: int) -> list[Row]:
    """Returns the rates of all programs; programs of one depth take turns."""
    rows = []
    for depth in depths:
        programs: dict[int, _Program] = {1: alone(depth, turns)}
        programs |= {batch: batched(depth, batch, turns) for batch in batches}
        plies: dict[int, list[Any]] = {batch: [] for batch in programs}

        def work(batch: int, programs: Any = programs, plies: Any = plies) -> Any:
            plies[batch].append(programs[batch]())
            return plies[batch][-1]

        calls = {batch: functools.partial(work, batch) for batch in programs}
        for batch, times in measuring.time_in_turns(calls, repeats).items():
            counted = zip(plies[batch][1:], times, strict=True)  # the first call is not timed
            rows.append(Row(depth, batch, [int(count) / time for count, time in counted]))
    return rows


def batched(depth: int, batch: int, turns: int) -> _Program:
    """Returns the environment of DDPG with one learner that moves at random."""
    games, depths = _games(depth, batch)
    policy = jnp.ones((batch, games.rules.num_actions))

    def turn(lanes: Any, key: Any) -> tuple[Any, Any]:
        play_key, deal_key = jax.random.split(key)
        after, done = games.play(lanes, lambda _: policy, play_key[None])
        plies = (after.plies - lanes.plies).sum()
        return games.restart(after, done.has_ended, depths, deal_key[None]), plies

    @functools.partial(jax.jit, donate_argnums=0)
    def advance(lanes: Any, key: Any) -> tuple[Any, Any]:
        lanes, plies = jax.lax.scan(turn, lanes, jax.random.split(key, turns))
        return lanes, plies.sum()

    lanes = [jax.jit(games.start)(depths, jax.random.split(jax.random.key(0), 1))]
    calls = iter(range(2**31))

    def program() -> Any:
        lanes[0], plies = advance(lanes[0], jax.random.key(next(calls)))
        return plies

    return program


def alone(depth: int, turns: int) -> _Program:
    """Returns the same loop for one game, one compiled call a ply."""
    games, depths = _games(depth, 1)
    rules = games.rules

    # Each call returns all that the host asks for, so that it makes no other.
    def after(state: Any, action: Any) -> tuple[Any, Any, Any]:
        moved = rules.step(state, action, None)
        return moved, rules.to_move(moved), rules.is_over(moved)

    def key_of(number: Any) -> Any:
        return jax.random.fold_in(jax.random.key(1), number)

    @jax.jit
    def start(number: Any) -> tuple[Any, Any, Any]:
        lanes = games.start(depths, key_of(number)[None])
        game = jax.tree.map(lambda x: x[0], lanes.game)
        return game, rules.to_move(game), lanes.seat[0]

    @jax.jit
    def move(state: Any, number: Any) -> tuple[Any, Any, Any]:
        word = jax.random.bits(key_of(number), dtype=jnp.uint32)
        return after(state, sampling.sample_mask(rules.legal_actions(state), word))

    @jax.jit
    def reply(state: Any, number: Any) -> tuple[Any, Any, Any]:
        words = sampling.random_words(key_of(number), 1)
        action = games.opponent(jax.tree.map(lambda x: x[None], state), depths, words)[0]
        return after(state, action)

    numbers = iter(range(2**31))
    game = [start(next(numbers))]

    def program() -> int:
        for _ in range(2 * turns):
            state, to_move, seat = game[0]
            act = move if int(to_move) == int(seat) else reply
            state, to_move, is_over = act(state, next(numbers))
            game[0] = start(next(numbers)) if bool(is_over) else (state, to_move, seat)
        return 2 * turns

    return program


def _games(depth: int, lanes: int) -> tuple[Any, Any]:
    """Returns the games of one learner and the depth of their opponent."""
    env = jaxgames.make(GAME)
    opponent = make_opponent(env, OpponentConfig(max_depth=depth))
    return Games(env.rules, opponent, lanes), jnp.full(1, depth, jnp.int8)


def lines(rows: Sequence[Row]) -> list[str]:
    """Returns the table."""
    table = []
    single = {row.depth: row.rates for row in rows if row.batch == 1}
    for row in rows:
        games = "one, a call a ply" if row.batch == 1 else f"{row.batch:,}"
        spreads = measuring.spread(row.rates), measuring.ratios(row.rates, single[row.depth])
        cells = [f"{x.median:,.0f} ({x.lowest:,.0f} to {x.highest:,.0f})" for x in spreads]
        table.append([row.depth, games, *cells])
    return [
        "Random moves against minimax, without networks. Medians over the repeats, in brackets the "
        "range. Ratios are within one repeat, in which all programs took turns.",
        "",
        *measuring.table(["opponent's depth", "games", "plies/s", "times one game"], table),
    ]


if __name__ == "__main__":
    command_line.run(main)
