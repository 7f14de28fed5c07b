"""Players and games with a clock that moves only when it is read."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from agents.clock import __main__ as program
from agents.clock import player as player_module
from agents.clock import players
from agents.clock import program as clock_program
from agents.clock.dynamic_policy import Limits
from agents.clock.match import BY_RULES, BY_TIME, TimedGame, TimedMove, match, play
from agents.clock.player import ClockedPlayer
from agents.clock.policy import MovePlan, Static
from configs.clock import ClockConfig
from jaxgames import records
from jaxgames.players.depth_first import per_lane
from jaxgames.players.opening_book import book
from jaxgames.players.opening_book.book import NO_MOVE
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.real_time.depth_first import DepthFirstPieces
from jaxgames.search.tree import packing
from tests.fake_clock import FakeClock

DEPTH = 3


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A policy that notes what it is asked."""

    depth: int
    seconds: float
    asked: list = dataclasses.field(default_factory=list, compare=False, hash=False)

    @property
    def max_depth(self):
        return self.depth

    def plan(self, game, remaining):
        self.asked.append(remaining)
        return MovePlan(self.depth, self.seconds)


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("murus_gallicus")


def start_of(env, text="tttttttt/8/8/8/8/8/TTTTTTTT r"):
    return jax.device_get(env.text_to_state(text).game)


def player_of(env, clock, policy, spec=f"negascout:depth={DEPTH}"):
    player = players.make(spec, env, clock)
    return dataclasses.replace(player, policy=policy)


def book_of(games, actions, shares):
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *games)
    words = np.asarray(packing.pack(states))
    return book.make(words, np.array(actions), np.array(shares), np.zeros((len(games), 2)))


def test_search_that_has_time_is_the_search_without_a_clock(env):
    player = players.make(f"negascout:depth={DEPTH}", env, FakeClock(0.0))
    game = start_of(env, "tt6/6w1/twtt1tW1/3w1WT1/W1TTWW2/1TW1W3/8 r")
    choice = player.act(game, 100.0)
    params = per_lane(player.params, None, (), 1)
    games = jax.tree.map(lambda x: jnp.asarray(x)[None], game)
    key = jax.random.fold_in(jax.random.key(0), 0)
    found = jax.jit(player.search.search)(params, games, key)
    assert choice.depth == DEPTH == int(found.depth[0])
    assert choice.action == int(found.action[0])
    assert choice.nodes == int(found.statistics.nodes[0])


def test_move_ends_within_a_piece_of_its_time_but_not_without_a_move(env):
    for seconds, least_depth in ((0.0, 1), (6.5, 1), (1000.0, DEPTH)):
        clock = FakeClock(1.0)
        player = player_of(env, clock, Static(DEPTH))
        begin = clock.now
        choice = player.choose(start_of(env), MovePlan(DEPTH, seconds))
        assert least_depth <= choice.depth <= DEPTH
        if seconds == 0.0:  # pieces of the least size until depth 1 is finished
            assert clock.now - begin <= 1 + -(-1056 // DepthFirstPieces.fewest_rounds)
            assert choice.nodes < 1056
        elif seconds == 6.5:
            assert clock.now - begin == 9.0  # read at 1, then around each piece: at 9 time is over
            assert choice.depth < DEPTH


@pytest.mark.parametrize(
    ("fields", "off"),
    [
        ("", [False, True, False, True, True]),
        (",pst_latch=false", [False, True, False, False, False]),
        (",panic_eval=same", [False, False, False, True, True]),
    ],
)
def test_latch_and_panic_switch_the_tables_off(env, monkeypatch, fields, off):
    player = players.make(f"ms2:table=4{fields}", env, FakeClock(0.0))
    game = start_of(env, "tttt4/8/8/8/8/TTTT4/TTT5 r")
    standing = start_of(env, "tttt4/8/8/8/2TWWT2/8/TT6 r")
    seen = []

    def begin(search, params, game, key, depth, table):
        seen.append(params.uses_tables.tolist())
        return DepthFirstPieces(search, params, game, key, 1, table)

    monkeypatch.setattr(player_module, "DepthFirstPieces", begin)
    for position, remaining in (
        (game, 100.0),
        (game, 10.0),  # panic, and over again
        (game, 100.0),
        (standing, 100.0),
        (game, 100.0),
    ):
        player.act(position, remaining)
    assert seen == [[not is_off] for is_off in off]
    player.new_game()
    player.act(game, 100.0)
    assert seen[-1] == [True]


def test_player_is_told_what_is_left_and_loses_when_it_is_over(env):
    clock = FakeClock(1.0)
    slow, fast = Recorded(DEPTH, 0.0), Recorded(DEPTH, 0.0)
    pair = [player_of(env, clock, policy) for policy in (slow, fast)]
    game = play(env, pair, 30.0, clock, start_of(env))
    assert game.ended_by == BY_TIME
    loser = game.moves[-1].seat
    assert game.returns[loser] == -1 and game.returns[1 - loser] == 1
    assert game.remaining[loser] < 0 <= game.remaining[1 - loser]
    for seat, policy in enumerate((slow, fast)):
        used = [move.seconds for move in game.moves if move.seat == seat]
        left = 30.0 - np.cumsum([0.0, *used])
        np.testing.assert_allclose(policy.asked, left[: len(policy.asked)])
        assert game.remaining[seat] == left[-1]


def test_game_ends_by_the_rules_and_the_first_reading_is_after_compilation(env):
    clock = FakeClock(0.0)
    pair = [player_of(env, clock, Static(DEPTH)) for _ in range(2)]
    game = play(env, pair, 1.0, clock, start_of(env, "t7/8/3T4/8/8/8/7T r"))
    assert game.ended_by == BY_RULES
    assert game.returns == (1.0, -1.0)
    assert len(game.moves) == 1 and game.moves[0].nodes > 0


def test_match_changes_seats_and_adds_up(env):
    clock = FakeClock(0.001)
    pair = [player_of(env, clock, Static(DEPTH)), players.make("alpha_beta:depth=1", env, clock)]
    seen = []
    games, summaries = match(
        env, pair, 100.0, clock, num_games=2, opening_plies=6, report=seen.append
    )
    assert seen == games
    for summary, depth in zip(summaries, (DEPTH, 1), strict=True):
        assert summary.wins + summary.draws + summary.losses == 2
        assert 0 < summary.seconds[0] <= summary.seconds[1] <= summary.seconds[2]
        assert 0 < summary.nodes[0] <= summary.nodes[1] <= summary.nodes[2]
        assert summary.depth <= depth
    assert summaries[0].wins == summaries[1].losses
    assert sum(summary.moves for summary in summaries) == sum(len(game.moves) for game in games)
    assert summaries[0].nodes[2] > summaries[1].nodes[2]
    first = [game.moves[0].nodes for game in games]
    assert first[0] != first[1]  # another player begins


def test_first_moves_come_from_the_book(env):
    first = start_of(env)
    opened = book_of([first], [[0, 7, NO_MOVE]], [[0.75, 0.25, 0.0]])
    player = dataclasses.replace(
        player_of(env, FakeClock(0.0), Static(DEPTH)), book=opened, book_moves=1
    )
    player.warm_up(first)
    drawn = []
    for _ in range(100):
        player.new_game()
        choice = player.act(first, 100.0)
        assert (choice.depth, choice.nodes) == (0, 0)
        drawn.append(choice.action)
    assert set(drawn) == {0, 7} and 60 < drawn.count(0) < 90
    assert player.act(first, 100.0).depth == DEPTH  # the second move of this game
    player.new_game()
    assert player.act(start_of(env, "tttttttt/8/8/8/8/8/TTTTTTTT g 1"), 100.0).depth == DEPTH


def test_set_up_plies_are_not_moves_of_the_book():
    env = jaxgames.make("murus_gallicus", redistribute_start=True)
    games, actions = [env.rules.init(jax.random.key(0))], []
    for _ in range(4):  # the first turn of the Romans takes three plies
        actions.append(int(env.rules.legal_actions(games[-1]).argmax()))
        games.append(env.rules.step(games[-1], jnp.int32(actions[-1]), None))
    opened = book_of(games[:-1], [[action] for action in actions], [[1.0]] * 4)
    player = players.make("negascout:depth=1", env, FakeClock(0.0))
    player = dataclasses.replace(player, book=opened, book_moves=1)
    for game, action in zip(games[:3], actions, strict=False):
        choice = player.act(jax.device_get(game), 100.0)
        assert (choice.action, choice.depth) == (action, 0)
    assert player.act(jax.device_get(games[3]), 100.0).depth == 1  # known, but the second move


def test_seed_reaches_the_players_apart(monkeypatch):
    seeds = []

    def stop(env, pair, *arguments, **options):
        seeds.append([player.seed for player in pair])
        raise ValueError("enough")

    monkeypatch.setattr("agents.clock.match.match", stop)
    for seed in (0, 3):
        options = ["--players", "ms1", "ms1", f"--seed={seed}"]
        monkeypatch.setattr("sys.argv", ["agents.clock", *options])
        assert program.main() == 2
    assert seeds == [[0, 1], [6, 7]]


def test_scaled_clock_runs_faster():
    clock = players.scaled_clock(0.01, FakeClock(1.0))
    assert (clock(), clock()) == (100.0, 200.0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "ms4",
            "unknown player with a clock 'ms4'; available: alpha_beta, negascout, ms1, .*human",
        ),
        ("ms2:depth=3", "unknown field 'depth'; available: limits, panic_eval, pst_latch, table"),
        ("ms2:limits=1,2", r"limits are 8 numbers \(panic, opening, .*\), got 2"),
        ("ms2:limits=1,2,3,4,5,6,7,x", "limits are numbers .*, got 1,2,3,4,5,6,7,x"),
        ("ms2:limits=-1,2,3,4,5,6,7,8", "limit panic must be at least 0 seconds, got -1.0"),
        ("ms3:book_moves=-1", "book_moves must be at least 1, got -1"),
        ("ms3:book_moves=2", "give book=FILE too, got 2"),
        ("ms3:book=nowhere.npz", "nowhere.npz"),
        ("ms1:depth=0", "depth must be from 1 to 64 plies, got 0"),
    ],
)
def test_bad_specs_are_refused(env, spec, message):
    with pytest.raises(ValueError, match=message):
        players.make(spec, env, FakeClock(0.0))


def test_fields_and_the_seed_reach_the_player(env):
    player = players.make("ms2:limits=10,20,30,40,50,60,70,80", env, FakeClock(0.0), 7)
    assert player.policy.limits == Limits(10, 20, 30, 40, 50, 60, 70, 80)
    assert player.seed == 7
    player = players.make("ms3:table=4,weights=evolved", env, FakeClock(0.0))
    assert player.params.weights.w_wall == 456


def test_bad_numbers_are_refused(env):
    player = players.make("negascout:depth=2", env, FakeClock(0.0))
    with pytest.raises(ValueError, match="seconds must be more than 0, got 0"):
        play(env, [player, player], 0, FakeClock(0.0))
    with pytest.raises(ValueError, match="even number of at least 2, got 3"):
        match(env, [player, player], 1.0, FakeClock(0.0), num_games=3)
    with pytest.raises(ValueError, match="opening_plies must be from 0 to 199, got 200"):
        match(env, [player, player], 1.0, FakeClock(0.0), opening_plies=200)
    opened = dataclasses.replace(
        player, name="opened", book=book_of([start_of(env)], [[0]], [[1.0]]), book_moves=1
    )
    with pytest.raises(ValueError, match=r"opened has a book.* opening_plies must be 0, got 4"):
        match(env, [player, opened], 1.0, FakeClock(0.0), opening_plies=4)
    with pytest.raises(ValueError, match="scale must be more than 0, got 0"):
        players.scaled_clock(0)
    search = DepthFirst(env.rules, player.search.score, 2)
    with pytest.raises(ValueError, match="plans up to 5 plies, but its search looks no further"):
        ClockedPlayer("deep", search, player.params, Static(5), FakeClock(0.0))


def test_a_game_that_time_ends_is_kept_without_the_move_that_came_too_late(env):
    config = ClockConfig(("a", "b"), game=env.id, seconds=1.0)
    key = jax.random.key(0)
    start = env.rules.init(key)
    first = int(env.rules.legal_actions(start).argmax())
    moves = (TimedMove(0, first, 0.5, 1, 9, False), TimedMove(1, 7, 2.0, 1, 9, True))
    game = TimedGame(start, moves, (1.0, -1.0), BY_TIME, (0.5, -1.0))
    record = clock_program._record(env, config, 1, game)
    records.check(record)
    assert [seat.agent for seat in record.seats] == ["b", "a"]
    assert (len(record.moves), record.returns, record.ending) == (1, (1.0, -1.0), "time")
    assert record.tags["remaining"] == [0.5, -1.0]


def test_program_plays_and_saves(monkeypatch, tmp_path, capsys):
    path, games = tmp_path / "results.json", tmp_path / "games.jsonl"
    options = ["--players", "alpha_beta:depth=1", "negascout:depth=1", "--game=onitama"]
    options += ["--seconds=1000", f"--output={path}", f"--save-games={games}"]
    monkeypatch.setattr("sys.argv", ["agents.clock", *options])
    assert program.main() == 0
    saved = json.loads(path.read_text())
    assert [player["name"] for player in saved["players"]] == options[1:3]
    assert len(saved["games"]) == 2 and saved["games"][0]["ended_by"] == BY_RULES
    assert "negascout" in capsys.readouterr().out
    assert saved["options"]["seconds"] == 1000 and "output" not in saved["options"]
    for game, record in zip(saved["games"], records.read(games), strict=True):
        records.check(record)
        assert list(record.returns) == game["returns"] and len(record.moves) == game["plies"]
        assert all(move.seconds > 0 and "depth 1, " in move.comment for move in record.moves)
    assert [[seat.agent for seat in record.seats] for record in records.read(games)] == [
        options[1:3],
        options[2:0:-1],
    ]
    assert program.main() == 2
    assert f"output: {path} exists; name another file" in capsys.readouterr().err
