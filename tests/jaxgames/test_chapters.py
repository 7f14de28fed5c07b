"""The headings of rounds and turns in lists of moves, and what is to be decided."""

import jaxgames
from jaxgames.terra_mystica.state import Phase
from tests.jaxgames.terra_mystica import recorded as terra_mystica_games
from tests.jaxgames.tribes import recorded as tribes_games


def test_terra_mystica_has_rounds():
    env = jaxgames.make("terra_mystica", auto_end=False)
    states = [env.wrap(game) for game in terra_mystica_games.states_of("p2_1109")]
    chapters = list(dict.fromkeys(map(env.chapter, states)))
    rounds = [f"Round {number} of 6" for number in range(1, 7)]
    expected = ["Set-up", *rounds, "Game over"]
    assert [one for one in expected if one in chapters] == chapters
    assert int(states[-1].game.phase) == Phase.OVER


def test_tribes_has_ticks_and_the_tribe_of_the_turn():
    env = jaxgames.make("tribes")
    game = tribes_games.position("paper_levels", "33", 3)
    assert env.chapter(env.wrap(game)).startswith(f"Tick {int(game.tick)}, ")


def test_large_games_say_what_is_to_be_decided():
    env = jaxgames.make("tribes")
    game = tribes_games.position("paper_levels", "33", 3)
    assert env.decision(env.wrap(game)).partition(": ")[2] == "take an action"
    env = jaxgames.make("terra_mystica", auto_end=False)
    first = env.wrap(terra_mystica_games.states_of("p2_1109")[0])
    assert env.decision(first).endswith((": place a first dwelling", ": choose a faction"))
    env = jaxgames.make("onitama")
    small = env.text_to_state("bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0")
    assert env.decision(small) == ""


def test_seats_of_the_small_games_alternate():
    for name in ("onitama", "murus_gallicus"):
        env = jaxgames.make(name)
        text = {"onitama": "bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0",
                "murus_gallicus": "tttttttt/8/8/8/8/8/TTTTTTTT r"}[name]  # fmt: skip
        assert env.chapter(env.text_to_state(text)) == ""
