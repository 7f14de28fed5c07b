"""Searches in pieces: equal to whole ones, ended in time, one program for all limits."""

import dataclasses

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import device_kind
from jaxgames.players import registry, search_limits
from jaxgames.players.real_time import UNKNOWN, RealTime
from jaxgames.players.registry import make
from jaxgames.search.real_time import tree
from jaxgames.search.real_time.pieces import Findings, Limit, carry_on, next_rounds
from jaxgames.search.tree import packing
from jaxgames.search.tree.arrays import ROOT
from jaxgames.search.tree.gumbel import Gumbel, halving_table, halving_visits
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.side_by_side import SideBySide
from jaxgames.search.tree.uct import Uct
from tests import turn_nim
from tests.fake_clock import FakeClock
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction

ENV = jaxgames.make("onitama")
SPEC = "gumbel:evaluator=uniform"
NIM = turn_nim.TurnNim()
NIM_POSITIONS = turn_nim.both_seats(turn_nim.all_positions())
HAS_CHOICE = np.asarray(jax.vmap(NIM.legal_actions)(NIM_POSITIONS)).sum(axis=1) > 1


class FakePieces:
    """A search of `total` rounds that can decide after the first ones."""

    first_rounds, fewest_rounds = 4, 2

    def __init__(self, total, needed=0):
        self.total, self.needed, self.made = total, needed, 0

    def advance(self, rounds):
        self.made = min(self.total, self.made + rounds)
        return Findings(self.made < self.total, self.made >= self.needed, self.made)


def states(number, seed=0):
    keys = jax.random.split(jax.random.key(seed), number)
    return jax.jit(jax.vmap(ENV.rules.init))(keys)


@pytest.mark.parametrize("most", [1, 2, 3, 5, 16, 17])
def test_visits_of_sequential_halving_are_those_of_its_table(most):
    tables = {number: halving_table(most, number) for number in (1, 2, 7, 31, 64, 1000)}
    visits = jax.jit(halving_visits, static_argnums=3)
    rows = [
        (considered, simulations, number, visit)
        for simulations, table in tables.items()
        for (considered, number), visit in np.ndenumerate(table)
    ]
    considered, planned, number, expected = np.array(rows, np.int32).T
    found = visits(considered, planned, number, most)
    np.testing.assert_array_equal(found, expected)
    # Beyond the schedule the last two actions are visited in turn.
    beyond = visits(considered, planned, number + planned, most)
    assert (np.asarray(beyond) >= np.asarray(found)).all()


def test_a_search_in_pieces_is_the_whole_search():
    agent = dataclasses.replace(make(SPEC, ENV).agent, simulations=63)
    games, key = states(3), jax.random.key(1)
    wanted = jax.jit(lambda g: agent.act((), (), g, key))(games)[0]
    for pieces in ([64], [1, 5, 17, 41], [3] * 22):
        search = tree.TreePieces(agent, (), (), games, jax.random.clone(key), 63)
        for rounds in pieces:
            found = search.advance(rounds)
        assert not found.is_running and found.nodes == 63
        for a, b in zip(search.decision()[0], wanted, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("step", [0.0, 0.01, 1.0])
def test_pieces_end_with_their_search_or_their_limit(step):
    whole = carry_on(FakePieces(1000), Limit(), FakeClock(step))
    assert not whole.is_running and whole.nodes == 1000
    limited = carry_on(FakePieces(1000), Limit(nodes=50), FakeClock(step))
    assert 50 <= limited.nodes <= 50 + FakePieces.fewest_rounds
    undecided = carry_on(FakePieces(1000, needed=100), Limit(seconds=1e-9), FakeClock(1.0))
    assert undecided.is_running and 100 <= undecided.nodes <= 102


def test_a_search_ends_within_a_piece_of_its_time():
    clock = FakeClock(0.01)
    pieces = FakePieces(10**12)
    assert carry_on(pieces, Limit(seconds=1.0), clock).is_running
    assert 1.0 <= clock.now <= 1.03


class Leading(FakePieces):
    """A search whose best move is ahead by all rounds made so far."""

    def advance(self, rounds):
        found = super().advance(rounds)
        return found._replace(settled_for=found.nodes)


def test_a_search_ends_when_its_decision_cannot_change_in_the_time_left():
    clock = FakeClock(0.01)
    found = carry_on(Leading(10**12), Limit(seconds=1.0), clock)
    assert found.is_running
    # A search that becomes faster by a quarter makes as many rounds again in 4/5 of the time.
    assert 1 / 1.8 - 0.02 <= clock.now <= 1 / 1.8 + 0.02
    clock = FakeClock(0.01)
    carry_on(Leading(10**12, needed=3 * 10**7), Limit(seconds=1.0), clock)
    assert 0.7 < clock.now < 1.0  # before, it cannot decide at all


def nim_games(where):
    return jax.tree.map(lambda x: x[where], NIM_POSITIONS)


@trees.each_policy(slow=("uct",), puct=Puct(dirichlet_fraction=0.0), uct=Uct())
def test_a_search_of_so_many_nodes_ends_as_early_as_the_whole_search(policy):
    nodes, key = 24, jax.random.key(2)
    search = TreeSearch(NIM, RandomFunction(NIM), policy, nodes, stop_decided=True)
    larger = dataclasses.replace(search, simulations=4 * nodes)
    games = nim_games(HAS_CHOICE)
    whole = jax.jit(lambda g: search.search((), (), g, key))(games)
    decided = jax.jit(search.conclude)(whole, jax.random.clone(key))
    pieces = tree.TreePieces(larger, (), (), games, jax.random.clone(key), nodes, nodes)
    found = carry_on(pieces, Limit(nodes=nodes), FakeClock(0.01))
    assert not found.is_running
    np.testing.assert_array_equal(pieces.decision()[0].action, decided.action)
    np.testing.assert_array_equal(pieces.decision()[0].policy, decided.policy)
    assert (np.asarray(whole.simulations) < nodes).any()


@pytest.mark.parametrize("policy", [Puct(), Gumbel()], ids=["puct", "gumbel"])
def test_a_position_without_a_choice_takes_no_time(policy):
    search = TreeSearch(NIM, RandomFunction(NIM), policy, 64, stop_decided=True)
    clock = FakeClock(0.01)
    agent = RealTime(search, Limit(seconds=100.0), clock)
    game = nim_games(np.flatnonzero(~HAS_CHOICE)[:1])
    decision, memory = agent.act((), agent.reset(1), game, jax.random.key(0))
    assert bool(jax.vmap(NIM.legal_actions)(game)[0, int(decision.action[0])])
    assert clock.now < 1.0
    assert memory.speed == UNKNOWN  # nothing was searched, so nothing was measured


def test_a_player_with_a_time_keeps_its_tree_where_its_spec_does():
    search = TreeSearch(NIM, RandomFunction(NIM), Puct(dirichlet_fraction=0.0), 64, reuse=True)
    agent = RealTime(search, Limit(nodes=40))
    game = jax.tree.map(lambda x: x[None], NIM.init(jax.random.key(0)))
    memory, kept = agent.reset(1), 0
    for ply in range(4):
        before = memory.of_agent
        is_here = (before.state == packing.pack(game)[:, None]).all(axis=-1) & (before.visits > 0)
        visits = int(np.asarray(before.visits)[np.asarray(is_here)].max(initial=1))
        decision, memory = agent.act((), memory, game, jax.random.key(ply))
        assert int(memory.of_agent.visits[0, ROOT]) == visits + 40
        kept += visits > 1
        game = jax.vmap(lambda s, a: NIM.step(s, a, None))(game, decision.action)
    assert kept == 3


@pytest.mark.parametrize("nodes", [3, 40, 64])
def test_actions_side_by_side_are_decided_as_one_by_one(nodes):
    search = TreeSearch(NIM, RandomFunction(NIM), Gumbel(max_considered=3), 64, stop_decided=True)
    games, key = nim_games(slice(None)), jax.random.key(4)
    decisions = []
    for agent in (search, SideBySide(search)):
        agent = RealTime(agent, Limit(nodes=nodes))
        size = len(HAS_CHOICE)
        decision, _ = agent.act((), agent.reset(size), games, jax.random.clone(key))
        decisions.append(jax.device_get(decision))
    np.testing.assert_array_equal(decisions[0].action, decisions[1].action)
    np.testing.assert_array_equal(decisions[0].policy, decisions[1].policy)
    np.testing.assert_allclose(decisions[0].values, decisions[1].values, atol=1e-6)


@pytest.mark.parametrize("spec", [SPEC, f"{SPEC},reuse=true", "puct:evaluator=uniform"])
def test_accelerators_search_side_by_side_where_they_can(spec):
    limits = f"{spec},nodes=8"
    with device_kind.assumed("cuda"):
        agent = make(limits, ENV).agent.agent
    assert isinstance(agent, SideBySide) == (spec == SPEC)
    assert isinstance(make(limits, ENV).agent.agent, TreeSearch)


def test_a_cpu_keeps_trees_between_moves_but_no_large_ones():
    with device_kind.assumed("cpu"):
        assert make(f"{SPEC},nodes=8", ENV).agent.agent.reuse
        assert not make("mcts:nodes=8", jaxgames.make("terra_mystica")).agent.agent.reuse
    with device_kind.assumed("cuda"):
        assert not make("mcts:nodes=8", ENV).agent.agent.reuse
        assert make("mcts:nodes=8,ponder=true", ENV).agent.agent.reuse


@pytest.mark.parametrize(
    ("rounds", "seconds", "wanted", "expected"),
    [
        (64, 0.0, 1.0, 256),  # a clock too coarse to tell
        (64, 0.1, 10.0, 256),  # grows by four at most
        (64, 0.5, 1.0, 128),
        (64, 2.0, 1.0, 32),
        (64, 9.0, 1.0, 16),
        (64, 1.0, -1.0, 16),
        (2**20, 0.1, 10.0, 2**20),
    ],
)
def test_size_of_pieces_follows_the_speed(rounds, seconds, wanted, expected):
    assert next_rounds(rounds, seconds, wanted, fewest=16) == expected


@pytest.mark.parametrize(
    "spec",
    [
        SPEC,
        pytest.param("puct:evaluator=uniform", marks=pytest.mark.slow),
        "negascout:depth=12",
    ],
)
def test_ten_limits_share_one_program(spec, monkeypatch):
    compiled = []
    monkeypatch.setattr(search_limits, "MOST_SIMULATIONS", 256)
    jax.monitoring.register_event_duration_secs_listener(
        lambda name, seconds, **_: compiled.append(name) if "backend_compile" in name else None
    )
    games, counts = states(1), []
    for nodes in (1, 2, 5, 10, 17, 33, 40, 64, 100, 200):
        player = make(f"{spec}{',' if ':' in spec else ':'}nodes={nodes}", ENV)
        memory = player.agent.reset(1)
        for number in range(2):
            decision, memory = player.act(memory, games, jax.random.key(number))
            assert bool(jax.vmap(ENV.rules.legal_actions)(games)[0, int(decision.action[0])])
        counts.append(len(compiled))
    assert counts[-1] == counts[0]


def test_more_time_searches_more_and_no_decision_passes_its_time(monkeypatch):
    monkeypatch.setattr(search_limits, "MOST_SIMULATIONS", 256)
    visits = []
    for seconds in (0.05, 0.5):
        clock = FakeClock(0.01)  # of each look at it
        agent = dataclasses.replace(make(f"{SPEC},seconds={seconds}", ENV).agent, clock=clock)
        _, memory = agent.act((), agent.reset(1), states(1), jax.random.key(0))
        begin = clock.now
        _, memory = agent.act((), memory, states(1), jax.random.key(1))
        assert clock.now - begin <= seconds + 0.05
        visits.append(float(memory.speed[0]) * seconds)
    assert visits[1] > visits[0]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gumbel:evaluator=uniform,seconds=0", "seconds must be more than 0, got 0"),
        ("gumbel:evaluator=uniform,seconds=x", "limit:seconds=x is not of type float"),
        ("gumbel:evaluator=uniform,nodes=0", "nodes must be at least 1"),
        ("random:seconds=1", "only tree searches, depth-first searches and planners"),
    ],
)
def test_limits_that_make_no_sense_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec, ENV)


@pytest.mark.parametrize("name", ["rhea", "oep", "mc", "planning_mcts"])
def test_planners_take_limits_and_keep_their_budget_as_the_most(name):
    agent = make(f"{name}:seconds=1", ENV).agent
    assert isinstance(agent, RealTime) and agent.limit == Limit(seconds=1.0)
    assert agent.agent.budget > 2000
    assert make(f"{name}:nodes=500,budget=1500", ENV).agent.agent.budget == 1500


@pytest.mark.parametrize(
    ("kind", "spec"),
    [("cpu", SPEC), ("cuda", SPEC), ("cpu", "negascout:table=4"), ("cpu", "mc:budget=100")],
)
def test_no_games_take_no_time(kind, spec):
    with device_kind.assumed(kind):
        player = make(f"{spec},seconds=100", ENV)
    memory = player.agent.reset(0)
    decision, after = player.act(memory, states(0), jax.random.key(0))
    shapes = [leaf.shape for leaf in decision]
    assert shapes == [(0,), (0, ENV.num_actions), (0, ENV.num_players)]
    assert jax.tree.map(np.shape, after) == jax.tree.map(np.shape, memory)


def test_a_player_with_a_time_says_that_it_cannot_be_traced():
    player = make(f"{SPEC},nodes=4", ENV)
    with pytest.raises(ValueError, match="decides on the host, outside of jit"):
        jaxgames.match(ENV, [player, "random"], num_games=2)


@pytest.mark.parametrize("spec", ["minimax:depth=1", "gumbel:evaluator=uniform,engine=mctx"])
def test_a_search_that_cannot_be_stopped_is_refused_where_all_have_a_time(spec):
    with pytest.raises(ValueError, match="takes no seconds, so it would search for as long"):
        registry.limited(spec, ENV, 1.0)
    assert registry.limited("random", ENV, 1.0).name == "random"


def test_players_that_decide_at_once_need_no_time():
    env = jaxgames.make("onitama")
    assert (
        make("network:network=onitama,seconds=1", env).agent
        == make("network:network=onitama", env).agent
    )
