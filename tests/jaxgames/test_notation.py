"""What holds for the notations of all games: which moves and batches are refused, with which words.

Position texts have tests of their own in the folder of each game.
"""

import pytest

import jaxgames
from jaxgames.batching import trees
from jaxgames.murus_gallicus import notation as murus
from jaxgames.onitama import notation as onitama
from jaxgames.terra_mystica.text import notation as terra_mystica
from jaxgames.tribes.text import notation as tribes
from tests.jaxgames.states import batch, same
from tests.jaxgames.terra_mystica import recorded as terra_mystica_games
from tests.jaxgames.tribes import recorded as tribes_games

GAMES = {
    "onitama": (onitama, {}),
    "murus_gallicus": (murus, {}),
    "terra_mystica": (terra_mystica, {"auto_end": False}),
    "tribes": (tribes, {}),
}
CARDS = "boar,ox|elephant,horse|crab"
TEXTS = {
    "onitama": f"bbBbb/5/5/5/rrRrr r {CARDS} 0",
    "murus_gallicus": "tttttttt/8/8/8/8/8/TTTTTTTT r",
}


def rules_of(game: str):
    return jaxgames.make(game, **GAMES[game][1]).rules


def position(game: str, text: str = ""):
    """Returns the position of a text; without a text, one early in a game."""
    if game == "terra_mystica":
        return terra_mystica_games.states_of("p2_1109")[-1 if text else 0]
    if game == "tribes":
        return tribes_games.position("paper_levels", "33", -1 if text else 3)
    return GAMES[game][0].text_to_state(rules_of(game), text or TEXTS[game])


@pytest.mark.parametrize(
    ("game", "move", "message"),
    [
        ("onitama", "", "move '' is not of the form card:c1c3"),
        ("onitama", "ox c1c2", "not of the form card:c1c3; did you mean 'ox:c1c2'"),
        ("onitama", "ox:c1c6", "not of the form"),
        ("onitama", "ox:c1c3", "move 'ox:c1c3' is not legal here; did you mean 'ox:c1c2'"),
        ("onitama", "horse:c1c2", "is not legal here; did you mean 'boar:c1c2'"),
        ("onitama", "boar:pass", "is not legal here"),
        ("onitama", "ox:c5c4", "Legal moves: boar:a1a2, ox:a1a2"),
        ("murus_gallicus", "", "move '' is not of the form a1-a3 or d4-d5-1"),
        ("murus_gallicus", "a1a3", "is not of the form .*; did you mean 'a1-a3'"),
        ("murus_gallicus", "a1-a8", "is not of the form"),
        ("murus_gallicus", "a1-a2", "'a1-a2' is not legal here; did you mean 'a1-a3'"),
        ("murus_gallicus", "d4-d5-1", "is not legal here"),
        ("murus_gallicus", "swap", "move 'swap' is not legal here"),
        ("murus_gallicus", "-c1", "move '-c1' is not legal here"),
        ("murus_gallicus", "a7-a5", "Legal moves: a1-a3, b1-b3"),
        ("terra_mystica", "biuld E7", "not of the form build E7 or upgrade D3 to TP; did you"),
        ("terra_mystica", "build A1", "'build A1' is not legal here; did you mean 'build A"),
        ("terra_mystica", "send FIRE 3", "is not legal here[.] Legal moves: build A"),
        ("terra_mystica", "+1 FAV11", "move '\\+1 FAV11' is not legal here"),
        ("tribes", "i12a", "not of the form c4, move d5, build farm or end_turn[.] Legal moves: i"),
        ("tribes", "reserch riding", "not of the form .*; did you mean 'research riding'"),
        ("tribes", "a1", "move 'a1' is not legal here[.] Legal moves: i8, h9, i9, research c"),
        ("tribes", "research mining", "is not legal here; did you mean 'research "),
        ("tribes", "move i7", "move 'move i7' is not legal here"),
    ],
)
def test_a_bad_move_is_refused_with_the_nearest_legal_one(game, move, message):
    with pytest.raises(ValueError, match=message):
        GAMES[game][0].text_to_action(rules_of(game), position(game), move)


@pytest.mark.parametrize(
    ("game", "action", "legal"),
    [
        *(("onitama", action, "0, 4") for action in (-1, 1, 200, 202)),
        *(("murus_gallicus", action, "0, 1") for action in (-1, 8, 448, 896)),
        ("terra_mystica", 1061, "5"),
        ("tribes", 0, "85, 95, 96"),
    ],
)
def test_an_illegal_action_number_has_no_text(game, action, legal):
    message = f"action {action} is not legal here; legal actions: {legal}"
    with pytest.raises(ValueError, match=message):
        GAMES[game][0].action_to_text(rules_of(game), position(game), action)


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("onitama", f"5/5/2R2/5/5 b {CARDS} 200", "over, no move is legal: "),
        ("onitama", f"2R2/5/2B2/5/5 b {CARDS} 200", "over, no move is legal: "),
        ("onitama", f"2B2/5/2R2/5/5 r {CARDS} 200", "over, no move is legal: "),
        ("murus_gallicus", "3W4/3W4/8/8/8/8/8 g", r"over \(breakthrough\), no move is legal: "),
        ("murus_gallicus", "8/8/3w4/8/8/8/8 g", r"over \(no move\), no move is legal: "),
        ("murus_gallicus", f"{TEXTS['murus_gallicus']} 200", r"over \(ply limit\), no move is"),
        ("terra_mystica", "over", r"over, no .*\"phase\":\"over\""),
        ("tribes", "over", r"over in tick \d+, no move is legal; ranking, best first: \[1, 0\]"),
    ],
)
def test_no_move_is_legal_after_the_end(game, text, message):
    with pytest.raises(ValueError, match=f"the game is {message}"):
        GAMES[game][0].text_to_action(rules_of(game), position(game, text), "end")


@pytest.mark.parametrize("game", GAMES)
def test_texts_make_a_batch_and_a_batch_has_no_text(game):
    notation, rules, state = GAMES[game][0], rules_of(game), position(game)
    text = notation.state_to_text(rules, state)
    states = trees.stack([notation.text_to_state(rules, text)] * 2)
    assert same(states, batch(state, state))
    with pytest.raises(ValueError, match="got none"):
        trees.stack([])
    with pytest.raises(ValueError, match=r"got a batch of shape \(2,\)"):
        notation.state_to_text(rules, states)
    with pytest.raises(ValueError, match=r"got a batch of shape \(2,\)"):
        notation.action_to_text(rules, states, 0)
