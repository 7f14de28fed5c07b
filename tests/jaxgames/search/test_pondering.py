"""Thinking while the opponent does: what is found then stays, and nothing else changes."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.env import Env
from jaxgames.players import registry
from jaxgames.players.real_time import RealTime
from jaxgames.players.registry import make
from jaxgames.search.real_time.pieces import Limit
from jaxgames.search.real_time.tree import TreePieces
from jaxgames.search.tree import packing
from jaxgames.search.tree.arrays import ROOT
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.gamble import Gamble
from tests.random_function import RandomFunction

ONITAMA = jaxgames.make("onitama")
NIM = turn_nim.TurnNim()
NODES, SIZE = 8, 64
DEPTH_FIRST = "negascout:table=12,depth=4,nodes=1000000,ponder=true"


def in_a_tree(policy):
    search = TreeSearch(NIM, RandomFunction(NIM), policy, SIZE, reuse=True)
    return RealTime(search, Limit(nodes=NODES, ponder=True))


PUCT = in_a_tree(Puct(dirichlet_fraction=0.0))
GUMBEL = in_a_tree(Gumbel(max_considered=1))


def key(number):
    return jax.random.key(number)


def after(game, *actions):
    for action in actions:
        game = jax.vmap(NIM.step)(game, np.array([action], np.int32))
    return game


def turn(agent):
    """Returns the position of the opponent after a turn of an agent, and the agent's memory."""
    game = jax.tree.map(lambda x: x[None], NIM.init(None))
    memory = agent.reset(1)
    for ply in range(2):
        decision, memory = agent.act((), memory, game, key(ply))
        game = after(game, int(decision.action[0]))
    return game, memory


def pieces(number):
    """Returns a function that stops a search after so many pieces."""
    asked = iter(range(number))
    return lambda: next(asked, None) is None


def visits(memory, game):
    """Returns the visits of a position in the tree; 0 if it is not there."""
    tree = jax.device_get(memory.of_agent)
    is_here = (tree.state == np.asarray(packing.pack(game))[:, None]).all(axis=-1)
    return int((tree.visits * is_here).max())


def legal(game):
    return np.flatnonzero(jax.vmap(NIM.legal_actions)(game)[0])


@pytest.mark.parametrize("agent", [PUCT, GUMBEL], ids=["puct", "gumbel"])
def test_a_decision_begins_with_the_subtree_of_the_move_that_the_opponent_makes(agent):
    game, memory = turn(agent)
    pondered = agent.ponder((), memory, game, key(7), pieces(3))
    assert visits(pondered, game) > visits(memory, game)
    heap = max(legal(game), key=lambda action: visits(pondered, after(game, action)))
    game = after(game, heap)
    game = after(game, max(legal(game), key=lambda action: visits(pondered, after(game, action))))
    known = visits(pondered, game)
    assert known > max(1, visits(memory, game))
    _, last = agent.act((), pondered, game, key(8))
    assert int(last.of_agent.visits[0, ROOT]) == known + NODES


def test_a_move_that_is_not_in_the_tree_begins_a_new_one():
    game, _ = turn(GUMBEL)
    pondered = GUMBEL.ponder((), GUMBEL.reset(1), game, key(7), pieces(2))
    heap = next(x for x in legal(game) if not visits(pondered, after(game, x)))
    game = after(game, heap)
    game = after(game, legal(game)[0])
    found = GUMBEL.act((), pondered, game, key(8))[0]
    wanted = GUMBEL.act((), GUMBEL.reset(1), game, key(8))[0]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_pondering_stops_within_a_piece(number, monkeypatch):
    made = []
    advance = TreePieces.advance
    game, memory = turn(PUCT)
    monkeypatch.setattr(
        TreePieces, "advance", lambda self, rounds: made.append(rounds) or advance(self, rounds)
    )
    pondered = PUCT.ponder((), memory, game, key(7), pieces(number))
    assert len(made) == number
    assert (pondered is memory) == (number == 0)  # then all decisions are those without pondering


def test_pondering_ends_by_itself_when_the_tree_is_full_or_the_game_is_over():
    game, memory = turn(PUCT)
    full = PUCT.ponder((), memory, game, key(7), lambda: False)
    assert int(full.of_agent.visits[0, ROOT]) == visits(memory, game) + SIZE
    over = game.replace(heaps=np.zeros_like(game.heaps))
    ended = PUCT.ponder((), memory, over, key(7), lambda: False)
    assert int(ended.of_agent.used[0]) == 1


@pytest.mark.parametrize("spec", ["gumbel:evaluator=uniform,simulations=32,nodes=8,ponder=true"])
def test_pondering_takes_the_programs_of_decisions(spec):
    player = make(spec, ONITAMA)
    game = jax.jit(jax.vmap(ONITAMA.rules.init))(key(0)[None])
    game = jax.tree.map(np.asarray, game)
    decide = [key(number) for number in range(4)]
    _, memory = player.act(player.agent.reset(1), game, decide[0])
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda name, seconds, **_: compiled.append(name) if "backend_compile" in name else None
    )
    for number in (1, 2):
        memory = player.agent.ponder(player.params, memory, game, decide[number], pieces(2))
    player.act(memory, game, decide[3])
    assert not compiled


def test_a_depth_first_search_pondering_leaves_its_table():
    player = make(DEPTH_FIRST, ONITAMA)
    agent, params = player.agent, player.params
    game = jax.jit(jax.vmap(ONITAMA.rules.init))(key(0)[None])
    _, memory = player.act(agent.reset(1), game, key(1))
    step = jax.jit(jax.vmap(lambda game, action: ONITAMA.rules.step(game, action, None)))
    pondered = agent.ponder(params, memory, game, key(2), lambda: False)
    reply = agent.act(params, memory, game, key(3))[0]
    game = step(game, reply.action)
    without, known = (
        agent.last_moment(params, x, game, key(4)) for x in (agent.reset(1), pondered)
    )
    assert known.pieces.depth == without.pieces.depth == 4
    assert known.findings.nodes < without.findings.nodes
    # The memory before is as it was, so a search that is given up costs nothing.
    assert agent.last_moment(params, memory, game, key(4)).pieces.depth == 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("best:ponder=true", "ponder needs seconds or nodes, as in seconds=1,ponder=true"),
        ("best:seconds=1,ponder=2", "limit:ponder=2 is not of type bool"),
        ("rhea:seconds=1,ponder=true", "keeps no tree and no table between moves"),
        ("network:network=onitama,seconds=1,ponder=true", "keeps no tree and no table"),
        ("negascout:seconds=1,ponder=true", "needs a table, which is kept between moves"),
    ],
)
def test_players_that_cannot_ponder_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec, ONITAMA)


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (Env("gamble", Gamble()), "the game has chance or hidden information"),
        (jaxgames.make("terra_mystica", num_players=3), "one opponent, and the game has 3 seats"),
    ],
    ids=["chance", "seats"],
)
def test_games_in_which_nobody_can_ponder_are_refused(env, message):
    with pytest.raises(ValueError, match=message):
        make("mcts:nodes=5,ponder=true", env)


def test_a_time_of_the_command_is_added_to_a_spec_that_ponders():
    player = registry.limited("gumbel:evaluator=uniform,ponder=true", ONITAMA, 0.5)
    assert player.agent.limit == Limit(seconds=0.5, ponder=True)
    assert player.name == "gumbel:evaluator=uniform,ponder=true,seconds=0.5"
