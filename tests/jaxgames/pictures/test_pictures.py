"""Pictures, films and boards of an environment, and what a state prints."""

import pickle
import subprocess
import sys
import xml.etree.ElementTree as ET

import jax
import numpy as np
import pytest
from PIL import Image

import jaxgames
from jaxgames.pictures import svg
from tests.jaxgames.records.games import random_game
from tests.three_nim import ThreeNim

ENV = jaxgames.make("onitama", deal="boar,ox|elephant,horse|crab")
START = "bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0"


@pytest.fixture(scope="module")
def states():
    """Three positions of a game."""
    found = [ENV.text_to_state(START)]
    for _ in range(2):
        found.append(ENV.step(found[-1], next(iter(ENV.legal_moves(found[-1])))))
    return found


def test_what_changed_is_marked_and_the_theme_is_followed(states):
    plain, marked = ENV.render(states[1]), ENV.render(states[1], previous=states[0])
    assert svg.LIGHT.accent in marked.as_svg()
    assert plain.as_svg() != marked.as_svg()
    assert svg.DARK.background in ENV.render(states[1], theme="dark").as_svg()
    with pytest.raises(ValueError, match="unknown theme 'drak'"):
        ENV.render(states[0], theme="drak")
    with pytest.raises(ValueError, match="render takes a seat from 0 to 1, got 7"):
        ENV.render(states[0], seat=7)
    with pytest.raises(ValueError, match="render takes the state of one game, got a batch"):
        ENV.render(states[0], previous=jax.tree.map(lambda x: x[None], states[0]))


def test_a_notebook_shows_the_board_of_a_state(states, monkeypatch):
    for state in states:
        assert ENV.state_to_text(state) in state._repr_svg_()
        assert repr(state).startswith("State(")
        again = pickle.loads(pickle.dumps(state))
        assert ENV.state_to_text(again) in again._repr_svg_()
    assert jax.tree.structure(states[0]) == jax.tree.structure(jax.device_get(states[0]))
    assert jax.vmap(ENV.init)(jax.random.split(jax.random.key(0), 2))._repr_svg_() is None
    assert jaxgames.Env("three_nim", ThreeNim()).init(jax.random.key(0))._repr_svg_() is None
    monkeypatch.setitem(sys.modules, "jaxgames.onitama.render", None)  # without the extra
    assert states[0]._repr_svg_() is None


def test_a_batch_is_drawn_side_by_side(states):
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *states)
    one, grid = ENV.render(states[0]), ENV.render(batch)
    assert grid.width > 1.9 * one.width and grid.height > 1.9 * one.height
    for state in states:
        assert ENV.state_to_text(state) in grid.title
    square = jax.tree.map(lambda x: np.stack([[x[0], x[1]], [x[1], x[2]]]), batch)
    assert ENV.render(square).width == grid.width
    marked = ENV.render(
        jax.tree.map(lambda x: x[1:], batch), previous=jax.tree.map(lambda x: x[:-1], batch)
    )
    assert svg.LIGHT.accent in marked.as_svg()
    many = jax.tree.map(lambda x: np.repeat(x[None], 65, 0), states[0])
    with pytest.raises(ValueError, match=r"render draws up to 64 games, .*shape \(65,\); select"):
        ENV.render(many)
    with pytest.raises(ValueError, match=r"at least one, got a batch of shape \(0,\)"):
        ENV.render(jax.tree.map(lambda x: x[:0], many))
    with pytest.raises(ValueError, match=r"previous must be a batch of shape \(3,\)"):
        ENV.render(batch, previous=states[0])


def test_files_are_chosen_by_their_suffix(states, tmp_path):
    picture, film = ENV.render(states[0]), ENV.animate(states, seconds_per_move=0.5, theme="dark")
    picture.save(tmp_path / "board.PNG")
    with Image.open(tmp_path / "board.PNG") as image:
        assert image.format == "PNG" and image.size == (picture.width, picture.height)
        assert len(set(image.convert("RGB").resize((40, 40)).getdata())) > 20
    film.save(tmp_path / "game.gif")
    with Image.open(tmp_path / "game.gif") as image:
        assert (image.n_frames, image.size) == (3, (picture.width, picture.height))
        assert image.info["duration"] == 500 and image.info["loop"] == 0
    film.save(tmp_path / "game.svg")
    assert (tmp_path / "game.svg").read_text() == film.as_svg() + "\n"
    assert "<animate" in film.as_svg()
    assert ET.fromstring(film._repr_svg_()).tag.endswith("svg")
    for shown, name, nearest in ((picture, "x.gif", ".svg, .png"), (film, "x.png", ".svg, .gif")):
        with pytest.raises(ValueError, match=f"unknown kind of picture .*available: {nearest}"):
            shown.save(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_a_film_needs_states_in_order(states):
    with pytest.raises(ValueError, match="animate takes a list of states, in order"):
        ENV.animate(states[0])
    with pytest.raises(ValueError, match="expected at least one position, got none"):
        ENV.animate([])


def test_a_state_prints_where_the_game_stands():
    state = ENV.text_to_state(START)
    assert repr(state) == f"State(OnitamaState, step 0, seat 0 to move, 10 legal actions)\n{START}"
    illegal = int(np.flatnonzero(~np.asarray(state.legal_action_mask))[0])
    over = ENV.step(state, illegal)
    assert str(over).startswith("State(OnitamaState, step 1, over, last rewards [-1.0, 1.0])")


def test_a_batch_a_traced_state_and_a_specification_print_too():
    keys = jax.random.split(jax.random.key(0), 4)
    batch = jax.vmap(ENV.init)(keys)
    assert repr(batch) == "State(a batch of shape (4,), OnitamaState: 0 to 0 steps, 0 over)"
    empty = jax.tree.map(lambda x: x[:0], batch)
    assert repr(empty) == "State(a batch of shape (0,), OnitamaState: 0 over)"
    seen = []
    jax.eval_shape(lambda key: seen.append(repr(ENV.init(key))), keys[0])
    assert seen == ["State(traced, OnitamaState)"]
    assert "ShapeDtypeStruct" in repr(jax.eval_shape(ENV.init, keys[0]))
    gone = jax.tree.map(lambda x: x.copy(), batch)
    gone.step_count.delete()
    assert repr(gone).startswith("State(OnitamaState, not readable: ")


@pytest.mark.parametrize(
    ("env_id", "words"),
    [
        ("onitama", ["1 r r R r r 1", "Red   boar       ox"]),
        ("murus_gallicus", ["7 t t t t t t t t 7", "Romans to act"]),
    ],
)
def test_boards_of_small_games(env_id, words):
    env = ENV if env_id == "onitama" else jaxgames.make(env_id)
    state = ENV.text_to_state(START) if env is ENV else env.init(jax.random.key(0))
    board = env.text_board(state)
    assert all(word in board for word in words)
    coloured = env.text_board(state, colours=True)
    assert "\x1b[" in coloured and "\x1b" not in board
    with pytest.raises(ValueError, match="text_board takes the state of one game, got a batch"):
        env.text_board(jax.tree.map(lambda x: x[None], state))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("env_id", "options"),
    [
        ("terra_mystica", {"num_players": 3}),
        ("terra_mystica_alphatm", {}),
        ("tribes", {"fog": True}),
    ],
)
def test_boards_and_lines_of_large_games(env_id, options):
    env = jaxgames.make(env_id, **options)
    state = env.text_to_state(random_game(env, 0, 60).end)
    board = env.text_board(state, seat=0)
    assert len(board.splitlines()) > 15 and "seat 0" in board and "seat 1" in board
    assert len(repr(state).splitlines()) == 2 and len(repr(state)) < 600
    if env_id == "tribes":
        assert board.count("?") > 30 > env.text_board(state).count("?")


def test_pixels_need_an_extra_and_say_so():
    code = (
        "import sys; sys.modules['resvg_py'] = None\n"
        "from jaxgames.pictures import svg\n"
        "try: svg.Picture(svg.Group(), 1, 1).save('x.png')\n"
        "except ImportError as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'jaxgames[pictures]'" in result.stdout


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus"])
def test_a_turned_board_shows_every_part_where_its_opposite_was(game):
    env = jaxgames.make(game)
    state = env.init(jax.random.key(0))

    def places(below):
        found = {}
        for area in ET.fromstring(env.render(state, below=below).as_svg()).iter():
            part = area.get("data-part", "")
            if part.startswith(("square:", "cell:")):
                found[part] = float(area.get("x")), float(area.get("y")), area[0].text
        return found

    upright, turned = places(0), places(1)
    sums = {(x + turned[part][0], y + turned[part][1]) for part, (x, y, _) in upright.items()}
    assert len(sums) == 1, "turned around the middle of the board"
    labels = {part: label for part, (_, _, label) in upright.items()}
    assert labels == {part: label for part, (_, _, label) in turned.items()}
    with pytest.raises(ValueError, match="render takes a seat from 0 to 1, got 2"):
        env.render(state, below=2)


def test_a_board_that_cannot_be_turned_is_refused():
    env = jaxgames.make("tribes")
    state = env.init(jax.random.key(0))
    with pytest.raises(ValueError, match="Tribes has no board to turn: leave out below=1"):
        env.render(state, below=1)
