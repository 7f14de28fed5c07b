import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents.arena import games, tournament
from configs.tournament import TournamentConfig
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.matches.match import match
from jaxgames.matches.match_loop import MatchResult, PlayedPlies
from jaxgames.players import plugs, registry
from tests.gamble import Gamble

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
    return records.read(folder / "games.jsonl")


def test_saved_games_replay_to_the_results_of_the_tournament(played, saved):
    (pairing,) = played[0].pairings
    assert [game.tags["number"] for game in saved] == list(range(GAMES))
    assert tuple(len(game.moves) for game in saved) == pairing.plies
    for game, outcome in zip(saved, pairing.returns, strict=True):
        records.check(game)
        assert game.options == {"max_plies": 60}
        seats = [seat.agent for seat in game.seats]
        assert game.returns[seats.index("first_legal")] == outcome


def test_both_games_of_a_deal_share_start_and_opening_with_seats_exchanged(saved):
    for one, other in zip(saved[0::2], saved[1::2], strict=True):
        assert one.seats == other.seats[::-1]
        assert one.start == other.start
        assert one.moves[:OPENING] == other.moves[:OPENING]
    assert len({game.moves[:OPENING] for game in saved}) == GAMES // 2


def test_recording_leaves_the_games_as_they_are(played):
    result, folder = played
    assert outcomes(tournament.run(config(folder, output=None, save_games=None))) == outcomes(
        result
    )


def test_an_illegal_action_is_written_and_replayed(saved):
    env = records.make_env(saved[0])
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
        action_hashes=np.zeros(2, np.uint32),
        record=PlayedPlies(
            jax.tree.map(lambda x: jnp.asarray(x)[None], first.game),
            np.full((2, env.max_steps), action),
            np.zeros((2, 0, 2), np.uint32),
        ),
    )
    for game in games.describe(env, 0, ("a", "b"), result, {"seed": 0}):
        assert [move.text for move in game.moves] == [f"illegal:{action}"]
        assert game.tags["tournament"] == games.digest({"seed": 0})
        records.check(game)


def test_games_of_chance_are_played_again(tmp_path):
    env = Env("gamble", Gamble(), notation="tests.gamble")
    players = [registry.make("random", env), registry.make("first_legal", env)]
    result = match(env, players, jax.random.key(1), 32, opening_plies=1, record=True)
    described = games.describe(env, 0, ("random", "first_legal"), result, {})
    assert {game.end.split()[2] for game in described} == {"lost", "paid"}
    for number, game in enumerate(described):
        assert len(list(records.positions(env, game))) == result.plies[number] + 1
        seats = result.seats[number].tolist()
        assert game.returns[seats[0]] == result.returns[number][0]


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
        ValueError, match=r"games\.jsonl belongs to other games: its tournament is [0-9a-f]+, not"
    ):
        tournament.run(config(tmp_path, seed=1))
    assert other.read_bytes() == (folder / "games.jsonl").read_bytes()
    other.write_text("my notes\n")
    with pytest.raises(ValueError, match="is not a file of game records, or damaged: line 1"):
        tournament.run(config(tmp_path))
    assert other.read_text() == "my notes\n"


def test_save_games_needs_an_output_of_its_own(tmp_path):
    with pytest.raises(ValueError, match="needs an output of its own"):
        config(tmp_path, output=None)
    with pytest.raises(ValueError, match="needs an output of its own"):
        config(tmp_path, output=tmp_path / "games.jsonl")


def test_games_name_the_player_that_best_stands_for(tmp_path, monkeypatch):
    monkeypatch.setitem(plugs._loaded, "onitama", plugs.GameAgents(best={2: ("random",)}))
    short = config(tmp_path, agents=("best", "first_legal"), games=2)
    tournament.run(short)
    for game in records.read(tmp_path / "games.jsonl"):
        assert sorted(seat.agent for seat in game.seats) == ["first_legal", "random"]
    tournament.run(short)  # a finished tournament is the same with these names
