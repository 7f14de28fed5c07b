"""The timed programs do what self-play does; the split and the comparison add up."""

import jax
import numpy as np
import pytest

import jaxgames
from benchmarks import measuring, search
from benchmarks.selfplay_programs import SelfPlay
from configs.alphazero import SelfPlayConfig
from jaxgames.networks.config import NetworkConfig

NETWORK = NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2)


@pytest.mark.slow
def test_shares_of_the_parts_add_up_to_one_for_each_search():
    config = SelfPlayConfig(lanes=4, plies=1, simulations=2)
    env, searches = jaxgames.make("onitama"), ("gumbel", "mctx")
    splits = search.measure_splits(env, NETWORK, config, searches, repeats=2, seed=0)
    assert [split.search for split in splits] == ["gumbel", "mctx"]
    assert splits[0].seconds["selfplay"] != splits[1].seconds["selfplay"]
    split = splits[0]
    assert sum(split.share(part).median for part in search.PARTS) == pytest.approx(1)
    assert split.share("network").median > 0 and split.share("environment").median > 0
    assert split.simulations_per_second == pytest.approx(2 * split.positions_per_second)
    assert set(split.search_bytes) == {"argument", "output", "temp"}


def test_share_is_the_median_of_a_part_by_the_median_of_the_whole():
    seconds = {"selfplay": [4, 10, 5], "network": [2, 2, 3], "environment": [1, 1, 0.5]}
    split = search.Split("gumbel", 8, 4, 1, seconds, {"temp": 2_000_000})
    assert split.share("network") == pytest.approx((2 / 5, 2 / 10, 3 / 5))
    assert split.share("environment") == pytest.approx((1 / 5, 0.5 / 5, 1 / 4))
    assert split.share("tree") == pytest.approx((2 / 5, 1 / 4, 7 / 10))
    assert split.positions_per_second == 8 / 5
    report = search.render({"seed": 0}, [split], [])
    cells = "2 | 6 | 40.0 % (20.0 to 60.0) | 40.0 % (25.0 to 70.0) | 20.0 % (10.0 to 25.0) | 2.0 |"
    assert f"| gumbel | 8 | 4 | {cells}" in report


def test_environment_part_plays_as_many_plies_as_self_play_has_evaluations():
    env = jaxgames.make("onitama")
    programs = SelfPlay(env, NETWORK, SelfPlayConfig(lanes=4, plies=1, simulations=2))
    games = programs.start(jax.random.key(0)).game
    after = programs.simulate_repeatedly(games, programs.observe(games))[0]
    over = np.asarray(jax.vmap(env.rules.is_over)(after))
    played = np.asarray(after.ply) - np.asarray(games.ply)
    assert programs.evaluations == 3
    assert not over.all()
    assert (played[~over] == 3).all() and (played <= 3).all()


def test_each_way_of_self_play_counts_at_its_best_batch():
    def race(batch, own, peer):
        sizes = {"onitama": 21, "chess": 16_000}
        return search.Race(batch, {"onitama": own, "chess": peer}, sizes, sizes)

    races = [race(64, [10, 12, 11], [1, 2, 3]), race(128, [9, 30, 8], [4, 4, 1])]
    assert search.best(races) == {"onitama": (11, 64), "chess": (4, 128)}
    assert "plays **2.8 times** as many" in search.render({"seed": 0}, [], races)


@pytest.mark.slow
def test_pgx_self_play_starts_new_games_and_records_policies():
    peers = pytest.importorskip("benchmarks.peers")
    peer = peers.PgxSelfPlay("tic_tac_toe", NETWORK, simulations=2, plies=12)
    params = peer.network.init(jax.random.key(0))
    states, record = peer.play(params, peer.start(jax.random.key(1), 8), jax.random.key(2))
    assert np.asarray(record.ended).sum(axis=0).min() >= 1  # a game has at most nine plies
    assert not np.asarray(states.terminated).any()
    np.testing.assert_allclose(record.policy.sum(axis=-1), 1, rtol=1e-5)
    rewarded = np.asarray(record.reward) != 0
    assert (rewarded <= np.asarray(record.ended)).all() and (np.asarray(record.reward) >= 0).all()


def test_pieces_of_work_run_in_turns():
    order = []
    work = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = measuring.time_in_turns(work, repeats=2)
    assert order == ["a", "b"] * 3
    assert [len(seconds[name]) for name in "ab"] == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game=onitam"], "did you mean 'onitama'"),
        (["--batches=0"], "expected a whole number from 1 to 2147483647, got '0'"),
        (["--output=result.txt"], "expected a file name that ends in .md"),
        (["--output=pyproject.toml/x.md"], "result file: there is no directory "),
    ],
)
def test_wrong_command_lines_end_with_a_message_and_status_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        search.main(arguments)
    assert end.value.code == 2
    assert message in capsys.readouterr().err
