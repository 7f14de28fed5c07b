"""Words about every tile, card, technology, unit and building of all games."""

import re

import numpy as np
import pytest

import jaxgames
from jaxgames.murus_gallicus.variants import VARIANTS
from jaxgames.onitama import effects as onitama
from jaxgames.onitama.cards import CARDS
from jaxgames.terra_mystica.tables import factions, tiles
from jaxgames.terra_mystica.text import effects as terra_mystica
from jaxgames.terra_mystica.text import faction_words
from jaxgames.terra_mystica.text.commands import ACTIONS
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction
from jaxgames.tribes.tables.technologies import PARENTS, Technology
from jaxgames.tribes.tables.terrain import Resource
from jaxgames.tribes.tables.tribes import LevelUp, Tribe
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.click_areas import effects_of
from tests.jaxgames.terra_mystica import recorded as terra_mystica_games
from tests.jaxgames.tribes import recorded as tribes_games

GAMES = ("onitama", "murus_gallicus", "terra_mystica", "tribes")


def words(game: str, **options) -> dict[str, str]:
    sections = jaxgames.make(game, **options).glossary().values()
    return {name: effect for section in sections for name, effect in section.items()}


@pytest.mark.parametrize("game", GAMES)
def test_all_words_are_sentences(game):
    for name, effect in words(game).items():
        assert re.fullmatch(r"[A-Z0-9+].*\.", effect), (name, effect)
        assert not re.search(r"[_{}\[\]]|\.\.|  |\b1 \w+s\b(?<!bonus)|array|None", effect), effect


def test_every_card_of_onitama_has_its_squares():
    assert {card.name for card in CARDS} <= words("onitama").keys()
    for number, card in enumerate(CARDS):
        assert onitama.card(number).count(";") == len(card.moves) - 1
    # The boar moves ahead and to both sides, for Blue towards rank 1.
    assert onitama.card(0, 0).endswith("From c3 to c4, b3 or d3.")
    assert onitama.card(0, 1).endswith("From c3 to c2, d3 or b3.")
    assert "2 left and 1 ahead; 2 right and 1 ahead" in onitama.card(4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_stacks_of_murus_gallicus_follow_the_variant(variant):
    found = words("murus_gallicus", variant=variant)
    assert {"wall", "tower", "move", "strike"} <= found.keys()
    has_catapults = VARIANTS[variant].has_catapults
    assert ("catapult" in found) == ("fire" in found) == has_catapults
    assert ("catapult" in found["tower"]) == has_catapults


def test_everything_on_the_table_of_terra_mystica_has_words():
    found = words("terra_mystica")
    names = {*tiles.CARD_NAMES, *tiles.FAVOR_NAMES, *tiles.TOWN_NAMES, *tiles.SCORING_NAMES}
    names |= {*tiles.CULT_NAMES, *factions.FACTION_NAMES, *factions.SPECIAL_NAMES[1:], "ACTE"}
    names |= {*factions.STRUCTURE_NAMES, *(f"ACT{n}" for n in range(1, 7))}
    assert names <= found.keys()
    for command in ACTIONS:
        known = [word for word in command.split() if word in found]
        assert known or command.startswith(("+", "faction", "action")), command


def numbers(text: str) -> list[int]:
    return sorted(int(number) for number in re.findall(r"\d+", text))


def test_the_numbers_of_tiles_are_those_of_the_rules():
    for number, tile in enumerate(tiles.TOWN_TILES):
        shown = [tile.vp, *tile.gain, tile.cult_steps, tile.keys]
        assert numbers(terra_mystica.town_tile(number)) == sorted(n for n in shown if n)
    for number, action in enumerate(tiles.POWER_ACTIONS):
        shown = [action.power, *action.gain, action.spades, action.bridges]
        assert numbers(terra_mystica.power_action(number)) == sorted(n for n in shown if n)
    for number, card in enumerate(tiles.BONUS_CARDS):
        shown = [*card.income, card.ship, card.pass_vp, card.pass_ship_vp]
        assert numbers(terra_mystica.bonus_card(number)) == sorted(n for n in shown if n)
    assert terra_mystica.favor_tile(7) == "2 steps on the air cult. Income: +4 power."
    assert terra_mystica.scoring_tile(2) == (
        "In this round: 2 points for each dwelling that is built. "
        "At its end: +1 priest for every 4 levels on the water cult."
    )


def test_every_ability_of_a_faction_is_told():
    usual = factions.Faction("", 0, (0, 0, 0, 0))
    plain = faction_words.describe(1).partition(" With")[0]
    assert plain == "Home terrain: forest (green)."
    told = {
        "fixed_spades", "pays_spades_with_priests", "vp_per_spade", "tunnel_vp", "favors_per_tile",
        "town_vp", "town_workers", "skips_river", "bridge_workers", "trades_vp", "reacts_to_leech",
        "first_dwellings",
    }  # fmt: skip
    for number, faction in enumerate(factions.FACTIONS):
        always = faction_words.describe(number).partition(" With the stronghold")[0]
        special = [name for name in told if getattr(faction, name) != getattr(usual, name)]
        assert bool(special) == (always.count(". ") > 0 or always.count(".") > 1), faction.name
    assert "With the stronghold: at once 12 power; 2 power for each spade." in (
        faction_words.describe(0)
    )


def test_prices_follow_the_faction():
    engineers = factions.find_faction("engineers")
    text = faction_words.built(engineers, factions.Structure.TEMPLE)
    assert text.startswith("Costs 1 worker and 4 coins. Income with 0 to 3 of them:")
    assert faction_words.terraforming(factions.find_faction("giants"), 0, 2).startswith(
        "2 spades (2"
    )


def test_everything_of_tribes_has_words():
    found = words("tribes")
    kinds = [*Technology, *UnitKind, *BuildingKind, *LevelUp, *UnitSubAction, *TileSubAction]
    names = {kind.name.lower() for kind in (*kinds, *Resource) if kind.name != "NONE"}
    assert names <= found.keys()
    assert len(jaxgames.make("tribes").glossary()["Tribes"]) == len(Tribe)
    for technology, parent in PARENTS.items():
        needed = f"Needs {parent.name.lower().replace('_', ' ')}."
        assert needed in found[technology.name.lower()]


def test_figures_of_tribes_follow_the_parameters():
    changed = {"unit_attack": (6, 2, 1, 3, 2, 4, 4, 0, 1, 2, 4, 5), "tomb_stars": 77}
    found = words("tribes", parameters=changed)
    assert found["warrior"].startswith("Attack 6, ")
    assert "Available with 77 stars." in found["emperors_tomb"]


def test_every_part_of_the_large_boards_says_what_it_does():
    for env, game in (
        (
            jaxgames.make("terra_mystica", auto_end=False),
            terra_mystica_games.states_of("p2_1109")[150],
        ),
        (jaxgames.make("tribes"), tribes_games.position("paper_levels", "33", 60)),
    ):
        parts = effects_of(env.render(env.wrap(game)))
        assert len(parts) > 150
        for part, effect in parts.items():
            assert effect, part


def test_words_stay_whole_in_a_picture():
    env = jaxgames.make("onitama")
    state = env.text_to_state("bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0")
    parts = effects_of(env.render(state))
    assert parts["square:b3"] == ""
    assert parts["card:boar"] == onitama.card(0, 0)
    assert np.all([parts[f"square:{name}"] for name in ("a1", "c1", "c5")])
