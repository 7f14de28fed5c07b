"""The programs that are timed do what they should; figures are computed as the records say."""

import math

import jax
import numpy as np
import pytest

import jaxgames
from benchmarks import (
    limits,
    measuring,
    model_search,
    report,
    rollouts,
    search,
    search_scaling,
    throughput,
)
from benchmarks.selfplay_programs import SelfPlay
from benchmarks.wide_game import RandomNumbers, WideGame
from configs.alphazero import SelfPlayConfig
from jaxgames.internal import device_kind
from jaxgames.networks.config import NetworkConfig

NETWORK = NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2)


@pytest.mark.parametrize("mode", rollouts.MODES)
def test_own_chunk_plays_whole_games(mode):
    program = rollouts.own("onitama_report", mode)
    states = program.init(jax.random.key(0), 64)
    result = jax.jit(program.chunk(64, 100))(states, jax.random.key(1))
    finished, total = result[-2:]
    # Random games of this variant take 36.5 plies; the first of each lane starts from ply 0.
    low, high = (220, 400) if mode == "versus" else (110, 200)  # two plies a step
    assert low < int(finished) < high
    assert abs(float(total)) < 5 * np.sqrt(int(finished))
    if mode == "lean":
        assert int(result[0]) == 64 * 100  # every step completes an action
    if mode != "lean":
        assert result[0].legal_action_mask.any(axis=1).all()


def test_the_counts_are_the_same_on_all_devices():
    program = rollouts.own("onitama", "lean")
    states = program.init(jax.random.key(0), 8)
    counts = []
    for platform in ("cpu", "cuda"):
        with device_kind.assumed(platform):
            counts.append(jax.jit(program.chunk(8, 64))(states, jax.random.key(1)))
    assert counts[0] == counts[1] and counts[0][0] == 8 * 64 and counts[0][1] > 0


def test_cost_of_a_step_grows_with_the_game_and_not_with_the_batch():
    rules = jaxgames.make("onitama_report").rules
    small, large = (limits.cost_of_step(rules, batch) for batch in (256, 1024))
    state = sum(leaf.nbytes for leaf in jax.tree.leaves(rules.init(jax.random.key(0))))
    assert small.bytes > 2 * state  # it reads a state and writes one
    assert small.operations > 0
    np.testing.assert_allclose(small, large, rtol=0.05)
    share = limits.shares(limits.Cost(10.0, 4.0), limits.Limits(1000.0, 100.0), rate=5.0)
    assert share == (0.05, 0.2)


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


@pytest.mark.slow  # test_against_mctx.py compares the searches
def test_both_engines_choose_the_same_moves():
    state = jax.vmap(WideGame(9).init)(jax.random.split(jax.random.key(0), 16))
    moves = [
        search_scaling._search(engine, 9, 24, 9)(state, jax.random.key(1)).action
        for engine in ("mctx", "tree")
    ]
    np.testing.assert_array_equal(*moves)
    assert len(set(np.asarray(moves[0]))) > 3


def test_positions_of_the_wide_game_differ_and_so_do_their_priors():
    game = WideGame(50)
    state = game.init(jax.random.key(3))
    after = jax.vmap(lambda action: game.step(state, action, None))(np.arange(50))
    assert len(set(np.asarray(after.number))) == 50 and (after.seat == 1).all()
    found = RandomNumbers(50)((), after, None)
    assert found.logits.shape == (50, 50) and 0 <= found.logits.min() < found.logits.max() < 6
    assert abs(found.values[:, 0].mean()) < 0.3
    np.testing.assert_array_equal(found.values[:, 0], -found.values[:, 1])
    assert (np.asarray(found.logits).std(axis=1) > 1).all()


def test_pieces_of_work_run_in_turns():
    order = []
    work = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = measuring.time_in_turns(work, repeats=2)
    assert order == ["a", "b"] * 3
    assert [len(seconds[name]) for name in "ab"] == [2, 2]


def test_share_is_the_median_of_a_part_by_the_median_of_the_whole():
    seconds = {"selfplay": [4, 10, 5], "network": [2, 2, 3], "environment": [1, 1, 0.5]}
    split = search.Split("gumbel", 8, 4, 1, seconds, {"temp": 2_000_000})
    assert split.share("network") == pytest.approx((2 / 5, 2 / 10, 3 / 5))
    assert split.share("environment") == pytest.approx((1 / 5, 0.5 / 5, 1 / 4))
    assert split.share("tree") == pytest.approx((2 / 5, 1 / 4, 7 / 10))
    assert split.positions_per_second == 8 / 5


def test_ratios_are_medians_of_those_within_a_repeat():
    times = search_scaling.Times(
        202,
        10,
        {
            ("mctx", 16): [1, 2, 3],
            ("tree", 16): [1, 1, 1],
            ("mctx", 400): [250, 100, 75],
            ("tree", 400): [50, 25, 100],
        },
    )
    assert times.speedup(400) == 4
    assert times.growth("mctx") == pytest.approx(2)  # of 10, 2 and 1
    assert times.growth("tree") == pytest.approx(2)  # of 2, 1 and 4
    assert times.per_simulation("mctx", 16).median == pytest.approx(2e6 / 160)
    seconds = {"mctx": [8.0, 12.0, 10.0], "ours": [2.0, 2.0, 4.0], "model": [1.0, 1.5, 2.0]}
    found = model_search.Result("p", 16, 100, 10, seconds, {"mctx": 9, "ours": 3}, 1.0)
    assert found.speedup == pytest.approx(4)  # of 4, 6 and 2.5
    assert found.beyond_model == pytest.approx(1e6 * 1.0 / 1000)


def test_best_batch_of_each_program_counts():
    def race(batch, own, peer):
        sizes = {"onitama": 21, "chess": 16_000}
        return search.Race(batch, {"onitama": own, "chess": peer}, sizes, sizes)

    races = [race(64, [10, 12, 11], [1, 2, 3]), race(128, [9, 30, 8], [4, 4, 1])]
    assert search.best(races) == {"onitama": (11, 64), "chess": (4, 128)}
    assert "plays **2.8 times** as many" in "\n".join(search.render([], races))
    rows = [
        throughput.Row("jaxgames nim, lean", batch, rate, rate - 1, rate + 1, 0.5, 0.5)
        for batch, rate in ((1, 10.0), (4, 30.0), (16, 20.0))
    ]
    rows.append(throughput.Row("pgx hex, lean", 4, 2.0, 1.0, 3.0, 0.5))
    text = "\n".join(throughput.render(rows, {row.program: 8 for row in rows}))
    assert "| jaxgames nim, lean : pgx hex, lean | 15.0 |" in text
    assert "50.0% of the steps complete an action, 15 actions/s" in text


def test_report_goes_on_after_a_part_that_fails_or_takes_too_long(tmp_path):
    good = (
        f"import pathlib as p; f = p.Path({str(tmp_path)!r}); "
        "(f / 'good.md').write_text('# Good'); (f / 'good.json').write_text('[1]')"
    )
    cases = {  # code, limit in seconds, failure
        "bad": ("print('so far'); raise SystemExit(3)", 60, "failed with exit status 3"),
        "slow": ("import time; time.sleep(60)", 0.2, "stopped at its limit of 0 s"),
        "late": ("", 0, "not started, the time was used up"),
        "silent": ("", 60, "left no result"),
        "good": (good, 60, ""),
    }
    outcomes = [
        report.run_part(part, ["python", "-c", code], tmp_path, limit)
        for part, (code, limit, _) in cases.items()
    ]
    assert [outcome.failure for outcome in outcomes] == [failure for *_, failure in cases.values()]
    assert outcomes[0].tail == "so far" and outcomes[-1].numbers == [1]
    text = "\n".join(report.render(outcomes))
    assert "## bad: failed with exit status 3\n\n```\nso far\n```" in text
    assert text.endswith("\n## Good")


def test_spread_is_the_median_with_the_range():
    assert measuring.spread([3.0, 1.0, 2.0], scale=2).text(".0f") == "4 (2 to 6)"
    assert measuring.ratios([2.0, 9.0], [1.0, 3.0]) == (2.5, 2, 3)
    assert not math.isnan(measuring.spread([1.0]).median)
