"""Positions from which games of self-play begin: where they come from, and mistakes in files."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames import records
from train import starts

ENV = jaxgames.make("onitama")


@pytest.fixture(scope="module")
def game():
    """A record of five random moves, and its positions."""
    state, states, actions = ENV.init(jax.random.key(0)), [], []
    first = state
    for number in range(5):
        states.append(state)
        actions.append(int(ENV.sample_action(state, jax.random.key(number))))
        state = ENV.step(state, actions[-1])
    record = records.begin(ENV, first, ["random", "random"])
    for before, action, after in zip(states, actions, [*states[1:], state], strict=True):
        record = records.add(ENV, record, before, action, after)
    return record, [*states, state]


def assert_positions(found, states):
    wanted = jax.tree.map(lambda *leaves: np.stack(leaves), *[state.game for state in states])
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


def test_all_positions_of_recorded_games_count(game, tmp_path):
    record, states = game
    records.write(tmp_path / "games.jsonl", record, record)
    assert_positions(starts.load(ENV, str(tmp_path / "games.jsonl"), 0), states + states)


def test_a_line_is_a_position(game, tmp_path):
    _, states = game
    text = "\n\n".join(ENV.state_to_text(state) for state in states)
    (tmp_path / "positions.txt").write_text(text)
    assert_positions(starts.load(ENV, str(tmp_path / "positions.txt"), 0), states)


def test_of_too_many_positions_some_are_drawn(game, tmp_path, monkeypatch):
    _, states = game
    (tmp_path / "positions.txt").write_text("\n".join(map(ENV.state_to_text, states)))
    monkeypatch.setattr(starts, "MOST_POSITIONS", 2)
    drawn = [starts.load(ENV, str(tmp_path / "positions.txt"), seed) for seed in (0, 0, 1)]
    plies = [found.ply.tolist() for found in drawn]
    assert len(plies[0]) == 2 and plies[0] == plies[1] != plies[2]


def test_mistakes_name_their_place(game, tmp_path):
    record, states = game
    path = tmp_path / "file"

    def refused(text, words):
        path.write_text(text)
        with pytest.raises(ValueError, match=words):
            starts.load(ENV, str(path), 0)

    good = ENV.state_to_text(states[0])
    refused("", "holds no position")
    refused(f"{good}\nwrong", "selfplay.starts=.*file: line 2: ")
    refused("5/5/2R2/5/2B2 r boar,goose|crab,eel|tiger 200", "line 1: the game is over")
    other = record._replace(options={"deck": "all"})
    refused(records.to_text(record, other), "game 2: it is of onitama.*another game")
    refused(f"{good}\n5/5/2R2/5/2B2 r bear,goose|crab,eel|tiger 4", "line 2: cards bear: expected")
    path.unlink()
    with pytest.raises(ValueError, match="No such file"):
        starts.load(ENV, str(path), 0)
    with pytest.raises(ValueError, match="no endgames of 'tribes'; games with some: onitama"):
        starts.load(jaxgames.make("tribes"), "endgames", 0)


SAME = {
    "onitama": {"deck": "all"},
    "tribes": {"tribes": "xin_xi,imperius"},
    "terra_mystica": {"factions": "draft"},
}
DEAL = "bear,goose|crab,eel|tiger"
OTHERS = [
    ("onitama", {}, "cards bear"),
    ("onitama", {"deck": ("goose", "crab", "eel", "tiger", "boar")}, "cards bear"),
    ("onitama", {"deck": "all", "deal": "boar,goose|crab,eel|tiger"}, "cards bear"),
    ("tribes", {"tribes": "bardur,oumaji"}, "tribe_ids imperius, xin_xi: expected bardur, oumaji"),
    ("terra_mystica", {}, "phase factions: .*factions='random'"),
]


@pytest.mark.parametrize(("game", "options", "words"), OTHERS)
def test_positions_of_a_game_with_other_options_are_refused(game, options, words, tmp_path):
    other = SAME[game] | ({"deal": DEAL} if game == "onitama" else {})
    env = jaxgames.make(game, **other)
    path = tmp_path / "positions.txt"
    path.write_text(env.state_to_text(env.init(jax.random.key(0))))
    with pytest.raises(ValueError, match=f"selfplay.starts=.*line 1: {words}"):
        starts.load(jaxgames.make(game, **options), str(path), 0)
    same = starts.load(jaxgames.make(game, **SAME[game]), str(path), 0)
    assert len(jax.tree.leaves(same)[0]) == 1


def test_hands_of_a_fixed_deal_may_have_changed(tmp_path):
    path = tmp_path / "positions.txt"
    path.write_text("2B2/5/5/5/2R2 r tiger,eel|bear,crab|goose 4")
    assert starts.load(jaxgames.make("onitama", deck="all", deal=DEAL), str(path), 0).ply == [4]


@pytest.mark.parametrize(
    ("game", "setting", "words"),
    [
        ("onitama", "endgame", "expected a file or endgames; did you mean 'endgames'?"),
        ("onitama", "Endgames", "expected a file or endgames; did you mean 'endgames'?"),
        ("onitama", "runs/x.jsonl", "expected a file or endgames"),
        ("tribes", "endgame", "expected a file"),
    ],
)
def test_a_missing_file_with_nearly_the_name_of_endgames_gets_a_hint(
    game, setting, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="No such file") as error:
        starts.load(jaxgames.make(game), setting, 0)
    assert str(error.value) == f"selfplay.starts={setting}: No such file or directory; {words}"
