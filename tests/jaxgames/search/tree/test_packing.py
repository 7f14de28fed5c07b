"""Game states as words and back: nothing may be lost, whatever the state is made of."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.tree import packing
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.testing import playouts
from tests.turn_nim import TurnNim, TurnNimState

BATCH = 3
DTYPES = [
    *(np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32),
    *(np.float16, ml_dtypes.bfloat16, np.float32),
]
SHAPES = [(), (1,), (5,), (2, 3), (7, 1), (0,)]


def random_leaf(dtype, shape, seed):
    """Returns random bits as numbers; of floats all kinds, infinities and NaNs among them."""
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.random((BATCH, *shape)) < 0.5
    size = int(np.prod((BATCH, *shape))) * np.dtype(dtype).itemsize
    return np.frombuffer(rng.bytes(size), dtype).reshape(BATCH, *shape)


def require_same_bits(left, right):
    left, right = np.asarray(left), np.asarray(right)
    assert (left.dtype, left.shape) == (right.dtype, right.shape)
    assert left.tobytes() == right.tobytes()


@given(
    leaves=st.lists(
        st.tuples(st.sampled_from(DTYPES), st.sampled_from(SHAPES)), min_size=1, max_size=5
    ).filter(lambda leaves: any(0 not in shape for _, shape in leaves)),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_state_comes_back_from_its_words(leaves, seed):
    made = [random_leaf(*leaf, seed + number) for number, leaf in enumerate(leaves)]
    states = {"first": made[0], "others": tuple(made[1:])}
    one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), states)
    words = jax.jit(packing.pack)(states)
    assert words.dtype == jnp.uint32 and words.shape == (BATCH, packing.num_words(one))
    found = jax.jit(lambda words: packing.unpack(words, one))(words)
    assert jax.tree.structure(found) == jax.tree.structure(states)
    jax.tree.map(require_same_bits, found, states)


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ([(np.bool_, (1,))], 1),
        ([(np.bool_, (3,)), (np.int8, (1,))], 1),
        ([(np.uint8, (5,))], 2),
        ([(np.uint8, (1,)), (np.float16, (1,)), (np.float32, (1,))], 3),
        ([(np.int16, (3,)), (np.uint32, (2, 2))], 6),
    ],
)
def test_words_are_as_few_as_the_sizes_of_the_numbers_allow(leaves, words):
    state = [jax.ShapeDtypeStruct(shape, dtype) for dtype, shape in leaves]
    assert packing.num_words(state) == words


def test_equal_states_have_equal_words_and_others_have_not():
    rules = TurnNim()
    states = playouts.play(rules, seed=1, num_games=8).states
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
    words = np.asarray(packing.pack(flat))
    texts = [str(playouts.at(flat, i)) for i in range(len(words))]
    assert len({row.tobytes() for row in words}) == len(set(texts)) > 20


@pytest.mark.parametrize(
    "leaf",
    [np.zeros((1, 2), np.int64), np.zeros((1, 2), np.float64), np.zeros((1, 2), np.complex64)],
)
def test_states_of_longer_numbers_are_refused(leaf):
    message = f"a search keeps game states of numbers of 1, 2 or 4 bytes or bool, got {leaf.dtype}"
    with pytest.raises(ValueError, match=message):
        packing.pack({"board": leaf})
    with pytest.raises(ValueError, match=message):
        packing.num_words({"board": leaf[0]})


@pytest.mark.parametrize("dtype", [jnp.int4, jnp.uint2])
def test_states_of_shorter_numbers_are_refused(dtype):
    with pytest.raises(ValueError, match=rf"1, 2 or 4 bytes or bool, got {np.dtype(dtype)}"):
        packing.pack({"board": jnp.zeros((1, 4), dtype)})


def test_states_with_keys_are_refused():
    with pytest.raises(ValueError, match=r"1, 2 or 4 bytes or bool, got key<fry>"):
        packing.pack({"key": jax.random.split(jax.random.key(0), 2)})
    with pytest.raises(ValueError, match=r"1, 2 or 4 bytes or bool, got key<fry>"):
        packing.num_words({"key": jax.random.key(0)})


class WithKey(TurnNim):
    def init(self, key):
        return TurnNimState(jax.random.split(key, 3), jnp.int8(0), jnp.int8(0))


def test_search_refuses_such_a_game_before_it_starts():
    rules = WithKey()
    search = TreeSearch(rules, Uniform(rules), Puct(), simulations=2, reuse=True)
    with pytest.raises(ValueError, match="a search keeps game states of numbers"):
        search.reset(2)
