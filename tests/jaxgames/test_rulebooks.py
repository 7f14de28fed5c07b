"""How to play each game, with pictures."""

import re

import pytest

import jaxgames
from tests.jaxgames.click_areas import effects_of

GAMES = ("onitama", "murus_gallicus", "terra_mystica", "tribes")
FIGURE = re.compile(r"!\[[^\]]+\]\(figure:(\w+)\)")


@pytest.mark.parametrize("game", GAMES)
def test_a_rulebook_has_its_pictures_and_the_words_of_its_glossary(game):
    env = jaxgames.make(game)
    text = env.rulebook()
    assert text.startswith("# How to play ")
    assert "<!--" not in text
    names = FIGURE.findall(text)
    assert len(names) == len(set(names)) >= 3
    light, dark = (
        [env.figure(name, theme).as_svg() for name in names] for theme in ("light", "dark")
    )
    assert light != dark
    words = env.glossary()
    for part in {"onitama": ["Cards"], "tribes": ["Technologies", "Units"]}.get(game, []):
        for name, effect in words[part].items():
            assert f"| {name.replace('_', ' ')} | {effect} |" in text


def test_the_figure_of_a_card_marks_its_targets():
    env = jaxgames.make("onitama")
    picture = env.figure("card")
    assert effects_of(picture)["card:crab"].endswith("From c3 to c4, a3 or e3.")
    assert picture.as_svg().count('stroke-width="5"') == 3


def test_unknown_figures_are_refused():
    with pytest.raises(ValueError, match=r"unknown figure 'stat'.*did you mean 'start'"):
        jaxgames.make("onitama").figure("stat")
