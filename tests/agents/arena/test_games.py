import dataclasses
import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents.arena import games, tournament
from agents.arena.match import MatchResult, Record
from configs.tournament import TournamentConfig
from jaxgames import files

GAMES = 8
OPENING = 4


def config(folder, **changes):
    plain = TournamentConfig(
        agents=("first_legal", "random"),
        games=GAMES,
        opening_plies=OPENING,
        env_options="max_plies=60",
        output=folder / "results.json",
        save_games=folder / "games.jsonl",
    )
    return dataclasses.replace(plain, **changes)


def outcomes(result):
    """Returns the pairings without the time that they took."""
    return [pairing._replace(seconds=None) for pairing in result.pairings]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    return tournament.run(config(folder)), folder


@pytest.fixture(scope="module")
def saved(played):
    _, folder = played
    return games.read(folder / "games.jsonl")


def test_saved_games_replay_to_the_results_of_the_tournament(played, saved):
    (pairing,), (env, lines) = played[0].pairings, saved
    assert [game.number for game in lines] == list(range(GAMES))
    assert tuple(len(game.moves) for game in lines) == pairing.plies
    for game, outcome in zip(lines, pairing.returns, strict=True):
        *_, last = games.positions(env, game)
        assert env.state_to_text(last) == game.end
        assert game.returns[game.seats.index("first_legal")] == outcome


def test_both_games_of_a_deal_share_start_and_opening_with_seats_exchanged(saved):
    _, lines = saved
    for one, other in zip(lines[0::2], lines[1::2], strict=True):
        assert one.seats == other.seats[::-1]
        assert one.start == other.start
        assert one.moves[:OPENING] == other.moves[:OPENING]
    assert len({game.moves[:OPENING] for game in lines}) == GAMES // 2


def test_recording_leaves_the_games_as_they_are(played):
    result, folder = played
    assert outcomes(tournament.run(config(folder, output=None, save_games=None))) == outcomes(
        result
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": ("tiger:a1a1",)}, "pairing 0, game 0, ply 0: move 'tiger:a1a1' is not legal"),
        ({"moves": ("illegal:abc",)}, "ply 0: move 'illegal:abc': expected the number of an act"),
        ({"moves": ("illegal:99999999999",)}, "ply 0: move 'illegal:99999999999': expected the n"),
        ({"moves": ("illegal:2147483648",)}, "ply 0: move 'illegal:2147483648': expected the nu"),
        ({"moves": ()}, "game 0: the game is not over after 0 moves"),
        ({"returns": (0.5, -0.5)}, r"the moves give \[.*\], not \(0\.5, -0\.5\)"),
        ({"end": "elsewhere"}, "game 0: the moves end in "),
    ],
)
def test_a_changed_game_does_not_pass_the_replay(saved, change, message):
    env, lines = saved
    with pytest.raises(ValueError, match=message):
        list(games.positions(env, lines[0]._replace(**change)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": [1, 2]}, "pairing 0, game 0: moves must be text, got 1"),
        ({"start": None}, "pairing 0, game 0: start must be text, got None"),
        ({"end": 3}, "pairing 0, game 0: end must be text, got 3"),
        ({"seats": [1, 2]}, "pairing 0, game 0: seats must be text, got 1"),
        ({"seats": [["random"], "first_legal"]}, "seats must be text, got ['random']"),
        ({"seats": ["random", "nobody"]}, "seats must be 2 of first_legal, random, got random, no"),
        ({"seats": ["random", "random"]}, "seats must be 2 of first_legal, random, got random, ra"),
        ({"seats": ["random"]}, "seats must be 2 of first_legal, random, got random"),
        ({"moves": 7}, "is not a file of saved games"),
    ],
)
def test_a_damaged_line_is_refused(played, tmp_path, change, message):
    header, line, *_ = (played[1] / "games.jsonl").read_text().splitlines()
    path = tmp_path / "games.jsonl"
    game = json.loads(line)
    del game["checksum"]  # as in files of older versions
    path.write_text(f"{header}\n{json.dumps(game | change)}\n")
    with pytest.raises(ValueError, match=re.escape(message)):
        games.read(path)


def test_every_flipped_bit_of_a_line_is_noticed(played, tmp_path):
    content = b"".join((played[1] / "games.jsonl").read_bytes().splitlines(keepends=True)[:2])
    path = tmp_path / "games.jsonl"
    random = np.random.default_rng(0)
    for place in random.choice(len(content) - 1, 200, replace=False):
        changed = bytearray(content)
        changed[place] ^= 1 << random.integers(8)
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=r"games\.jsonl"):
            games.read(path)


def test_an_unfinished_last_line_is_left_out_with_a_warning(played, tmp_path, caplog):
    path = tmp_path / "games.jsonl"
    path.write_bytes((played[1] / "games.jsonl").read_bytes()[:-1])
    assert len(games.read(path)[1]) == GAMES - 1
    assert "ends in an unfinished line" in caplog.text


def test_files_of_older_versions_have_no_checksums(played, tmp_path):
    lines = [json.loads(x) for x in (played[1] / "games.jsonl").read_text().splitlines()]
    for line in lines:
        del line["checksum"]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert games.read(path)[1] == games.read(played[1] / "games.jsonl")[1]


def test_moves_after_the_end_do_not_pass_the_replay(saved):
    env, lines = saved
    longer = lines[0]._replace(moves=(*lines[0].moves, lines[0].moves[-1]))
    with pytest.raises(ValueError, match="the game ends after"):
        list(games.positions(env, longer))


def test_an_illegal_action_is_written_and_replayed(saved):
    env, _ = saved
    first = env.init(jax.random.key(0))
    loser = int(first.current_player)
    action = int(np.flatnonzero(~np.asarray(first.legal_action_mask))[0])
    outcome = np.ones(2)
    outcome[loser] = -1
    result = MatchResult(
        returns=np.stack([outcome, outcome[::-1]]),
        seats=np.array([[0, 1], [1, 0]]),
        plies=np.array([1, 1]),
        winner=np.array([1 - loser, loser]),
        finals=(),
        record=Record(
            jax.tree.map(lambda x: jnp.asarray(x)[None], first.game),
            np.full((2, env.max_steps), action),
        ),
    )
    for game in games.describe(env, 0, ("a", "b"), result):
        assert game.moves == (f"illegal:{action}",)
        assert len(list(games.positions(env, game))) == 2


def test_games_of_an_interrupted_pairing_are_not_kept_twice(played, tmp_path, monkeypatch):
    result, folder = played
    with monkeypatch.context() as patch:
        real_replace = files.replace_all

        def killed(contents):
            if any(path.suffix == ".json" for path in contents):
                raise KeyboardInterrupt
            real_replace(contents)

        patch.setattr(files, "replace_all", killed)
        with pytest.raises(KeyboardInterrupt):
            tournament.run(config(tmp_path))
    path = tmp_path / "games.jsonl"
    assert path.read_bytes() == (folder / "games.jsonl").read_bytes()
    path.write_text(path.read_text()[:-30])  # the last line was being written

    assert outcomes(tournament.run(config(tmp_path))) == outcomes(result)
    assert path.read_bytes() == (folder / "games.jsonl").read_bytes()


def test_missing_games_and_files_of_others_are_refused_and_kept(played, tmp_path):
    _, folder = played
    with pytest.raises(ValueError, match="holds 0 of the 8 games played so far"):
        tournament.run(config(folder, save_games=tmp_path / "new.jsonl"))
    other = tmp_path / "games.jsonl"
    other.write_bytes((folder / "games.jsonl").read_bytes())
    with pytest.raises(
        ValueError, match=r"games\.jsonl belongs to other games: its seed is 0, not 1"
    ):
        tournament.run(config(tmp_path, seed=1))
    assert other.read_bytes() == (folder / "games.jsonl").read_bytes()
    other.write_text("my notes\n")
    with pytest.raises(ValueError, match="is not a file of saved games"):
        tournament.run(config(tmp_path))
    assert other.read_text() == "my notes\n"


@pytest.mark.parametrize("text", ["", "{}\n", "[]\n", json.dumps({"tournament": {}}) + "\n"])
def test_a_file_without_games_is_not_replayed(tmp_path, text):
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match="is not a file of saved games"):
        games.read(path)


def test_save_games_needs_an_output_of_its_own(tmp_path):
    with pytest.raises(ValueError, match="needs an output of its own"):
        config(tmp_path, output=None)
    with pytest.raises(ValueError, match="needs an output of its own"):
        config(tmp_path, output=tmp_path / "games.jsonl")
