"""Agreement with solved positions is counted right; the report says who played whom."""

import json

import jax
import numpy as np
import pytest

import jaxgames
from benchmarks import solved_positions, strength
from benchmarks.solved_positions import Choices
from jaxgames.matches.statistics import Score
from jaxgames.networks import network_files
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from jaxgames.onitama import endgames
from jaxgames.players.basic import FirstLegal
from jaxgames.players.player import Player
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "onitama"
NETWORK = NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2)
ENDGAMES = 38  # in the committed sample


@pytest.fixture(scope="module")
def solved():
    return solved_positions.read_positions(COMMITTED, ENDGAMES, seed=0)


def first_best(solved):
    return solved.best.argmax(axis=1)


def second_rate(solved):
    """Returns for each position a legal move that is none of the best, if there is one."""
    legal = np.asarray(jax.vmap(solved_positions.RULES.legal_actions)(solved.games))
    others = legal & ~solved.best
    return others.any(axis=1), others.argmax(axis=1)


def test_best_moves_and_true_values_agree_with_all_positions(solved):
    choices = Choices(first_best(solved), solved.values * 0.1)
    found = solved_positions.agreement(solved, choices)
    decided = int((solved.values != 0).sum())
    assert found.value_sign == (1, 0, decided)
    assert found.optimal == (1, 0, ENDGAMES)
    assert found.keeps_value == (1, 0, ENDGAMES - decided)  # without tables only draws can tell
    assert sum(share.positions for share in found.optimal_by_distance.values()) == ENDGAMES


def test_other_moves_and_wrong_values_agree_with_none(solved):
    exists, moves = second_rate(solved)
    choices = Choices(np.where(exists, moves, first_best(solved)), -1.0 * solved.values)
    found = solved_positions.agreement(solved, choices)
    assert found.value_sign.mean == 0
    assert found.optimal.mean == pytest.approx(1 - exists.mean())
    assert found.keeps_value.mean < 0.5


def test_value_of_zero_counts_as_a_guess(solved):
    choices = Choices(first_best(solved), np.zeros(ENDGAMES))
    assert solved_positions.agreement(solved, choices).value_sign[:2] == (0.5, 0)


@pytest.mark.parametrize(("reply", "kept"), [(-5, True), (0, False), (7, False)])
def test_move_keeps_a_win_if_the_reply_is_lost(solved, monkeypatch, reply, kept):
    table = np.full(endgames.TABLE_SIZE + 1, reply, np.int16)
    monkeypatch.setattr(endgames, "solved", lambda card_set: table)
    with_tables = solved_positions.add_tables(solved)
    small = solved.values == 1
    small &= with_tables.has_table
    fast = solved.distances == 1
    # A best move of a win in 1 ends the game, whatever the table says; a slower one does not.
    exists, moves = second_rate(solved)
    actions = np.where(exists & ~fast, moves, first_best(solved))
    drawn = solved.values == 0
    actions[drawn] = first_best(solved)[drawn]
    found = solved_positions.agreement(with_tables, Choices(actions, np.zeros(ENDGAMES)))
    right = drawn.sum() + (small & fast).sum() + kept * (small & ~fast).sum()
    count = drawn.sum() + small.sum()
    assert found.keeps_value.positions == count
    assert found.keeps_value.mean == pytest.approx(right / count)


@pytest.mark.slow
def test_best_moves_of_won_positions_keep_the_win_by_our_own_tables(solved):
    one_set = max(set(solved.card_sets), key=solved.card_sets.count)
    chosen = np.array([cards == one_set for cards in solved.card_sets])
    part = solved._replace(
        games=jax.tree.map(lambda x: x[chosen], solved.games),
        values=solved.values[chosen],
        distances=solved.distances[chosen],
        best=solved.best[chosen],
        card_sets=[one_set] * int(chosen.sum()),
        has_table=solved.has_table[chosen],
    )
    part = solved_positions.add_tables(part)
    choices = Choices(first_best(part), part.values.astype(float))
    found = solved_positions.agreement(part, choices)
    assert found.keeps_value.mean == 1 and found.keeps_value.positions > 5


def test_player_is_asked_from_the_side_of_the_seat_to_move(solved):
    choices = solved_positions.choose(
        Player("first", FirstLegal(solved_positions.RULES), ()), solved
    )
    legal = np.asarray(jax.vmap(solved_positions.RULES.legal_actions)(solved.games))
    np.testing.assert_array_equal(choices.actions, legal.argmax(axis=1))
    assert choices.values.shape == (ENDGAMES,)


def test_sample_of_positions_repeats_with_its_seed():
    def texts(seed):
        return solved_positions.read_positions(COMMITTED, 9, seed).games.own_pieces.tolist()

    assert texts(1) == texts(1) != texts(2)
    assert len(texts(1)) == 9


def test_standard_errors_of_a_match_without_a_loss_are_finite():
    clean = Score(1.0, 0.0, games=400, wins=400, draws=0, losses=0)
    even = Score(0.5, 0.02, games=400, wins=200, draws=0, losses=200)
    uneven = Score(0.7, 0.05, games=400, wins=280, draws=0, losses=120)
    assert strength.standard_errors(clean) == pytest.approx(20)
    assert strength.standard_errors(even) == 0
    assert strength.standard_errors(uneven) == pytest.approx(4)


@pytest.fixture(scope="module")
def network_file(tmp_path_factory):
    env = jaxgames.make("onitama")
    path = tmp_path_factory.mktemp("strength") / "network.npz"
    params = make_network(env, NETWORK).init(jax.random.key(7))
    network_files.save_network(path, params, network_files.describe(env, "", NETWORK, iteration=12))
    return path


@pytest.mark.slow
def test_report_has_all_matches_and_players(network_file, tmp_path):
    output = tmp_path / "strength.md"
    arguments = [f"--checkpoint={network_file}", "--simulations=2", "--more-simulations=3"]
    arguments += ["--games=4", "--opponents", "random", f"--output={output}"]
    arguments += [f"--golden={COMMITTED}", "--positions=8", "--solvers", "first_legal"]
    strength.main(arguments)
    numbers = json.loads(output.with_suffix(".json").read_text())
    played = [(c["player"], c["opponent"], c["is_direct"]) for c in numbers["matches"]]
    others = ["untrained, 2 simulations", "uniform evaluator, 2 simulations"]
    trained = ["trained, 2 simulations", "trained, no search"]
    assert played == [
        *((player, "random", False) for player in trained + others),
        *((trained[0], other, True) for other in others),
    ]
    assert all(
        sum(c["score"][k] for k in ("wins", "draws", "losses")) == 4 for c in numbers["matches"]
    )
    assert list(numbers["agreement"])[-2:] == ["trained, 3 simulations", "first_legal"]
    assert numbers["agreement"]["untrained, no search"]["value_sign"]["mean"] == 0.5
    assert "12 iterations" in output.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--checkpoint=nowhere.npz"], "there is no network file or run folder at nowhere.npz"),
        (["--checkpoint={file}", "--games=3"], "positive multiple of 2"),
        (["--checkpoint={file}", "--opponents", "randon"], "did you mean 'random'"),
        (["--checkpoint={file}", "--solvers", "beste"], "did you mean 'best'"),
        (["--checkpoint={file}", "--solvers", "human"], "nobody can be asked here"),
        (
            ["--checkpoint={file}", "--positions=0", "--solvers", "first_legal"],
            "--solvers needs solved positions",
        ),
        (
            ["--checkpoint={file}", "--positions=0", "--earlier", "{file}"],
            "--earlier needs solved positions",
        ),
        (["--checkpoint={file}", "--golden=nowhere"], "tablebase.jsonl does not exist"),
        ([], "one of the arguments --run --checkpoint is required"),
    ],
)
def test_wrong_command_lines_end_with_a_message_and_status_2(
    arguments, message, network_file, capsys
):
    with pytest.raises(SystemExit) as end:
        strength.main([argument.format(file=network_file) for argument in arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err
