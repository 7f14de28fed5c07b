"""`Rules.canonical`: one way of writing the options of a game, whichever of several was chosen."""

import jax
import pytest

from jaxgames.players.registry import make_env

SAME = [
    ("murus_gallicus", "", "variant=delayed,win_timing=immediate"),
    ("murus_gallicus", "max_stack=2", "variant=basic,max_stack=2"),
    ("murus_gallicus", "variant=designer,max_plies=9", "max_plies=9,win_timing=delayed"),
    ("murus_gallicus", "variant=fire8,pie_rule=true", "fire_directions=8,pie_rule=true"),
    ("onitama", "deck=ox,crab,boar,horse,bear", "deck=bear,boar,crab,horse,ox"),
    ("onitama", "deal=boar,ox|horse,eel|crab", "deck=all,deal=ox,boar|eel,horse|crab"),
    ("tribes", "num_players=3", "num_players=3,side=14"),
    ("terra_mystica", "num_players=3", "num_players=3,factions=random"),
]
OTHER = [
    ("murus_gallicus", "variant=basic", "variant=basic,win_timing=delayed"),
    ("murus_gallicus", "", "max_plies=9"),
    ("onitama", "deck=ox,crab,boar,horse,bear", "deal=boar,ox|horse,bear|crab,deck=all"),
    ("onitama", "deal=boar,ox|horse,eel|crab", "deal=horse,eel|boar,ox|crab"),
    ("onitama", "", "planes=board"),
    ("tribes", "num_players=3", "num_players=3,side=11"),
    ("terra_mystica", "", "num_players=3"),
]


@pytest.mark.parametrize(("game", "options", "others"), SAME)
def test_the_same_rules_are_equal_however_they_are_written(game, options, others):
    one, other = make_env(game, options).rules, make_env(game, others).rules
    assert one.canonical == other.canonical == one.canonical.canonical
    shapes = [
        jax.eval_shape(rules.init, jax.random.key(0)) for rules in (one, other, one.canonical)
    ]
    assert shapes[0] == shapes[1] == shapes[2]


@pytest.mark.parametrize(("game", "options", "others"), OTHER)
def test_rules_that_differ_stay_different(game, options, others):
    assert make_env(game, options).rules.canonical != make_env(game, others).rules.canonical
