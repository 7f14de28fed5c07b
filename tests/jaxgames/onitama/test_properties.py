"""What holds in every position of every game of Onitama, on random playouts."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import jaxgames
from jaxgames.onitama.rules import mirror_actions, mirror_state

PLIES, GAMES = 80, 64
SEEDS = st.integers(0, 2**31 - 1)
RULES = jaxgames.make("onitama", deck="all", planes="board").rules


@jax.jit
def _playouts(key):
    """Random games; one that ended repeats its last state."""

    def ply(game, words):
        actions = jax.vmap(RULES.sample_action)(game, words)
        moved = jax.vmap(lambda game, action: RULES.step(game, action, None))(game, actions)
        over = jax.vmap(RULES.is_over)(game)
        following = jax.tree.map(lambda old, new: jnp.where(over, old, new), game, moved)
        return following, (game, actions, over)

    init_key, play_key = jax.random.split(key)
    first = jax.vmap(RULES.init)(jax.random.split(init_key, GAMES))
    words = jax.random.bits(play_key, (PLIES, GAMES), jnp.uint32)
    return jax.lax.scan(ply, first, words)[1]


@functools.lru_cache(maxsize=32)
def playouts(seed):
    return jax.device_get(_playouts(jax.random.key(seed)))


def count(words):
    return np.bitwise_count(words)


@given(SEEDS)
def test_pieces_only_disappear_by_capture_and_one_at_a_time(seed):
    game, _, over = playouts(seed)
    own, other = count(game.own_pieces), count(game.other_pieces)
    playing = ~over[:-1]
    # The seats change roles at each ply: the mover keeps its pieces, the other loses at most one.
    assert (other[1:] == own[:-1])[playing].all()
    lost = other[:-1].astype(int) - own[1:]
    assert np.isin(lost[playing], (0, 1)).all()
    assert (own + other <= 10).all() and (other >= 1).all()


@given(SEEDS)
def test_five_different_cards_stay_in_play(seed):
    game, _, _ = playouts(seed)
    side = np.uint32(1) << game.side_card.astype(np.uint32)
    assert (count(game.own_hand) == 2).all() and (count(game.other_hand) == 2).all()
    in_play = game.own_hand | game.other_hand | side
    assert (count(in_play) == 5).all()
    assert (in_play == in_play[0]).all()


@given(SEEDS)
def test_used_card_goes_to_the_side_and_the_side_card_to_the_hand(seed):
    game, _, over = playouts(seed)
    playing = ~over[:-1]
    one = np.uint32(1)
    used = one << game.side_card[1:].astype(np.uint32)
    former_side = one << game.side_card[:-1].astype(np.uint32)
    expected = (game.own_hand[:-1] ^ used) | former_side
    assert ((game.own_hand[:-1] & used) != 0)[playing].all()
    assert (game.other_hand[1:] == expected)[playing].all()
    assert (game.own_hand[1:] == game.other_hand[:-1])[playing].all()


@given(SEEDS)
def test_each_master_stands_on_a_piece_of_its_side_until_it_is_captured(seed):
    game, _, over = playouts(seed)
    for pieces, master in (
        (game.own_pieces, game.own_master),
        (game.other_pieces, game.other_master),
    ):
        alive = master >= 0
        assert ((pieces >> np.maximum(master, 0)) & 1)[alive].all()
        assert over[~alive].all()
    assert (game.other_master >= 0).all()  # the mover never loses its own master


@given(SEEDS)
def test_no_two_pieces_share_a_square(seed):
    game, _, _ = playouts(seed)
    turned = jax.vmap(jax.vmap(lambda word: jnp.flip((word >> jnp.arange(25)) & 1)))
    own = (game.own_pieces[..., None] >> np.arange(25)) & 1
    assert not (own & np.asarray(turned(game.other_pieces))).any()


@given(SEEDS)
def test_seats_alternate_and_plies_count(seed):
    game, _, over = playouts(seed)
    playing = ~over[:-1]
    assert (game.seat[1:] == 1 - game.seat[:-1])[playing].all()
    assert (game.ply[1:] == game.ply[:-1] + 1)[playing].all()


@jax.jit
@jax.vmap
def _mirrored(game):
    image = mirror_state(game)
    return (
        mirror_state(image),
        mirror_actions(image)[mirror_actions(game)],
        RULES.observe(game, game.seat),
        RULES.observe(image, image.seat),
    )


@given(SEEDS)
def test_reflection_undoes_itself_and_reflects_the_observation(seed):
    game, _, over = playouts(seed)
    playing = jax.tree.map(lambda leaf: leaf[~over][:GAMES], game)
    twice, actions, seen, image_seen = jax.device_get(_mirrored(playing))
    jax.tree.map(np.testing.assert_array_equal, twice, playing)
    assert (actions == np.arange(RULES.num_actions)).all()
    image_seen, reflected = np.asarray(image_seen), np.flip(np.asarray(seen), axis=2)
    np.testing.assert_array_equal(image_seen[..., :4], reflected[..., :4])
    np.testing.assert_array_equal(image_seen[..., 8:], reflected[..., 8:])
    # Mirror cards may stand in the other order of ids, so each pair of card planes is a set.
    for pair in (slice(4, 6), slice(6, 8)):
        np.testing.assert_array_equal(image_seen[..., pair].sum(-1), reflected[..., pair].sum(-1))
