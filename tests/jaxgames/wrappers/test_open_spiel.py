import copy
import subprocess
import sys

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, mcts

import jaxgames
from jaxgames import search
from jaxgames.wrappers import open_spiel
from tests.jaxgames.wrappers.games import EVERY_GAME


def play(game, bots, outcome=3):
    """Plays a game of bots; returns its last state."""
    state = game.new_initial_state()
    while not state.is_terminal():
        is_chance = state.is_chance_node()
        action = outcome if is_chance else bots[state.current_player()].step(state)
        state.apply_action(action)
    return state


@pytest.mark.parametrize("env_id", EVERY_GAME)
def test_game_passes_the_random_simulation_of_open_spiel(env_id):
    game = pyspiel.load_game(f"jaxgames_{env_id}")
    pyspiel.random_sim_test(game, num_sims=1, serialize=env_id == "onitama", verbose=False)


def test_texts_with_commas_survive_the_parameters_of_open_spiel():
    game = pyspiel.load_game("jaxgames_terra_mystica_alphatm")
    assert game.env.rules == jaxgames.make("terra_mystica_alphatm").rules
    assert str(copy.deepcopy(game)) == str(game)
    options = "factions=darklings;witches,post_conversions=false"
    game = pyspiel.load_game(f"jaxgames_terra_mystica({options})")
    assert game.env.rules.factions == "darklings,witches"


def test_mcts_of_open_spiel_plays_an_agent():
    game = open_spiel.make("onitama")
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 1.4, 2, evaluator, random_state=random)
    rules = game.env.rules
    agent = search.gumbel_search(rules, search.Rollout(rules), simulations=8)
    last = play(game, (bot, open_spiel.AgentBot(game, agent)))
    assert sorted(last.returns()) == [-1.0, 1.0]


def test_history_replays_the_game():
    game = open_spiel.make("onitama", chance_outcomes=7)
    bots = [pyspiel.make_uniform_random_bot(seat, 5 + seat) for seat in range(2)]
    last = play(game, bots, outcome=6)
    again = game.new_initial_state()
    for action in last.history():
        again.apply_action(action)
    assert str(again) == str(last) and again.returns() == last.returns()
    assert len(game.new_initial_state().chance_outcomes()) == 7


def test_set_ups_depend_on_the_first_chance_outcome():
    game = open_spiel.make("onitama")
    texts = {str(game.new_initial_state().child(seed)) for seed in range(8)}
    assert len(texts) == 8


def test_state_is_that_of_the_environment():
    game = open_spiel.make("onitama", planes="board")
    state = game.new_initial_state().child(0)
    env, position = game.env, state.position
    assert env.id == "onitama" and env.rules.planes == "board"
    legal = np.flatnonzero(position.legal_action_mask).tolist()
    assert state.legal_actions() == legal
    assert state.action_to_string(0, legal[0]) == env.action_to_text(position, legal[0])
    assert str(state) == env.state_to_text(position)
    for seat in range(2):
        seen = env.observe(position, seat)
        np.testing.assert_array_equal(state.observation_tensor(seat), np.ravel(seen))


class Endgame(open_spiel.OpenSpielGame):
    """Onitama from a position in which the seat to move wins in three plies, the last of the game.

    Source: number 32 of the golden data (`tests/golden/onitama/tablebase.jsonl`).
    """

    env_id = "onitama"
    TEXT = "5/2B2/R4/5/1b3 b goose,rooster|elephant,monkey|dragon 0"

    def new_initial_state(self, state=None):
        state = super().new_initial_state(state)
        state.position = self.env.text_to_state(self.TEXT)
        return state


class MovesOf(policy.Policy):
    """The moves of a player, as OpenSpiel's algorithms take them."""

    def __init__(self, game, spec):
        super().__init__(game, list(range(game.num_players())))
        self._bot = open_spiel.AgentBot(game, jaxgames.player(spec, game.env).agent)

    def action_probabilities(self, state, player_id=None):
        return {self._bot.step(state): 1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "gain"),
    [
        ("minimax:depth=3,ties=first", 0.0),  # it sees to the end of the game
        ("first_legal", 1.0),  # against itself it draws: it neither wins nor defends
    ],
)
def test_exploitability_of_players_in_an_endgame(spec, gain):
    game = Endgame({"max_plies": 3, "chance_outcomes": 1})
    seat = game.new_initial_state().current_player()
    found = exploitability.nash_conv(game, MovesOf(game, spec), return_only_nash_conv=False)
    # The other seat has one ply only, too few to win.
    assert found.player_improvements[seat] == found.nash_conv == gain


def test_types_say_how_many_play_and_what_is_hidden():
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    assert {f"jaxgames_{env_id}" for env_id in jaxgames.available()} <= set(kinds)
    assert kinds["jaxgames_terra_mystica"].max_num_players == 5
    hidden = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert kinds["jaxgames_tribes"].information == hidden
    assert kinds["jaxgames_onitama"].information != hidden


def test_interpreter_ends_without_complaint():
    code = "from jaxgames.wrappers import open_spiel; open_spiel.make('onitama')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="did you mean 'onitama'"):
        open_spiel.make("onitamo")
    with pytest.raises(ValueError, match=r"unknown option 'plane'.*did you mean 'planes'"):
        open_spiel.make("onitama", plane="board")
    with pytest.raises(ValueError, match="expected a game of jaxgames"):
        open_spiel.AgentBot(pyspiel.load_game("tic_tac_toe"), None)
    with pytest.raises(ValueError, match=r"expected an agent .*, got 'random'"):
        open_spiel.AgentBot(open_spiel.make("onitama"), "random")
    for game in (jaxgames.make("onitama"), None):
        with pytest.raises(ValueError, match="expected the id of a game"):
            open_spiel.make(game)
    for number in ("a", True, 2.0):
        with pytest.raises(ValueError, match="option chance_outcomes is of type int"):
            open_spiel.make("onitama", chance_outcomes=number)
