import itertools

import pytest

from agents.arena.formats import Match, bracket, next_pairing, num_pairings

FIVE = ("a", "b", "c", "d", "e")


def play(form, agents, result):
    """Returns all pairings, where `result(first, second)` gives the first agent's net wins."""
    pairings, net_wins = [], []
    while pair := next_pairing(form, agents, net_wins):
        pairings.append(pair)
        net_wins.append(result(*pair))
    return pairings, net_wins


def test_in_a_round_robin_everyone_meets_everyone_once():
    pairings, _ = play("round_robin", FIVE, lambda *_: 0.0)
    assert pairings == list(itertools.combinations(FIVE, 2))


def test_in_a_gauntlet_the_first_meets_all_others():
    pairings, _ = play("gauntlet", FIVE, lambda *_: 1.0)
    assert pairings == [("a", "b"), ("a", "c"), ("a", "d"), ("a", "e")]


def test_byes_go_to_the_best_seeds_and_the_best_two_meet_in_the_final():
    pairings, net_wins = play("knockout", FIVE, lambda first, second: 1.0 if first < second else -1)
    assert pairings == [("d", "e"), ("a", "d"), ("b", "c"), ("a", "b")]
    assert bracket(FIVE, net_wins) == (
        (
            Match("a", None, "a"),
            Match("d", "e", "d"),
            Match("b", None, "b"),
            Match("c", None, "c"),
        ),
        (Match("a", "d", "a"), Match("b", "c", "b")),
        (Match("a", "b", "a"),),
    )


def test_the_loser_is_out_and_a_drawn_match_goes_to_the_better_seed():
    agents = FIVE[:4]
    outcomes = {("a", "d"): -2.0, ("b", "c"): 0.0, ("d", "b"): 0.0}
    pairings, net_wins = play("knockout", agents, lambda *pair: outcomes[pair])
    assert pairings == list(outcomes)
    assert bracket(agents, net_wins)[-1] == (Match("d", "b", "b"),)


def test_a_bracket_in_progress_ends_with_the_round_being_played():
    assert bracket(FIVE[:4], [1.0]) == ((Match("a", "d", "a"), Match("b", "c", None)),)


@pytest.mark.parametrize("form", ["round_robin", "gauntlet", "knockout"])
@pytest.mark.parametrize("num_agents", range(2, 10))
def test_a_tournament_has_the_announced_number_of_pairings(form, num_agents):
    agents = [str(number) for number in range(num_agents)]
    pairings, _ = play(form, agents, lambda first, second: -1.0)
    assert len(set(pairings)) == len(pairings) == num_pairings(form, num_agents)
