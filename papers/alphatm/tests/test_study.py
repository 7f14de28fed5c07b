"""The study of AlphaTM: recorded averages, self-play to the end, the table."""

import json

import jax
import numpy as np
import pytest

import jaxgames
from configs.presets import preset
from jaxgames.batching import trees
from jaxgames.networks import network_files
from jaxgames.networks.network import make_network
from jaxgames.players.player import Player
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES
from papers import studies
from papers.alphatm import study
from papers.alphatm.game import notation
from papers.alphatm.tests.positions import position
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "terra_mystica"
# Final points of the two committed games of this pair.
ENGINEERS, HALFLINGS = (136, 128), (113, 133)


def options(*arguments: str):
    return study.make_parser().parse_args(arguments)


@pytest.mark.parametrize("name", ["study", "taught"])
def test_table_of_a_record_is_made_anew_from_its_numbers(name):
    record = studies.RECORDS / "alphatm" / f"{name}.md"
    made = study.report(studies.stored(record)["rows"])
    stored = record.read_text().splitlines()
    assert [line for line in made if line] == [x for x in stored[-len(made) :] if x]


def test_recorded_games_are_averaged_by_players_and_who_played(tmp_path):
    output = tmp_path / "points.md"
    study.main(["--parts", "recorded", f"--golden={COMMITTED}", f"--output={output}"])
    rows = json.loads(output.with_suffix(".json").read_text())["rows"]
    (two,) = (x for x in rows if x["who"].endswith("each other") and x["players"] == "2")
    for faction, points in (("engineers", ENGINEERS), ("halflings", HALFLINGS)):
        assert (two[faction]["mean"], two[faction]["games"]) == (np.mean(points), 2)
    assert "| heuristic program | paper | not stated | 77.1 | 92.2 |" in output.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games=5"], "--games must be even, for both orders of seats; got 5"),
        (["--parts", "trained"], "part 'trained' needs --run"),
        (["--parts", "recorded", "--run", "nowhere"], "no network file or run folder at nowhere"),
        (["--parts", "recorded", "--golden=nowhere"], "there are no recorded games in nowhere"),
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
    row = study.self_play("nobody", lambda env: Player("", None, ()), options("--games=4"))
    found = [(row[faction]["mean"], row[faction]["games"]) for faction in study.FACTIONS]
    assert found == [(100 + 1.5, 4), (200 + 1.5, 4)]


def test_who_passes_does_so_wherever_it_may():
    spades = position(pending={"actions": 0, "spades": 2, "source": "double"})  # to be used first
    agent = study.Passing(jaxgames.make(study.GAME))
    act = jax.jit(lambda state, key: agent.act((), (), state, key)[0])
    decision = act(trees.stack([position(), spades]), jax.random.key(0))
    first, second = ({notation.words(int(a)) for a in np.flatnonzero(p)} for p in decision.policy)
    assert {text.split()[0] for text in first} == {"pass"}
    assert {text.split()[0] for text in second} == {"transform", "build"}


@pytest.mark.slow
def test_all_parts_are_played_to_their_end(tmp_path, monkeypatch):
    env = jaxgames.make(study.GAME)
    config = preset("alphazero", study.GAME, "cpu").network
    params = jax.jit(make_network(env, config).init)(jax.random.key(3))
    run, output = tmp_path / "network.npz", tmp_path / "points.md"
    network_files.save_network(run, params, network_files.describe(env, "", config, 7))
    parts = ["random", "passing", "untrained"]
    study.main(["--parts", *parts, f"--run={run}", "--games=4", "--simulations=2", "--seed=3",
                f"--output={output}"])  # fmt: skip
    rows = json.loads(output.with_suffix(".json").read_text())["rows"][len(study.STATED) :]
    after = "network after 7 iterations"
    assert [row["who"] for row in rows] == [
        *("random outputs", "passing at once", "untrained network, 2 simulations"),
        *(f"{after}, 2 simulations", f"{after}, without search"),
    ]
    means = [[row[faction]["mean"] for faction in study.FACTIONS] for row in rows]
    # Twenty points, the income of six rounds, networks and cults: 52.2 and 72.4 in 64 games.
    np.testing.assert_allclose(means[1], [52, 72], atol=3)
    assert means[2] == means[3]  # the network of the run is the untrained one
