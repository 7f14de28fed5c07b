"""How often the rules stand in each program: every copy is traced, lowered and compiled."""

import functools
import itertools
import re

import jax
import pytest

import jaxgames
from benchmarks.ahead_of_time.programs import Programs
from jaxgames.networks import afterstates, network
from jaxgames.search.agent import decision_of

RULES = ("step", "legal_actions", "observe")

COPIES = {  # of step, legal_actions, observe and the network
    "step": (1, 1, 1, 0),
    "random play, lean": (1, 0, 0, 0),
    "search": (1, 1, 1, 1),
    "self-play": (2, 2, 1, 1),  # those of the search, and the game itself goes on
    "afterstate play": (2, 2, 2, 1),
}
BEST = {
    "onitama": (1, 1, 1, 1),
    "murus_gallicus": (1, 1, 1, 1),
    "terra_mystica": (2, 1, 0, 1),  # a leaf is judged by what is after each of its actions
    "tribes": (1, 3, 0, 1),  # two plies of an action, and whether the last plan goes on
}


@pytest.fixture
def copies(monkeypatch):
    """Returns what counts the copies in the text of a program that a function lowers."""
    number = itertools.count()

    def mark(owner, method, name):
        original = getattr(owner, method)

        @functools.wraps(original)
        def marked(*arguments, **options):
            with jax.named_scope(f"copy_{next(number)}_of_{name}"):
                return original(*arguments, **options)

        monkeypatch.setattr(owner, method, marked)

    def count(game, lower):
        for name in RULES:
            mark(type(jaxgames.make(game).rules), name, name)
        mark(network.Network, "apply", "network")
        mark(afterstates.AfterstateNetwork, "apply", "network")
        jax.clear_caches()  # of programs traced without the marks
        text = lower().as_text(debug_info=True)
        found = set(re.findall(r"copy_\d+_of_\w+", text))
        return tuple(sum(x.endswith(f"_of_{name}") for x in found) for name in (*RULES, "network"))

    return count


@pytest.mark.parametrize("name", COPIES)
def test_programs_of_training_hold_each_rule_as_often_as_the_table_says(copies, name):
    def lower():
        program = Programs("onitama", "cpu", jax.devices()[:1], batch=4).make(name)
        return program.function.trace(*program.arguments).lower()

    assert copies("onitama", lower) == COPIES[name]


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[] if game == "onitama" else [pytest.mark.slow]) for game in BEST],
)
def test_the_best_player_holds_each_rule_as_often_as_the_table_says(copies, game):
    env = jaxgames.make(game)
    player = jaxgames.player("best", env)

    def lower():
        key = jax.random.key(0)
        state = jax.vmap(env.rules.init)(key[None])
        act = jax.jit(decision_of, static_argnums=0)
        return act.lower(player.agent, player.params, player.agent.reset(1), state, key)

    assert copies(game, lower) == BEST[game]
