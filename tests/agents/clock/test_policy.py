import jax
import numpy as np
import pytest

import jaxgames
from agents.clock.dynamic_policy import DEFAULT_LIMITS, Dynamic, Facts, Limits, facts_of
from agents.clock.policy import MovePlan, Static

ENV = jaxgames.make("murus_gallicus")
# Own stacks that can act, by number; all on rank 3, so that few stand on the first two ranks.
TOWERS = {number: f"8/8/8/8/{'T' * number}{8 - number}/8/7W r" for number in range(1, 8)}


def plan(text, remaining, limits=DEFAULT_LIMITS):
    game = jax.device_get(ENV.text_to_state(text).game)
    return Dynamic(limits).plan(game, remaining)


def test_static_depth_is_always_the_same():
    assert Static(5).plan(None, 120.0) == MovePlan(5, 15.0)
    assert Static(5).plan(None, 2.0) == MovePlan(5, 0.25)


@pytest.mark.parametrize(
    ("active", "remaining", "depth"),
    [
        (1, 20.0, 7),
        (1, 0.1, 7),
        (2, 20.0, 5),
        (2, 0.1, 5),
        (3, 20.0, 5),
        (3, 15.1, 5),
        (3, 15.0, 3),
        (3, 0.5, 3),
        (4, 20.0, 3),
        (4, 0.81, 3),
        (4, 0.8, 1),
        (7, 0.1, 1),
    ],
)
def test_depth_in_panic_mode(active, remaining, depth):
    found = plan(TOWERS[active], remaining)
    assert (found.depth, found.is_panic) == (depth, True)


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("tttttttt/8/8/8/8/8/TTTTTTTT r", 3),
        ("tttttttt/8/8/8/8/8/TTTTTT2 r", 3),
        ("tttttttt/8/8/8/8/8/TTTTT3 r", 5),
        ("tttttttt/8/8/8/8/8/TTWWW3 r", 5),
        ("tttttttt/8/8/8/8/8/TTT5 r", 7),
        ("tttttttt/8/8/8/TT6/8/TTT5 r", 5),
    ],
)
def test_depth_in_the_opening(text, depth):
    assert plan(text, 115.1).depth == depth


@pytest.mark.parametrize(
    ("text", "remaining", "depth"),
    [
        (TOWERS[3], 115.0, 7),
        (TOWERS[3], 20.1, 7),
        (TOWERS[4], 80.0, 7),
        (TOWERS[4], 79.9, 5),
        (TOWERS[5], 80.0, 7),
        (TOWERS[5], 79.9, 5),
        ("8/8/8/8/TTTTT3/1W6/WW6 r", 100.0, 5),  # three stacks behind
        ("8/8/8/8/TTTTT3/1W6/W7 r", 100.0, 7),
        (TOWERS[6], 110.0, 5),
    ],
)
def test_depth_afterwards(text, remaining, depth):
    found = plan(text, remaining)
    assert (found.depth, found.is_panic) == (depth, False)


def test_facts_are_those_of_the_side_to_act():
    text = "ttw5/8/8/8/3C4/1W6/TWC5 {}"
    romans, gauls = (jax.device_get(ENV.text_to_state(text.format(s)).game) for s in "rg")
    assert facts_of(romans) == Facts(active=3, home=3, back=4)
    assert facts_of(gauls) == Facts(active=2, home=3, back=3)


def test_time_of_a_move_is_limited_twice():
    assert plan(TOWERS[6], 40.0).seconds == 5.0  # an eighth of what is left
    assert plan(TOWERS[6], 79.0).seconds == 79.0 / 8
    assert plan(TOWERS[6], 120.0).seconds == DEFAULT_LIMITS.move < 120.0 / 8
    assert plan(TOWERS[6], 110.0, DEFAULT_LIMITS._replace(move=9.0)).seconds == 9.0


def test_every_limit_counts():
    cases = {
        "panic": (TOWERS[6], 30.0, 40.0),
        "opening": ("tttttttt/8/8/8/8/8/TTTTTTTT r", 100.0, 90.0),
        "three": (TOWERS[3], 50.0, 60.0),
        "four": (TOWERS[4], 50.0, 40.0),
        "advanced": (TOWERS[5], 50.0, 40.0),
        "panic_three": (TOWERS[3], 12.0, 10.0),
        "flag": (TOWERS[4], 5.0, 6.0),
        "move": (TOWERS[4], 100.0, 3.0),
    }
    assert set(cases) == set(Limits._fields)
    for name, (text, remaining, limit) in cases.items():
        changed = plan(text, remaining, Limits()._replace(**{name: limit}))
        assert changed != plan(text, remaining), name


def test_greatest_depth_is_that_of_the_tables():
    assert Dynamic().max_depth == 7
    assert Static(3).max_depth == 3


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="depth must be at least 1, got 0"):
        Static(0)
    with pytest.raises(ValueError, match="limit panic must be at least 0 seconds, got -1"):
        Dynamic(Limits(panic=-1))
    with pytest.raises(ValueError, match="limit move must be at least 0 seconds, got nan"):
        Dynamic(Limits(move=np.nan))
