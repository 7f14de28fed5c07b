"""The study of Terra Mystica: recorded averages, self-play to the end, the table."""

import json

import jax
import numpy as np
import pytest

import jaxgames
from configs.presets import preset
from jaxgames.batching import trees
from jaxgames.networks import network_files
from jaxgames.networks.network import make_network
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES
from papers.alphatm import study
from papers.alphatm.game import notation
from papers.alphatm.tests.positions import position
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "terra_mystica"
# Final points of the two committed games of this pair.
ENGINEERS, HALFLINGS = (136, 128), (113, 133)


def options(*arguments: str):
    return study.make_parser().parse_args(arguments)


def test_recorded_games_are_averaged_by_players_and_who_played():
    rows = {(row.who, row.players): row for row in study.recorded(options(f"--golden={COMMITTED}"))}
    two = rows["heuristic program, against each other", "2"]
    assert two.engineers is not None and two.halflings is not None
    assert two.engineers.games == two.halflings.games == len(ENGINEERS)
    assert two.engineers.mean == np.mean(ENGINEERS)
    assert two.halflings.mean == np.mean(HALFLINGS)


def test_missing_records_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="there are no recorded games in"):
        study.recorded(options(f"--golden={tmp_path}"))


def test_table_has_a_line_for_each_row():
    row = study.Row("nobody", "here", "2", study.Average(12.345, 0.25, 1000), None)
    assert study.report([row])[-1] == "| nobody | here | 2 | 12.3 +- 0.2 (1,000) | - |"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games=5"], "--games must be even, for both orders of seats; got 5"),
        (["--parts", "trained"], "part 'trained' needs --run"),
        (["--parts", "recorded", "--run", "nowhere"], "no network file or run folder at nowhere"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys):
    with pytest.raises(SystemExit):
        study.main(arguments)
    assert words in capsys.readouterr().err


def test_points_go_to_the_faction_whatever_its_seat(monkeypatch):
    def final_points(env, player, starts, key):
        names = np.array(FACTION_NAMES)[np.asarray(starts.players.faction)]
        return np.where(names == "engineers", 100, 200) + np.arange(len(names))[:, None]

    monkeypatch.setattr(study.points, "final_points", final_points)
    row = study._self_play("nobody", lambda env: None, options("--games=4"))
    assert row.engineers is not None and row.halflings is not None
    assert (row.engineers.mean, row.engineers.games) == (100 + 1.5, 4)
    assert (row.halflings.mean, row.halflings.games) == (200 + 1.5, 4)


def test_who_passes_does_so_wherever_it_may():
    spades = position(pending={"actions": 0, "spades": 2, "source": "double"})  # to be used first
    env = jaxgames.make(study.GAME)
    agent = study._passing(env)
    act = jax.jit(lambda state, key: agent.act((), (), state, key)[0])
    decision = act(trees.stack([position(), spades]), jax.random.key(0))
    first, second = ({notation.words(int(a)) for a in np.flatnonzero(p)} for p in decision.policy)
    assert first and {text.split()[0] for text in first} == {"pass"}
    assert second and {text.split()[0] for text in second} == {"transform", "build"}
    assert all(
        policy[action] == 1 for policy, action in zip(decision.policy, decision.action, strict=True)
    )


@pytest.mark.slow
def test_networks_of_the_study_are_that_of_the_preset_and_that_of_the_run(tmp_path, monkeypatch):
    env = jaxgames.make(study.GAME)
    monkeypatch.setattr(study, "_self_play", lambda who, make, options: (who, make(env)))
    config = preset("alphazero", study.GAME, "cpu").network
    params = jax.jit(make_network(env, config).init)(jax.random.key(3))
    run = tmp_path / "network.npz"
    network_files.save_network(run, params, network_files.describe(env, "", config, 7))

    ((who, untrained),) = study.play_untrained(options("--simulations=5", "--seed=3"))
    assert who == "untrained network, 5 simulations"
    jax.tree.map(np.testing.assert_array_equal, untrained.params, params)
    players = dict(study.play_trained(options("--simulations=5", f"--run={run}")))
    assert list(players) == [
        *("network after 7 iterations, 5 simulations", "network after 7 iterations, without search")
    ]
    for player in players.values():
        jax.tree.map(np.testing.assert_array_equal, player.params, params)


@pytest.mark.slow
def test_games_of_the_study_are_played_to_their_end(tmp_path):
    output = tmp_path / "points.md"
    study.main(["--parts", "random", "passing", "--games=4", f"--output={output}"])
    rows = json.loads(output.with_suffix(".json").read_text())["rows"][len(study.STATED) :]
    assert [row["who"] for row in rows] == ["random outputs", "passing at once"]
    passing = [rows[1][faction]["mean"] for faction in study.FACTIONS]
    # Twenty points, the income of six rounds, networks and cults: 52.2 and 72.4 in 64 games.
    np.testing.assert_allclose(passing, [52, 72], atol=3)
    assert all(rows[0][faction]["games"] == 4 for faction in study.FACTIONS)


def test_record_is_written(tmp_path):
    output = tmp_path / "points.md"
    study.main(["--parts", "recorded", f"--golden={COMMITTED}", f"--output={output}"])
    assert "| heuristic program | paper | not stated | 77.1 | 92.2 |" in output.read_text()
    numbers = json.loads(output.with_suffix(".json").read_text())
    assert len(numbers["rows"]) > len(study.STATED)
