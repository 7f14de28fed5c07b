"""How the games of a device are divided among those who play against the newest network."""

import pytest

from configs.afterstates import PlayConfig
from train.afterstates.steps import divide_lanes

SHARES = [(0.5, 0.5), (0.3, 0.7), (0.25, 0.5), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)]
OPPONENTS = ("random", "first_legal")


@pytest.mark.parametrize(("past", "others"), SHARES)
def test_shares_are_whole_games_of_a_device_at_any_size(past, others):
    settings = PlayConfig(
        past_share=past, opponent_share=others, opponents=OPPONENTS if others else ()
    )
    for lanes in range(4, 60):
        num_past, num_others = divide_lanes(settings, lanes)
        assert num_past + num_others <= lanes
        assert abs(num_past - past * lanes) <= 0.5 and abs(num_others - others * lanes) <= 1
        assert (num_past > 0) == (past > 0) and num_others >= (2 if others else 0)


def test_a_player_without_a_game_is_refused_when_both_shares_are_rounded():
    settings = PlayConfig(past_share=0.5, opponent_share=0.5, opponents=OPPONENTS)
    with pytest.raises(ValueError, match=r"opponent_share must give each of its 2 players a game"):
        divide_lanes(settings, 3)
