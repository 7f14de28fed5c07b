"""The opponents in positions whose best move is known: a win at once."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from benchmarks.positions import random_positions
from jaxgames import sampling
from jaxgames.testing import playouts
from papers.onitama_report.config import OpponentConfig
from papers.onitama_report.ddpg.opponents import make_opponent

ENV = jaxgames.make("onitama_report")


@functools.cache
def positions_with_a_win():
    """Returns positions of random games in which a move wins at once, and the winning moves."""
    rules = ENV.rules

    def winning(game):
        seat = rules.to_move(game)
        after = jax.vmap(lambda action: rules.step(game, action, None))(jnp.arange(40))
        wins = jax.vmap(lambda game: rules.returns(game)[seat] > 0)(after)
        return wins & rules.legal_actions(game)

    keys = jax.random.split(jax.random.key(0), 512)

    def play(key):
        def ply(game, key):
            moved = rules.step(game, rules.sample_action(game, jax.random.bits(key)), None)
            return jax.tree.map(lambda x, y: jnp.where(rules.is_over(moved), x, y), game, moved), ()

        return jax.lax.scan(ply, rules.init(key), jax.random.split(key, 12))[0]

    games = jax.jit(jax.vmap(play))(keys)
    wins = np.asarray(jax.jit(jax.vmap(winning))(games))
    where = np.flatnonzero(wins.any(axis=1))[:96]
    assert len(where) == 96
    return playouts.at(games, where), wins[where]


def share_of_wins(config: OpponentConfig, depth: int) -> float:
    """Returns how often the opponent wins at once where it can."""
    games, wins = positions_with_a_win()
    opponent = jax.jit(make_opponent(ENV, config))
    words = sampling.random_words(jax.random.key(depth), len(wins))
    actions = np.asarray(opponent(games, jnp.full(len(wins), depth, jnp.int8), words))
    assert jax.vmap(ENV.rules.legal_actions)(games)[np.arange(len(wins)), actions].all()
    return wins[np.arange(len(wins)), actions].mean()


@pytest.mark.slow
def test_mcts_gets_stronger_with_depth():
    config = OpponentConfig(kind="mcts", simulations=8, max_depth=5)
    weak, strong = (share_of_wins(config, depth) for depth in (1, 5))
    assert strong > 0.9 and weak < strong - 0.2


@pytest.mark.parametrize("kind", ["minimax", "random"])
def test_minimax_always_wins_and_random_play_seldom(kind):
    found = share_of_wins(OpponentConfig(kind=kind, max_depth=2), 1)
    assert found == 1 if kind == "minimax" else found < 0.5


def test_minimax_looks_as_far_ahead_as_each_game_asks():
    games = random_positions(ENV.rules, 96, 3, 10)
    opponent = make_opponent(ENV, OpponentConfig(max_depth=2))
    search = jax.jit(opponent.agent.search)
    depth = jnp.arange(len(games.ply)) % 2 + 1
    words = jnp.zeros(len(depth), jnp.uint32)
    played = np.asarray(jax.jit(opponent)(games, depth.astype(jnp.int8), words))

    def is_best(plies):
        found = search(games, jnp.full(len(depth), plies))
        return ((found.actions == played[:, None]) & found.is_best).any(axis=1)

    shallow, deep = is_best(1), is_best(2)
    assert jnp.where(depth == 1, shallow, deep).all()
    assert not (shallow & deep).all()
