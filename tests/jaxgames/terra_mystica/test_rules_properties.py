"""Properties of the rules in positions of all kinds: soundness, batches, and plain execution."""

import functools

import jax
import numpy as np
import pytest

from jaxgames.batching import trees
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.text import notation
from jaxgames.terra_mystica.text.commands import ACTIONS
from tests.jaxgames.terra_mystica import invariants
from tests.jaxgames.terra_mystica.positions import MAIN, before_setup, halflings, position, seat

TOWN = {"D": "A6", "TP": "A7 A8", "SH": "A9"}  # an upgrade of A6 founds one


def _rich():
    rows = (
        seat("witches", D="C3 F4", TP="C4 E9", TE="G3", SH="F2", fav="FAV6", bon="BON1", ship=2),
        seat("swarmlings", D="D5 E11", TP="H4"),
        seat("nomads", D="F3 E8", TE="G7"),
    )
    return position(*rows, terrain={"D4": "G", "E7": "G"})


@functools.cache
def games():
    """Returns positions in which all kinds of decisions are due."""
    rich = _rich()
    act6 = position(halflings()).play("action ACT6")
    stronghold = position(seat("halflings", D="E6", TP="F7")).play("upgrade F7 to SH")
    chaos = seat("chaosmagicians", TP="A7", TE="A8", SH="A9", D="A6")
    storm = seat("nomads", D="C3", SH="F4")
    river = seat("mermaids", D="C3", TP="B3 C2", TE="D4")
    bonus = [seat(name, D="C1", cult=[0, 0, 8, 0]) for name in ("witches", "giants", "dwarves")]
    for row, name in zip(bonus, ("C3", "I1", "E7"), strict=True):
        row["D"] = [name]
    passes = ("pass BON1", "end", "pass BON2", "end", "pass BON4", "end")
    last = [seat("witches", D="C3"), *(row | {"passed": 1} for row in bonus[1:])]
    beside = position(seat("cultists", D="D5"), seat("witches", D="C3"), seat("giants", D="D4"))
    beside = beside.play("upgrade D5 to TP", "end")
    return [
        before_setup("witches", "nomads", "chaosmagicians"),
        before_setup("witches", "dwarves", "mermaids").play(
            *("build C3", "build E7", "build D5", "build H4", "build C2", "build F4")
        ),
        rich,
        rich.play("action BON1"),
        rich.play("action FAV6"),
        rich.play("action ACT1"),
        rich.play("action ACTW"),
        rich.play("build D4"),
        act6,
        act6.play("transform E5 to B"),
        act6.play("transform E5 to U", "end"),
        stronghold,
        stronghold.play("transform E5 to U"),
        position(seat("alchemists", SH="C1")),
        position(seat("alchemists", SH="C1", w=20)).play("dig 1", "dig 1", "dig 1"),
        position(seat("darklings", TP="C1")).play("upgrade C1 to SH"),
        position(seat("dwarves", D="E7")).play("action ACT6", "transform G2 to S"),
        position(seat("fakirs", D="F3", range=2)),
        position(chaos).play("action ACTC", "upgrade A7 to TE"),
        position(storm).play("action ACTN"),
        position(seat("swarmlings", D="C3 D5", SH="F4")).play("action ACTS"),
        position(seat("engineers", D="F2 G1", SH="A2")),
        position(river),
        position(river).play("connect r9"),
        position(seat("witches", **TOWN, cult=[9, 9, 9, 9])).play("upgrade A6 to TP", "+1 TW5"),
        position(*bonus).play(*passes),
        position(*bonus).play(*passes[:-2]),
        position(*last, round=6, next_start=1),
        position(*last, round=6, next_start=1).play("pass"),
        beside,
        beside.play("leech", "decline"),
        beside.play("decline"),
    ]


@functools.cache
def _step_all():
    def step(state, action):
        legal = MAIN.legal_actions(state)[action]
        after, earned = MAIN.step_with_sources(state, action)
        checks = invariants.of_both(state, action, after, earned)
        checks["was legal"] = legal
        checks["goes on"] = MAIN.legal_actions(after).any() | MAIN.is_over(after)
        return after, earned, checks

    return jax.jit(jax.vmap(step))


@functools.cache
def pairs():
    """Returns all legal actions of all positions, and what each leads to."""
    chosen = [(game, ACTIONS[text]) for game in games() for text in sorted(game.legal)]
    states = trees.stack([game.state for game, _ in chosen])
    actions = np.array([action for _, action in chosen], np.int32)
    return chosen, jax.device_get(_step_all()(states, actions))


def test_the_positions_show_all_kinds_of_decisions_but_the_draft_and_the_end():
    shown = {game.decision for game in games()}
    assert shown == set(Due) - {Due.FACTION, Due.OVER}


def test_every_legal_action_leads_to_a_sound_position_in_which_one_can_go_on():
    chosen, (_, _, checks) = pairs()
    assert len(chosen) > 1000
    invariants.assert_sound(checks)


def test_every_position_that_a_legal_action_leads_to_can_be_written_and_read():
    _, (after, _, _) = pairs()
    for index in range(len(after.phase)):
        state = jax.tree.map(lambda leaf, i=index: leaf[i], after)
        found = notation.text_to_state(MAIN, notation.state_to_text(MAIN, state))
        jax.tree.map(np.testing.assert_array_equal, found, state)


def test_a_batch_gives_what_single_games_give():
    chosen, (after, earned, _) = pairs()
    for index in range(0, len(chosen), 16):
        game, action = chosen[index]
        single = game._call(action)
        batched = jax.tree.map(lambda x, i=index: x[i], after)
        for one, other in zip(jax.tree.leaves(single[3]), jax.tree.leaves(batched), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(single[4], earned[index])


@pytest.mark.slow
def test_plain_execution_gives_what_compiled_code_gives():
    game = _rich()
    for text in ("upgrade C3 to TP", "pass BON2"):
        action = ACTIONS[text]
        compiled = game._call(action)[3:]
        with jax.disable_jit():
            state = jax.tree.map(jax.numpy.asarray, game.state)
            plain = MAIN.step_with_sources(state, jax.numpy.int32(action))
        for one, other in zip(jax.tree.leaves(compiled), jax.tree.leaves(plain), strict=True):
            np.testing.assert_array_equal(one, other)
