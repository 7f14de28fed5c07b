import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.players.knowledge import tactics_of
from jaxgames.players.murus_gallicus.tactics import MurusTactics
from jaxgames.search.depth_first.ordering import WIN_BONUS
from tests.jaxgames.players.murus_gallicus import boards


def noisy_texts(text, rules=boards.DEFAULT):
    game = notation.text_to_state(rules, text)
    mask = np.asarray(MurusTactics(rules).noisy(game))
    game = position.to_host(game)
    return {notation.action_to_text(rules, game, int(action)) for action in np.flatnonzero(mask)}


def test_strikes_and_hits_are_noisy():
    assert noisy_texts("8/8/3c4/3T4/8/8/8 r") == {"d4-d5-1", "d4-d5-2"}
    assert noisy_texts("8/8/8/1w1t1c2/8/1C6/8 r") == {"b2-b4", "b2-d4"}
    assert noisy_texts("t7/8/8/2Tt4/8/8/8 r") == set()  # a tower cannot be struck


def test_steps_onto_the_far_row_are_noisy():
    assert noisy_texts("8/8/T7/8/8/8/8 r") == {"a5-a7", "a5-c7"}
    assert noisy_texts("8/8/8/C7/8/8/8 r") == {"a4-a7", "a4-d7"}
    assert noisy_texts("8/t7/T7/8/8/8/8 r") == {"a5-c7"}  # the tower bars the way
    assert noisy_texts("8/8/T7/8/8/8/8 r", MurusGallicus(breakthrough=False)) == set()


@pytest.mark.parametrize("options", [{}, {"variant": "fire8"}, {"redistribute_start": True}])
def test_noisy_actions_are_those_that_take_stones_or_win(options):
    rules = MurusGallicus(**options)
    games = boards.games()
    if options.get("redistribute_start"):
        plies = np.arange(boards.NUM_POSITIONS) % 16
        games = games.replace(ply=plies.astype(np.uint16))
    legal = jax.jit(jax.vmap(rules.legal_actions))(games)
    noisy = jax.jit(jax.vmap(MurusTactics(rules).noisy))(games)
    assert noisy.shape == legal.shape

    def effect(game, action):
        child = rules.step(game, action, None)
        took = child.own.low.count() + 2 * child.own.high.count() < (
            game.other.low.count() + 2 * game.other.high.count()
        )
        return took | child.other.occupied.reaches_far_row()

    def effects(game):
        return jax.vmap(lambda action: effect(game, action))(jnp.arange(896))

    expected = np.array(jax.jit(lambda batch: jax.lax.map(effects, batch))(games))
    expected = np.pad(expected, ((0, 0), (0, rules.num_actions - 896))) & np.asarray(legal)
    np.testing.assert_array_equal(noisy, expected)
    assert expected.sum() > 500


def test_bonus_is_largest_for_wins_and_only_for_noisy_moves():
    rules = MurusGallicus()
    games = boards.games()
    tactics = MurusTactics(rules)
    actions = jnp.arange(rules.num_actions)
    bonus = np.asarray(jax.jit(jax.vmap(lambda game: tactics.bonus(game, actions)))(games))
    assert bonus.min() >= 0 and bonus.max() == WIN_BONUS
    legal = np.asarray(jax.jit(jax.vmap(rules.legal_actions))(games))
    noisy = np.asarray(jax.jit(jax.vmap(tactics.noisy))(games))

    def arrives(game):
        children = jax.vmap(lambda action: rules.step(game, action, None))(actions)
        return jax.vmap(lambda child: child.other.occupied.reaches_far_row())(children)

    wins = np.asarray(jax.jit(lambda batch: jax.lax.map(arrives, batch))(games)) & legal
    np.testing.assert_array_equal((bonus == WIN_BONUS) & legal, wins)
    assert not bonus[legal & ~noisy].any()
    assert bonus[noisy & ~wins].max() < WIN_BONUS


def test_bonus_by_hand():
    rules = MurusGallicus()
    game = notation.text_to_state(rules, "8/8/1t1c4/3T4/1w6/1C6/8 r")
    texts = ["d4-d5-1", "d4-d5-2", "d4-f4", "b2-b4", "b2-b5", "b2-d2"]
    actions = jnp.array([notation.text_to_action(rules, game, text) for text in texts])
    assert MurusTactics(rules).bonus(game, actions).tolist() == [31, 0, 0, 0, 31, 0]


@pytest.mark.parametrize("name", ["murus_gallicus", "onitama", "onitama_report"])
def test_game_with_tactics_has_an_object_for_them(name):
    env = jaxgames.make(name)
    tactics = tactics_of(env)
    assert tactics is not None and hash(tactics) == hash(tactics_of(env))
    assert tactics.noisy(env.rules.init(jax.random.key(0))).shape == (env.num_actions,)


def test_game_without_tactics_has_none():
    assert tactics_of(jaxgames.make("terra_mystica")) is None
