"""Where the time of self-play goes: network, tree and environment; memory of a search.

    python -m benchmarks.search --game=onitama --peers

Three compiled programs run in turns on the same lanes (`benchmarks/selfplay_programs.py`):

- *self-play* as in training: search, choice of the move, step, reset, record;
- *network*: `simulations + 1` evaluations of the batch for each ply, as many as a search makes;
- *environment*: as many times, the part of a simulation that the game computes: legal actions and
  the action in a slot, step, end and returns, observation, list of legal actions.

The rest of the time of self-play is the tree. Self-play runs with each of `--searches` (ours and
mctx) in turns. With `--peers`, self-play in the way of pgx's AlphaZero example on its 5x5 game
(`benchmarks/peers.py`) runs in turns with ours. Both have the same number of residual blocks,
channels and simulations; each counts at its own best batch.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("search")

import argparse
import dataclasses
import functools
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax

import jaxgames
from benchmarks import measuring
from benchmarks.commands import Report
from benchmarks.selfplay_programs import SelfPlay, bytes_of_one, memory
from configs.alphazero import SelfPlayConfig
from jaxgames import Env
from jaxgames.networks.config import NetworkConfig

PEER = "gardner_chess"
ACCELERATOR_BATCHES = (256, 2048)
CPU_BATCHES = (256,)
PARTS = ("network", "tree", "environment")


class Split(NamedTuple):
    """The time of self-play and of its parts with one search and batch size."""

    search: str
    batch: int
    simulations: int  # of one search
    plies: int  # of one call of self-play
    seconds: Mapping[str, Sequence[float]]  # of `selfplay`, `network`, `environment`, by repeat
    search_bytes: Mapping[str, int]  # memory of one search

    @property
    def positions_per_second(self) -> float:
        """Moves of self-play of all lanes together."""
        return self.batch * self.plies / statistics.median(self.seconds["selfplay"])

    @property
    def simulations_per_second(self) -> float:
        """Simulations of all lanes together; evaluations of roots are not counted."""
        return self.positions_per_second * self.simulations

    def share(self, part: str) -> measuring.Spread:
        """Returns the share of a part in the time of self-play; see `render`."""
        seconds = [self.seconds[name] for name in ("selfplay", "network", "environment")]

        def share(whole: float, network: float, env: float) -> float:
            times = {"network": network, "environment": env, "tree": whole - network - env}
            return times[part] / whole

        of_repeats = [share(*times) for times in zip(*seconds, strict=True)]
        middle = share(*(statistics.median(times) for times in seconds))
        return measuring.Spread(middle, min(of_repeats), max(of_repeats))


class Race(NamedTuple):
    """Positions/s of two ways of self-play at one batch size, by repeat."""

    batch: int
    rates: Mapping[str, Sequence[float]]
    state_bytes: Mapping[str, int]  # of one game in a node of the tree
    search_bytes: Mapping[str, int]  # temporary memory of one search


def measure(options: argparse.Namespace) -> Report:
    """Measures the parts of self-play at each batch size, and its race against pgx."""
    env = jaxgames.make(options.game)
    network = NetworkConfig(blocks=options.blocks, channels=options.channels)
    usual = CPU_BATCHES if jax.default_backend() == "cpu" else ACCELERATOR_BATCHES
    splits = []
    for batch in options.batches or usual:
        config = _config(options, batch)
        splits += measure_splits(
            env, network, config, options.searches, options.repeats, options.seed
        )
    races = []
    if options.peers:
        configs = [_config(options, batch) for batch in sorted(set(options.peer_batches))]
        races = race(env, network, configs, options.repeats, options.seed)
    return Report(
        "Self-play: network, tree and environment",
        render(splits, races),
        {
            "splits": [
                s._asdict() | {part: s.share(part)._asdict() for part in PARTS} for s in splits
            ],
            "races": [r._asdict() for r in races],
        },
        {
            "game": env.id,
            "network": f"{network.blocks} residual blocks of {network.channels} channels",
            "seed": options.seed,
            "repeats": options.repeats,
        },
    )


def _config(options: argparse.Namespace, batch: int) -> SelfPlayConfig:
    return SelfPlayConfig(lanes=batch, plies=options.plies, simulations=options.simulations)


def measure_splits(
    env: Env[Any],
    network: NetworkConfig,
    config: SelfPlayConfig,
    searches: Sequence[str],
    repeats: int,
    seed: int,
) -> list[Split]:
    """Times self-play and its parts at one batch size, on lanes in the middle of their games."""
    programs = {
        search: SelfPlay(env, network, dataclasses.replace(config, search=search))
        for search in searches
    }
    parts = programs[searches[0]]
    params_key, lanes_key, play_key = jax.random.split(jax.random.key(seed), 3)
    params, lanes = jax.jit(parts.network.init)(params_key), parts.start(lanes_key)
    obs = parts.observe(lanes.game)
    work: dict[str, Callable[[], Any]] = {
        "network": lambda: parts.evaluate_repeatedly(params, obs),
        "environment": lambda: parts.simulate_repeatedly(lanes.game, obs),
    }
    for search, program in programs.items():
        work[search] = functools.partial(program.play, params, lanes, play_key)
    seconds = measuring.time_in_turns(work, repeats)
    shared = {name: seconds[name] for name in ("network", "environment")}
    return [
        Split(
            search,
            config.lanes,
            config.simulations,
            config.plies,
            {"selfplay": seconds[search], **shared},
            memory(program.search, params, lanes.game, play_key),
        )
        for search, program in programs.items()
    ]


def race(
    env: Env[Any],
    network: NetworkConfig,
    configs: Sequence[SelfPlayConfig],
    repeats: int,
    seed: int,
) -> list[Race]:
    """Times self-play of this library and of pgx's example, all batch sizes in turns."""
    from benchmarks.peers import PgxSelfPlay  # pgx is not always installed

    params_key, lanes_key, play_key = jax.random.split(jax.random.key(seed), 3)
    work: dict[tuple[str, int], Callable[[], Any]] = {}
    sizes = []
    for config in configs:
        own = SelfPlay(env, network, config)
        peer = PgxSelfPlay(PEER, network, config.simulations, config.plies)
        lanes, states = own.start(lanes_key), peer.start(lanes_key, config.lanes)
        own_inputs = jax.jit(own.network.init)(params_key), lanes, play_key
        peer_inputs = jax.jit(peer.network.init)(params_key), states, play_key
        work[env.id, config.lanes] = functools.partial(own.play, *own_inputs)
        work[PEER, config.lanes] = functools.partial(peer.play, *peer_inputs)
        own_bytes = memory(own.search, own_inputs[0], lanes.game, play_key)
        peer_bytes = memory(peer.search, *peer_inputs)
        state_bytes = {env.id: bytes_of_one(lanes.game), PEER: bytes_of_one(states)}
        sizes.append((state_bytes, {env.id: own_bytes["temp"], PEER: peer_bytes["temp"]}))
    seconds = measuring.time_in_turns(work, repeats)
    races = []
    for config, (state_bytes, search_bytes) in zip(configs, sizes, strict=True):
        moves = config.lanes * config.plies
        rates = {
            name: [moves / time for time in seconds[name, config.lanes]] for name in (env.id, PEER)
        }
        races.append(Race(config.lanes, rates, state_bytes, search_bytes))
    return races


def best(races: Sequence[Race]) -> dict[str, tuple[float, int]]:
    """Returns the highest median of positions/s of each way of self-play, and its batch."""
    return {
        name: max((statistics.median(race.rates[name]), race.batch) for race in races)
        for name in races[0].rates
    }


def render(splits: Sequence[Split], races: Sequence[Race]) -> list[str]:
    """Returns the lines of the record."""
    header = ["search", "batch", "simulations", "positions/s", "simulations/s", *PARTS]
    rows = [
        [
            split.search,
            split.batch,
            split.simulations,
            f"{split.positions_per_second:,.0f}",
            f"{split.simulations_per_second:,.0f}",
            *(_percent(split.share(part)) for part in PARTS),
            _megabytes(split.search_bytes["temp"]),
        ]
        for split in splits
    ]
    return [
        "A share is the median time of a part divided by the median time of self-play; in brackets "
        "the lowest and the highest share of a repeat. Memory is that of one compiled search of "
        "the batch.",
        "",
        *measuring.table([*header, "temporary MB"], rows),
        *(_race_lines(races) if races else []),
    ]


def _race_lines(races: Sequence[Race]) -> list[str]:
    rows = []
    for race in races:
        for name, rates in race.rates.items():
            speeds = [f"{rate:,.0f}" for rate in measuring.spread(rates)]
            memory = [race.state_bytes[name], _megabytes(race.search_bytes[name])]
            rows.append([name, race.batch, *speeds, *memory])
    (own, (own_rate, own_batch)), (peer, (peer_rate, peer_batch)) = best(races).items()
    return [
        "",
        "## Self-play compared with pgx and mctx",
        "",
        "In turns, with equal numbers of blocks, channels and simulations:",
        "",
        *measuring.table(
            ["game", "batch", "positions/s", "lowest", "highest", "state bytes", "temporary MB"],
            rows,
        ),
        "",
        f"Each at its own best batch: {own} ({own_batch}) plays **{own_rate / peer_rate:.1f} "
        f"times** as many positions/s as {peer} ({peer_batch}).",
    ]


def _percent(share: measuring.Spread) -> str:
    middle, lowest, highest = (100 * x for x in share)
    return f"{middle:.1f} % ({lowest:.1f} to {highest:.1f})"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f}"
