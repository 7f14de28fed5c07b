"""What holds for the pictures of all games."""

import jax
import numpy as np
import pytest

from jaxgames.murus_gallicus import render as murus_gallicus
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.onitama import render as onitama
from jaxgames.onitama.rules import Onitama
from jaxgames.terra_mystica import render as terra_mystica
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.tribes import render as tribes
from jaxgames.tribes.rules import Tribes
from tests.jaxgames.terra_mystica import drawn
from tests.jaxgames.tribes.positions import begun

KEY = jax.random.key(0)
GAMES = {
    "onitama": (onitama, Onitama(), lambda: jax.device_get(Onitama().init(KEY))),
    "murus": (murus_gallicus, MurusGallicus(), lambda: jax.device_get(MurusGallicus().init(KEY))),
    "terra_mystica": (terra_mystica, TerraMystica(), drawn.start),
    "tribes": (tribes, Tribes(), begun),
}


@pytest.fixture(params=GAMES)
def game(request):
    """Renderer, rules and a position of a game."""
    renderer, rules, position = GAMES[request.param]
    return renderer, rules, position()


def test_pictures_repeat_and_themes_differ(game):
    renderer, rules, state = game
    light, again = (renderer.render(rules, state).as_svg() for _ in range(2))
    assert light == again != renderer.render(rules, state, theme="dark").as_svg()
    with pytest.raises(ValueError, match="unknown theme 'drak'"):
        renderer.render(rules, state, theme="drak")


def test_a_batch_is_refused(game):
    renderer, rules, state = game
    batch = jax.tree.map(lambda leaf: np.stack([leaf, leaf]), state)
    with pytest.raises(ValueError, match=r"got a batch of shape \(2,\)"):
        renderer.render(rules, batch)


def test_an_animation_is_of_positions_in_order(game):
    renderer, rules, state = game
    with pytest.raises(ValueError, match="at least one position, got none"):
        renderer.animate(rules, [])
    message = f"takes a list of positions, in order, got {type(state).__name__}"
    with pytest.raises(ValueError, match=message):
        renderer.animate(rules, state)
    assert "<svg" in renderer.animate(rules, iter([state, state])).as_svg()
