"""What a language model may do with games: the tools without their protocol."""

import pytest

from agents.external import protocol
from agents.mcp.games import Games

OPTIONS = "deal=boar,ox|elephant,horse|crab,max_plies=3"


@pytest.fixture(scope="module")
def games():
    return Games("onitama", 2)


def test_a_game_is_played_by_moves_and_agents_to_its_end(games):
    begun = games.new_game(options=OPTIONS)
    number = begun["game_id"]
    assert not begun["is_over"] and begun["ply"] == 0
    assert games.position(number) == begun
    moves = games.legal_moves(number)
    assert moves == begun["legal_moves"] and moves
    after = games.play(number, moves[-1])
    assert after["played"] == moves[-1] and after["seat"] == 1 - begun["seat"]
    assert after["position"] != begun["position"]
    reply = games.play(number, agent="first_legal")
    assert reply["played"] == after["legal_moves"][0]
    end = games.play(number, agent="first_legal")
    assert end["is_over"] and end["returns"] == [0, 0] and games.legal_moves(number) == []
    with pytest.raises(ValueError, match="the game is over; begin a new one"):
        games.play(number, moves[0])


def test_a_position_is_told_as_to_a_player_in_another_process(games):
    game = games._find(games.new_game(options=OPTIONS)["game_id"])
    moves = game.env.legal_moves(game.state).values()
    told = protocol.position(game.env, game.state, moves)
    assert told.items() <= game.described().items()


def test_an_analysis_has_a_move_and_no_empty_fields(games):
    number = games.new_game(options=OPTIONS)["game_id"]
    found = games.analyse(number, "first_legal", 2)
    assert found["move"] == games.legal_moves(number)[0]
    assert found["moves"][0]["move"] == found["move"] and None not in found.values()


def test_the_game_that_was_begun_first_is_forgotten(games):
    first, *_, last = (games.new_game(options=OPTIONS)["game_id"] for _ in range(3))
    assert games.position(last)
    with pytest.raises(ValueError, match=f"unknown game_id '{first}'"):
        games.position(first)


def test_a_model_runs_no_programs_and_reads_no_files(games):
    number = games.new_game(options=OPTIONS)["game_id"]
    for agent, message in (
        ("external:command=true", "a page may not choose"),
        ("gumbel:network=/etc/passwd", "a page may not choose"),
        ("minimax:depth=9", "depth is at most 3"),
        ("human", "nobody can be asked here"),
    ):
        with pytest.raises(ValueError, match=message):
            games.play(number, agent=agent)


def test_mistakes_are_told_with_what_was_expected(games):
    number = games.new_game(options=OPTIONS)["game_id"]
    with pytest.raises(ValueError, match="did you mean"):
        games.play(number, games.legal_moves(number)[0] + "x")
    with pytest.raises(ValueError, match="give one of them"):
        games.play(number)
    with pytest.raises(ValueError, match="did you mean 'onitama'"):
        games.new_game("onitma")


@pytest.mark.parametrize("seed", [2**70, 2**63, -(2**63) - 1, 1.5])
def test_a_seed_of_more_than_64_bits_is_told_and_begins_no_game(games, seed):
    number = games.new_game(options=OPTIONS, seed=2**63 - 1)["game_id"]
    with pytest.raises(ValueError, match=f"^seed: expected a number from -{2**63} to {2**63 - 1}"):
        games.new_game(options=OPTIONS, seed=seed)
    assert next(reversed(games._games)) == number


@pytest.mark.slow
def test_a_seat_is_told_only_what_it_may_know():
    """Under the fog of Tribes, the position text is that of what the seat to move knows."""
    games = Games("tribes", 1)
    number = games.new_game()["game_id"]
    game = games._find(number)
    assert not game.env.rules.perfect_information
    assert games.position(number)["position"] != game.env.state_to_text(game.state)
