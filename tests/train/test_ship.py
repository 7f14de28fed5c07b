"""Making a trained network one of the library's."""

import numpy as np
import pytest

import jaxgames
from jaxgames.networks import network_files, shipped
from jaxgames.players import registry
from train import ship

META = {
    "format": network_files.FORMAT,
    "game": "onitama",
    "game_version": "1",
    "env_options": "",
    "network": {},
    "iteration": 3,
}


def save(path, largest=1.0, size=4):
    values = np.full(size, largest, np.float32)
    values[4:] = np.random.default_rng(0).random(max(size - 4, 0))  # they cannot be compressed
    network_files.save_network(path, {"x": values}, META)
    return str(path)


def test_a_network_is_written_in_half_precision_and_its_row_printed(tmp_path, capsys):
    source = save(tmp_path / "run.npz", 0.1)
    assert ship.main([source, f"--folder={tmp_path}"]) == 0
    params, meta = network_files.load_network(tmp_path / "onitama.npz")
    assert params["x"].dtype == np.float32
    np.testing.assert_array_equal(params["x"], np.float32(np.float16(0.1)))
    assert meta == META
    assert capsys.readouterr().out.startswith("| `onitama` | onitama  | 0.0 | `")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"largest": 1e6}, "too large for half precision"),
        ({"largest": np.nan}, "too large for half precision"),
        ({"size": 2_000_000}, "at most 1,000,000"),
    ],
)
def test_what_has_no_place_in_the_file_is_refused(tmp_path, capsys, options, message):
    source = save(tmp_path / "run.npz", **options)
    assert ship.main([source, f"--folder={tmp_path}"]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_network_of_the_same_name_is_replaced_on_demand_only(tmp_path, capsys):
    source = save(tmp_path / "run.npz")
    assert ship.main([source, f"--folder={tmp_path}", "--name=mine"]) == 0
    assert ship.main([source, f"--folder={tmp_path}", "--name=mine"]) == 2
    assert "--replace" in capsys.readouterr().err
    assert ship.main([source, f"--folder={tmp_path}", "--name=mine", "--replace"]) == 0


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("../../x", "x"),
        ("a.b/c", "a_b_c"),
        ("/x", "x"),
        ("Onitama-2", "onitama_2"),
        ("two words", "two_words"),
        ("mine\n", "mine"),
        ("..", None),
        ("", None),
    ],
)
def test_a_name_that_is_no_plain_one_is_refused(tmp_path, capsys, name, nearest):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    source = save(tmp_path / "run.npz")
    assert ship.main([source, f"--folder={folder}", f"--name={name}"]) == 2
    message = f"--name must have lower-case letters, digits and underscores only, got {name!r}"
    hint = f"; did you mean {nearest!r}?" if nearest else ""
    assert capsys.readouterr().err == f"{ship.PROGRAM}: {message}{hint}\n"
    assert {path.name for path in tmp_path.rglob("*")} == {"a", "b", "run.npz"}


def test_values_of_afterstates_are_fitted_to_more_seats(tmp_path, capsys):
    given = [f"--folder={tmp_path}", "--name=three"]
    assert ship.main(["tribes", "--seats=3", *given]) == 0
    assert "| tribes num_players=3 |" in capsys.readouterr().out
    env = jaxgames.make("tribes", num_players=3)
    registry.make(f"afterstate:network={tmp_path / 'three.npz'}", env)  # it fits
    for network, seats, message in (
        ("tribes", 2, "seats must be more than its 2, got 2"),
        ("tribes", 9, "num_players"),
        ("terra_mystica", 3, "features of terra_mystica are not by seat"),
        ("onitama", 3, "only values of afterstates can be fitted"),
    ):
        assert ship.main([network, f"--seats={seats}", *given]) == 2
        assert message in capsys.readouterr().err


def test_the_default_folder_is_that_of_the_library():
    assert (shipped.FOLDER / "README.md").exists()
