"""`jaxgames.player`, `jaxgames.match`, `jaxgames.analyse`, also with agents of one's own."""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.search import Decision
from tests.three_nim import ThreeNim

ENV = jaxgames.make("onitama")
THREE_NIM = jaxgames.Env("three_nim", ThreeNim())


@dataclasses.dataclass(frozen=True)
class LastLegal:
    """The legal action of highest number, without a class of the library."""

    rules: Any

    def reset(self, batch_size):
        return ()

    def act(self, params, memory, state, key):
        legal = jax.vmap(self.rules.legal_actions)(state)
        action = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
        values = jnp.zeros((len(action), self.rules.num_players))
        return Decision(action, jax.nn.one_hot(action, legal.shape[1]), values), memory


class Unhashable(LastLegal):
    __hash__ = None


def test_a_player_is_made_of_a_spec_an_agent_or_a_player():
    minimax = jaxgames.player("minimax:depth=2", "onitama")
    assert isinstance(minimax, jaxgames.Player)
    assert (minimax.name, minimax.agent.depth, minimax.params) == ("minimax:depth=2", 2, ())
    assert jaxgames.player(minimax, ENV) is minimax
    agent = LastLegal(ENV.rules)
    assert jaxgames.player(agent, ENV) == ("LastLegal", agent, ())


@pytest.mark.parametrize(
    ("which", "env", "message"),
    [
        ("minmax", ENV, "unknown agent 'minmax'"),
        ("random", "onitma", "unknown environment 'onitma'.*did you mean 'onitama'"),
        (3, ENV, "expected a spec .* with the methods reset and act; got 3"),
        (LastLegal, ENV, "expected a spec .* with the methods reset and act"),
        (Unhashable(ENV.rules), ENV, "must be hashable, for instance a frozen dataclass"),
    ],
)
def test_what_is_no_player_is_named(which, env, message):
    with pytest.raises(ValueError, match=message):
        jaxgames.player(which, env)


def test_a_match_swaps_the_seats_and_prints_its_scores():
    mine = LastLegal(ENV.rules)
    result = jaxgames.match("onitama", ["minimax:depth=1", mine], key=3, num_games=20)
    assert result.names == ("minimax:depth=1", "LastLegal")
    assert result.seats.tolist() == [[0, 1], [1, 0]] * 10
    first, second = result.scores
    assert first.mean > 0.8 and first.mean + second.mean == pytest.approx(1)
    assert first.games == 20 and 0 <= first.standard_error < 0.1
    lines = str(result).splitlines()
    assert lines[0].startswith(f"minimax:depth=1  {100 * first.mean:5.1f} ± ")
    assert lines[0].endswith(f"{first.wins} won, {first.draws} drawn, {first.losses} lost")
    assert lines[1].startswith("LastLegal ")
    assert lines[2] == f"20 games, {result.plies.mean():.1f} plies each"


def test_a_seed_is_the_key_of_that_seed():
    pair = ["random", LastLegal(ENV.rules)]
    by_seed = jaxgames.match(ENV, pair, 5, 4)
    by_key = jaxgames.match(ENV, pair, jax.random.key(5), 4)
    np.testing.assert_array_equal(by_seed.plies, by_key.plies)


def test_three_players_share_three_seats_in_a_hundred_games_each():
    players = ["random", LastLegal(THREE_NIM.rules), "first_legal"]
    result = jaxgames.match(THREE_NIM, players)
    assert result.returns.shape == (300, 3)
    assert sorted(result.seats[:3, 1].tolist()) == [0, 1, 2]
    # What one wins, the two others do not lose in this game: each score has its own mean.
    means = (result.returns + 1).mean(axis=0) / 2
    np.testing.assert_allclose([score.mean for score in result.scores], means, rtol=1e-6)
    assert all(math.isfinite(score.standard_error) for score in result.scores)


@pytest.mark.parametrize(
    ("players", "games", "message"),
    [
        (["random"], 2, "onitama is played by 2 players, got 1"),
        (["random", "random"], 3, "num_games must be a positive multiple of 2"),
        (["random", "human"], 2, "a person is asked at the terminal: play with python -m"),
        (["random", 7], 2, "expected a spec"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(players, games, message):
    with pytest.raises(ValueError, match=message):
        jaxgames.match(ENV, players, num_games=games)


def test_a_position_is_analysed_as_a_state_and_as_text():
    state = ENV.init(jax.random.key(0))
    mine = jaxgames.analyse(ENV, state, LastLegal(ENV.rules))
    assert mine.action == int(np.flatnonzero(state.legal_action_mask)[-1])
    assert mine.values is None and mine.moves[0].policy == 1
    text = ENV.state_to_text(state)
    assert jaxgames.analyse("onitama", text, LastLegal(ENV.rules)) == mine
    searched = jaxgames.analyse("onitama", text, "gumbel:evaluator=uniform,simulations=8", top=2)
    assert isinstance(searched, jaxgames.Analysis)
    assert searched.visits == 9 and len(searched.moves) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: jaxgames.player("random", None), "expected a game, made by jaxgames.make"),
        (
            lambda: jaxgames.player(jaxgames.player("random", "onitama"), "murus_gallicus"),
            "random was made for another game than murus_gallicus",
        ),
        (
            lambda: jaxgames.match("onitama", ["random"] * 2, key=1.5, num_games=2),
            "key must be a random key or a seed, got 1.5",
        ),
        (
            lambda: jaxgames.match("onitama", ["random"] * 2, 20, jax.random.key(0)),
            "num_games must be a whole number, after the key; got",
        ),
        (
            lambda: jaxgames.match("onitama", ["random"] * 2, jnp.ones(3), 20),
            "takes one random key, got shape \\(3,\\)",
        ),
        (
            lambda: jaxgames.match("onitama", ["random"] * 2, key=2**70, num_games=2),
            "key must be a random key or a seed",
        ),
        (
            lambda: jaxgames.analyse("onitama", None, "random"),
            "analyse takes the State of one game",
        ),
    ],
)
def test_wrong_arguments_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_seed_is_a_key_of_analyses_too():
    env = jaxgames.make("onitama")
    state = env.init(jax.random.key(0))
    by_key = jaxgames.analyse(env, state, "random", key=jax.random.key(3))
    assert jaxgames.analyse(env, state, "random", key=3) == by_key
