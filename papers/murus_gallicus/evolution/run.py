"""A run of evolutionary learning: propose players, let all of them meet, learn from the results.

One iteration is one generation of every seed, compiled as a single device program.
"""

import functools
import pathlib
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.batching.trees import fold_in
from jaxgames.env import Env
from jaxgames.internal import imports
from jaxgames.players.registry import make_env
from papers.murus_gallicus.evolution import matches, plots
from papers.murus_gallicus.evolution.config import TUNABLE, EvolutionConfig
from papers.murus_gallicus.evolution.matches import Play, RoundRobin
from papers.murus_gallicus.evolution.players import Players, make_players
from papers.murus_gallicus.evolution.scheme import FROZEN, Scheme, elite_of
from papers.murus_gallicus.evolution.tunable import Group, group_of
from train import run_record
from train.run import Snapshot

if TYPE_CHECKING:
    from papers.murus_gallicus.evolution.cma import CmaEs

MOST_SHOWN_GENES = 8  # more of them would drown the other metrics


Method = Union[Scheme, "CmaEs"]
"""How the players of a generation are proposed, and what is learned from their games.

Each evolves one population, of which the frozen player is always a member. Pure functions of
arrays, so that they can be compiled with the games and run for many seeds.
"""
State = Any
"""All that changes: of the scheme a `Population`, of CMA-ES a `CmaState`, of every seed."""


class Generation(NamedTuple):
    """One generation of every seed; all arrays have a leading axis `seeds`."""

    state: State
    genomes: Int32[Array, "seeds individuals genes"]
    results: RoundRobin


class Evolution:
    """Evolutionary learning as a `Program`."""

    def __init__(self, config: EvolutionConfig):
        """Makes the players and the games.

        Raises:
            ValueError: for settings that do not fit the game.
        """
        self.config = config
        env = make_env(config.game, config.env_options)
        self.game_version = env.version
        tunable = imports.load(TUNABLE[config.game])(env)
        self.group = group_of(tunable, config.parameters)
        self.players = make_players(env, tunable, self.group, config)
        self.method = make_method(config, self.group)
        self._play = _games(env, self.players, config.match.opening_plies, config)
        self._play_evaluation = _games(env, self.players, config.evaluation.opening_plies, config)
        self._seeds = range(config.seed, config.seed + config.seeds)
        roots = jax.vmap(jax.random.key)(jnp.array(self._seeds, jnp.uint32))
        self._start_keys, self._keys, self._evaluation_keys = jax.vmap(
            functools.partial(jax.random.split, num=3), out_axes=1
        )(roots)

    def initial_state(self) -> State:
        """Returns the state of the method of every seed."""
        return jax.jit(functools.partial(jax.lax.map, self.method.init))(self._start_keys)

    def iterate(self, state: State, iteration: int) -> tuple[State, dict[str, float]]:
        """Plays one generation of every seed."""
        started = time.monotonic()
        number = jnp.int32(iteration)
        after = _generation(self.method, self._play, state, self._keys, number)
        genomes, results = jax.device_get((after.genomes, after.results))
        seconds = time.monotonic() - started
        return after.state, self._summary(after.state, genomes, results, seconds)

    def _summary(
        self,
        state: State,
        genomes: Int32[np.ndarray, "S N G"],
        results: RoundRobin,
        seconds: float,
    ) -> dict[str, float]:
        count = genomes.shape[1]
        games_each = 2 * (count - 1)
        games = len(genomes) * count * (count - 1)
        champions = self.champions(state)
        numbers = {
            "match/plies": float(results.plies.sum() / games),
            "match/draw_rate": float(results.draws.sum() / games),
            "time/generation_seconds": seconds,
            "time/games_per_second": games / seconds,
        }
        for row, seed in enumerate(self._seeds):
            wins = results.wins[row]
            others = np.delete(genomes[row], FROZEN, axis=0)
            values: dict[str, Any] = {
                "best_win_rate": wins[int(elite_of(wins))] / games_each,
                "frozen_win_rate": wins[FROZEN] / games_each,
                "spread": others.std(axis=0).mean(),
            }
            if len(self.group.genes) <= MOST_SHOWN_GENES:
                values |= dict(zip(self.group.genes, champions[row], strict=True))
            numbers |= {f"evolution/{name}/seed_{seed}": float(x) for name, x in values.items()}
        return numbers

    def champions(self, state: State) -> Int32[np.ndarray, "seeds genes"]:
        """Returns the individual of each seed that is the result if the run ends now."""
        return np.asarray(_champions(self.method, state))

    def done(self, state: State, iteration: int) -> int:
        """Returns the generations done."""
        del state
        return iteration

    def evaluate(self, now: Snapshot) -> dict[str, float]:
        """Returns the champions' scores against the frozen player."""
        if now.iteration == 0:  # nobody has played yet
            return {}
        scores = _evaluation(
            self._play_evaluation,
            jnp.asarray(self.champions(now.state)),
            jnp.asarray(self.group.population[self.group.frozen], jnp.int32),
            self._evaluation_keys,
            jnp.int32(now.iteration),
            self.config.evaluation.games,
        )
        name = self.group.frozen_name
        return {
            f"evaluation/seed_{seed}/{name}": float(score)
            for seed, score in zip(self._seeds, scores, strict=True)
        }

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Returns None: unlike a loss, games cannot fail."""
        del numbers
        return None

    def split(self, state: State) -> tuple[Any, Any]:
        """Returns the champions, and the state of every seed."""
        return {"champions": jnp.asarray(self.champions(state))}, state

    def join(self, params: Any, rest: Any) -> State:
        """Returns the state; the champions follow from it."""
        del params
        return rest

    def describe(self, iteration: int) -> dict[str, Any]:
        """Returns the settings that tell what the champions are."""
        names = ("game", "env_options", "parameters", "method")
        return {name: getattr(self.config, name) for name in names} | {"iteration": iteration}

    def write_results(self, now: Snapshot) -> None:
        """Writes the champions with their names."""
        champions = [
            {"seed": seed, **dict(zip(self.group.genes, genes, strict=True))}
            for seed, genes in zip(self._seeds, self.champions(now.state).tolist(), strict=True)
        ]
        content = self.describe(now.iteration) | {"champions": champions}
        run_record.write_json(now.directory / "champions.json", content)

    def closing_lines(self, directory: pathlib.Path) -> tuple[str, str]:
        """Returns the path of the champions, and the page that shows how to play with them."""
        return (
            f"champions: {directory / 'champions.json'}",
            "play: papers/murus_gallicus/evolution.md shows a match of a player with these weights",
        )

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws scores, win rates, spread and genes."""
        plots.plot_curves(log, picture)


def make_method(config: EvolutionConfig, group: Group) -> Method:
    """Returns the method that the settings ask for.

    Raises:
        ValueError: if the package it needs is not installed.
    """
    if config.method == "scheme":
        return Scheme(config.scheme, group)
    try:
        from papers.murus_gallicus.evolution.cma import CmaEs
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "evosax":
            raise
        raise ValueError(
            "method=cma_es needs evosax: pip install -e '.[train,evolution]'"
        ) from error
    return CmaEs(group)


def _games(
    env: Env[Any], players: Players, opening_plies: int, config: EvolutionConfig
) -> matches.Games:
    """Returns the games of a run, with `opening_plies` random plies at the start.

    Raises:
        ValueError: if that many plies leave no game to play.
    """
    if opening_plies >= env.max_steps:
        raise ValueError(
            f"opening_plies must be below {env.max_steps}, the limit of a game; got {opening_plies}"
        )
    match = config.match
    return matches.Games(env, players, opening_plies, match.random_ties)


@functools.partial(jax.jit, static_argnames=("method", "play"))
def _generation(
    method: Method, play: Play, state: State, keys: PRNGKeyArray, number: Int32[Array, ""]
) -> Generation:
    """Plays generation `number` of every seed."""
    keys = jax.vmap(lambda key: jax.random.split(jax.random.fold_in(key, number)))(keys)
    propose_keys, play_keys = keys[:, 0], keys[:, 1]
    # One seed after the other: it costs nothing beside the games, and a seed's numbers do not
    # depend on how many others there are, which a batched eigendecomposition does not promise.
    genomes, state = jax.lax.map(
        lambda seed: method.propose(seed[0], number, seed[1]), (state, propose_keys)
    )
    results = matches.play_round_robin(play, genomes, play_keys)
    state = jax.lax.map(lambda seed: method.update(*seed), (state, genomes, results.wins))
    return Generation(state, genomes, results)


@functools.partial(jax.jit, static_argnames=("method",))
def _champions(method: Method, state: State) -> Int32[Array, "seeds genes"]:
    return jax.lax.map(method.champion, state)


@functools.partial(jax.jit, static_argnames=("play", "games"))
def _evaluation(
    play: Play,
    champions: Int32[Array, "seeds genes"],
    frozen: Int32[Array, "genes"],
    keys: PRNGKeyArray,
    number: Int32[Array, ""],
    games: int,
) -> Array:
    keys = fold_in(keys, number)
    opponents = jnp.broadcast_to(frozen, champions.shape)
    return matches.play_duels(play, champions, opponents, keys, games)
