"""Agents of users: whatever one returns instead of a decision is said in its words."""

import jax
import jax.numpy as jnp
import pytest

import jaxgames
from jaxgames.search.agent import Decision, decision_of

ENV = jaxgames.make("onitama")
GAMES = 3


class Own:
    """Returns what it is given, beside a memory."""

    def __init__(self, action=None, policy=None, values=None, memory=None, whole=None):
        rows = jnp.zeros((GAMES, 2))
        action = jnp.zeros(GAMES, jnp.int32) if action is None else action
        decision = Decision(
            action, rows if policy is None else policy, rows if values is None else values
        )
        memory = jnp.zeros(GAMES) if memory is None else memory
        self.found = (decision, memory) if whole is None else whole

    def reset(self, batch_size):
        return jnp.zeros(batch_size)

    def act(self, params, memory, state, key):
        del params, memory, state, key
        return self.found


def decide(agent):
    games = jax.vmap(ENV.rules.init)(jax.random.split(jax.random.key(0), GAMES))
    return decision_of(agent, (), agent.reset(GAMES), games, jax.random.key(1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"whole": 7}, "Own.act must return a Decision and the memory, got 7"),
        ({"whole": (7, 8)}, "must return a Decision first, got 7"),
        ({"action": jnp.zeros(GAMES)}, r"an action for each game, int32\[3\], got float32\[3\]"),
        ({"action": jnp.int32(4)}, r"an action for each game, int32\[3\], got int32\[\]"),
        ({"action": jnp.zeros((GAMES, 1), int)}, r"int32\[3\], got int32\[3, 1\]"),
        ({"policy": jnp.zeros(GAMES)}, r"a row of policy a game, got shape \[3\]"),
        ({"values": jnp.zeros((2, 2))}, r"a row of values a game, got shape \[2, 2\]"),
        ({"memory": ()}, r"a memory of .*, as reset does, got \(\)"),
        ({"memory": jnp.zeros(GAMES + 1)}, r"a memory of .* as reset does, got .*4"),
    ],
    ids=str,
)
def test_what_is_no_decision_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        decide(Own(**wrong))


def test_a_decision_is_returned_as_it_is():
    agent = Own()
    decision, memory = decide(agent)
    assert decision is agent.found[0] and memory is agent.found[1]
