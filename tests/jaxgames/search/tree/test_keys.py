"""No two random events of a search share a key."""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Int32

from jaxgames import Rules
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.search import TreeSearch
from tests.jaxgames.search.tree import trees

LANES = 6
SIMULATIONS = 8
PLIES = 3
USED: dict[str, list] = {"chance": [], "belief": [], "evaluation": [], "noise": []}


def report(use, key):
    jax.debug.callback(
        lambda data: USED[use].append(tuple(np.asarray(data).tolist())), jax.random.key_data(key)
    )


class PlyState(struct.PyTreeNode):
    ply: Int32[Array, ""]


@dataclasses.dataclass(frozen=True)
class Drawing(Rules[PlyState]):
    """A game of nothing but chance and secrets, which reports the keys that it is given."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 2
    max_legal_actions: ClassVar[int] = 2
    max_steps: ClassVar[int] = PLIES  # type: ignore[assignment]
    version: ClassVar[str] = "1"
    stochastic: ClassVar[bool] = True
    perfect_information: ClassVar[bool] = False

    def init(self, key: Any) -> PlyState:
        return PlyState(jnp.int32(0))

    def to_move(self, state):
        return state.ply % 2

    def legal_actions(self, state):
        return jnp.full_like(state.ply, True, shape=(2,), dtype=bool)

    def step(self, state, action, key):
        report("chance", key)
        return PlyState(state.ply + 1)

    def is_over(self, state):
        return state.ply >= PLIES

    def returns(self, state):
        return jnp.where(self.is_over(state), jnp.array([0.5, -0.5]), 0.0)

    def observe(self, state, player):
        return state.ply.astype(jnp.float32)

    def determinize(self, state, player, key):
        report("belief", key)
        return state


@dataclasses.dataclass(frozen=True)
class Reporting:
    def __call__(self, params, state, key):
        report("evaluation", key)
        size = len(state.ply)
        return Evaluation(jnp.zeros((size, 2)), jnp.zeros((size, 2)))


@dataclasses.dataclass(frozen=True)
class ReportingGumbel(Gumbel):
    def draw(self, like, key):
        report("noise", jax.random.split(key)[1])
        return super().draw(like, key)


def test_no_two_events_share_a_key_nor_does_one_use_what_another_derives_from_its_own():
    rules = Drawing()
    search = TreeSearch(rules, Reporting(), ReportingGumbel(), SIMULATIONS, determinizations=5)
    state = jax.vmap(rules.init)(jax.random.split(jax.random.key(0), LANES))
    jax.block_until_ready(trees.decide_compiled(search, state, jax.random.key(7)))
    jax.effects_barrier()
    numbers = {use: len(keys) for use, keys in USED.items()}
    assert numbers["belief"] == 5 * LANES and numbers["evaluation"] == 1 + SIMULATIONS
    assert numbers["chance"] >= 2 * SIMULATIONS * LANES and numbers["noise"] == 1
    everything = [key for keys in USED.values() for key in keys]
    assert len(set(everything)) == len(everything)

    # Rollouts, for instance, fold in the number of the ply, and split that.
    keys = jax.random.wrap_key_data(np.array(USED["evaluation"] + USED["noise"], np.uint32))
    folded = jax.vmap(lambda key: jax.vmap(lambda n: jax.random.fold_in(key, n))(jnp.arange(64)))
    once = folded(keys).reshape(-1)
    derived = jax.random.key_data(jnp.concatenate([once, folded(once).reshape(-1)]))
    assert not {tuple(key) for key in derived.tolist()} & set(everything)
