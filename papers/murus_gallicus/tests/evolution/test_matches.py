"""Batches of games: who meets whom, that lanes change nothing, and how games are counted."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.env import Env
from jaxgames.search.depth_first.search import DepthFirst
from papers.murus_gallicus.evolution import matches
from papers.murus_gallicus.evolution.matches import Games
from papers.murus_gallicus.evolution.players import Players
from papers.murus_gallicus.tests.evolution import stub
from tests.turn_nim import TurnNim

ENV = Env("turn_nim", TurnNim())
TUNABLE = stub.make_tunable(ENV)
GROUP = TUNABLE.groups["material"]
PLAYERS = Players(DepthFirst(ENV.rules, TUNABLE.score, max_depth=2), TUNABLE, GROUP, TUNABLE.params)
SEEDS = jax.random.randint(jax.random.key(1), (2, 6, 3), -100, 100)
GENOMES = SEEDS[0]


# Compiled once for all tests; the number of games makes another program, so few numbers are used.
round_robin = jax.jit(matches.play_round_robin, static_argnames=("play",))


def keys_of(count: int) -> jax.Array:
    return jax.random.split(jax.random.key(3), count)


def games(**changes) -> Games:
    plain = Games(ENV, PLAYERS, opening_plies=0, has_random_ties=False)
    return dataclasses.replace(plain, **changes)


RANDOM = games(opening_plies=2, has_random_ties=True)


@pytest.fixture(scope="module")
def alone():
    """Round robins of each seed by itself."""
    return [round_robin(RANDOM, SEEDS[i][None], keys_of(2)[i][None]) for i in range(2)]


def one_after_the_other(contests):
    """Plays games with a whole search for every move, without lanes."""
    search = PLAYERS.search

    @jax.jit
    def choose(genes, game):
        params = jax.tree.map(lambda x: jnp.asarray(x)[None], GROUP.put(TUNABLE.params, genes))
        progress = search.start(params, game, jax.random.key(0))
        progress = progress._replace(noise=jnp.zeros(1, jnp.uint32))
        return search.result(search.advance(params, progress, 10_000)).action

    step = jax.jit(jax.vmap(ENV.step))
    results = []
    for contest in np.asarray(contests):
        state = jax.tree.map(lambda x: x[None], ENV.init(jax.random.key(0)))
        while not bool(state.terminated[0]):
            genes = jnp.asarray(contest[int(state.current_player[0])])
            state = step(state, choose(genes, state.game))
        results.append((*np.asarray(state.rewards[0]), int(state.step_count[0])))
    return np.array(results)


def test_games_in_lanes_equal_games_one_after_the_other():
    contests = SEEDS[0][matches.ordered_pairs(6)][:8]
    outcome = jax.jit(games().__call__)(contests, keys_of(8))
    expected = one_after_the_other(contests)
    np.testing.assert_array_equal(outcome.returns, expected[:, :2])
    np.testing.assert_array_equal(outcome.plies, expected[:, 2])


def test_two_seeds_at_once_play_as_each_alone(alone):
    both = round_robin(RANDOM, SEEDS, keys_of(2))
    one_by_one = jax.tree.map(lambda *rows: np.concatenate(rows), *alone)
    jax.tree.map(np.testing.assert_array_equal, both, one_by_one)


def test_every_ordered_pair_meets_once_and_each_game_has_one_winner(alone):
    pairs = matches.ordered_pairs(10)
    assert len(pairs) == 90 == len({tuple(pair) for pair in pairs})
    assert (pairs[:, 0] != pairs[:, 1]).all()
    for result in alone:
        assert result.wins.shape == (1, 6) and result.wins.dtype == jnp.int32
        assert result.wins.sum() + result.draws[0] == 30
        assert result.wins.std() > 0 and result.plies[0] > 30


def test_wins_are_those_of_the_individuals_that_won():
    target = np.asarray(GENOMES[4])
    nearest = stub.NearestWins(target=tuple(int(gene) for gene in target))
    result = matches.play_round_robin(nearest, SEEDS[:1], keys_of(1))
    distance = np.abs(np.asarray(GENOMES) - target).sum(axis=1)
    beaten = (distance[:, None] < distance[None, :]).sum(axis=1)
    np.testing.assert_array_equal(result.wins[0], 2 * beaten)
    equal = (distance[:, None] == distance[None, :]).sum() - len(distance)
    assert result.draws[0] == equal and result.plies[0] == 7 * 30


def test_openings_differ_between_pairs_and_are_equal_within_a_pair():
    deals = jax.jit(jax.vmap(lambda key: matches._deal(ENV, key, 4)))(keys_of(64))
    assert (deals.step_count == 4).all() and not deals.terminated.any()
    assert len({tuple(heaps) for heaps in np.asarray(deals.game.heaps)}) > 3
    seen = []

    def spy(genomes, keys):
        seen.append((np.asarray(genomes), jax.random.key_data(keys)))
        return stub.NearestWins()(genomes, keys)

    matches.play_round_robin(spy, SEEDS, keys_of(2))
    genomes, keys = seen[0]
    by_pair = {}
    for contest, key in zip(genomes[:30], np.asarray(keys)[:30], strict=True):
        pair = frozenset(tuple(player) for player in contest)
        by_pair.setdefault(pair, set()).add(tuple(key))
    assert len(by_pair) == 15 and all(len(found) == 1 for found in by_pair.values())
    assert len(set.union(*by_pair.values())) == 15


def test_duels_swap_seats_after_equal_openings_and_score_draws_half():
    seen = []

    def first_seat_wins(genomes, keys):
        seen.append((np.asarray(genomes), np.asarray(jax.random.key_data(keys))))
        returns = jnp.tile(jnp.array([[1.0, -1.0]]), (len(genomes), 1))
        return matches.Outcome(returns, jnp.zeros(len(genomes), jnp.int32))

    first, second = GENOMES[:2], GENOMES[2:4]
    scores = matches.play_duels(first_seat_wins, first, second, keys_of(2), 8)
    np.testing.assert_array_equal(scores, [0.5, 0.5])
    genomes, keys = seen[0]
    np.testing.assert_array_equal(genomes[0::2], genomes[1::2, ::-1])
    np.testing.assert_array_equal(keys[0::2], keys[1::2])
    assert len({tuple(key) for key in keys}) == 8

    def drawn(genomes, keys):
        return matches.Outcome(jnp.zeros((len(genomes), 2)), jnp.zeros(len(genomes), jnp.int32))

    np.testing.assert_array_equal(matches.play_duels(drawn, first, second, keys_of(2), 8), 0.5)


def test_a_thrown_latch_stays_thrown_for_the_rest_of_the_game():
    """The latch turns the score around once few stones are left, from whatever position."""

    class Few:
        def is_due(self, state):
            return state.heaps.sum() == 5

        def thrown(self, params):
            return params._replace(sign=-params.sign)

    latched = dataclasses.replace(PLAYERS, tunable=TUNABLE._replace(latch=Few()))
    asked = []

    class Spy(Players):
        def begin(self, genomes, is_latched, states, noise):
            jax.debug.callback(
                lambda heaps, seats, thrown: asked.append((heaps, seats, thrown)),
                states.heaps, states.seat, is_latched,
            )  # fmt: skip
            return super().begin(genomes, is_latched, states, noise)

    spy = Spy(**{field.name: getattr(latched, field.name) for field in dataclasses.fields(latched)})
    contest = SEEDS[0][matches.ordered_pairs(6)][:1]
    jax.jit(games(players=spy).__call__)(contest, keys_of(1))
    jax.effects_barrier()
    thrown_by = set()
    for heaps, seats, thrown in asked:
        seat = int(seats[0])
        if heaps[0].sum() == 5:
            thrown_by.add(seat)
        assert bool(thrown[0]) == (seat in thrown_by) or heaps[0].sum() == 0
    assert thrown_by
