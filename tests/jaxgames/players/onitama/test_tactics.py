import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.knowledge import tactics_of
from jaxgames.search.depth_first.ordering import WIN_BONUS
from papers.onitama_report.game.rules import ReportState

NUM_GAMES = 300


@functools.cache
def positions(env):
    """Positions from random games, none of them over."""
    rules = env.rules

    def play(key, plies):
        def ply(index, game):
            word = jax.random.bits(jax.random.fold_in(key, index))
            moved = rules.step(game, rules.sample_action(game, word), None)
            stays = rules.is_over(moved) | (index >= plies)
            return jax.tree.map(lambda x, y: jnp.where(stays, x, y), game, moved)

        return jax.lax.fori_loop(0, 30, ply, rules.init(key))

    keys = jax.random.split(jax.random.key(2), NUM_GAMES)
    return jax.jit(jax.vmap(play))(keys, jnp.arange(NUM_GAMES) % 31)


def num_pieces(game):
    if isinstance(game, ReportState):
        return (game.own_squares >= 0).sum() + (game.other_squares >= 0).sum()
    return sum(jax.lax.population_count(x) for x in (game.own_pieces, game.other_pieces))


@pytest.mark.parametrize("name", ["onitama", "onitama_report"])
def test_noisy_actions_capture_or_win_and_wins_have_the_largest_bonus(name):
    env = jaxgames.make(name)
    rules, tactics, actions = env.rules, tactics_of(env), jnp.arange(env.num_actions)

    def effects(game):
        children = jax.vmap(lambda action: rules.step(game, action, None))(actions)
        wins = jax.vmap(rules.is_over)(children)
        captures = jax.vmap(num_pieces)(children) < num_pieces(game)
        legal = rules.legal_actions(game)
        found = tactics.noisy(game), tactics.bonus(game, actions)
        return legal, wins & legal, captures & legal, *found

    games = positions(env)
    legal, wins, captures, noisy, bonus = map(np.asarray, jax.jit(jax.vmap(effects))(games))
    np.testing.assert_array_equal(noisy, wins | captures)
    np.testing.assert_array_equal((bonus == WIN_BONUS) & legal, wins)
    assert wins.any() and (captures & ~wins).any()
    assert bonus.min() >= 0 and bonus.max() <= WIN_BONUS
    assert bonus[noisy].min() > bonus[legal & ~noisy].max()
