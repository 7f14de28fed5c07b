"""Moves as people say them: every move of the games, without the notation of machines."""

import re

import pytest

import jaxgames
from jaxgames.onitama.cards import CARDS
from jaxgames.terra_mystica.engine.actions import CONVERSIONS
from jaxgames.terra_mystica.text.commands import ACTIONS
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.tribes import LevelUp
from jaxgames.tribes.tables.units import UnitKind

TERRA_MYSTICA = {
    "transform E5 to U": "Transform E5 to brown",
    "build E7": "Build a dwelling on E7",
    "upgrade F3 to TP": "Upgrade F3 to a trading post",
    "bridge A3:C1": "Build a bridge from A3 to C1",
    "connect r10": "Found a town across r10",
    "send FIRE 3": "Send a priest to fire: 3 steps",
    "action ACT5": "Use ACT5: 1 spade for 4 power",
    "action ACTG": "Use the stronghold (ACTG)",
    "+1 FIRE": "Take 1 step on the fire cult",
    "+1 FAV11": "Take favor tile FAV11",
    "+1 TW3": "Take town tile TW3",
    "leech": "Take power (leech)",
    "convert 1w to 1c": "Exchange 1 worker for 1 coin",
    "convert 3pw to 1w": "Exchange 3 power for 1 worker",
    "convert 2c to 1vp": "Exchange 2 coins for 1 point",
    "pass BON3": "Pass, take BON3",
    "faction chaosmagicians": "Play the Chaos Magicians",
}


@pytest.mark.parametrize(("text", "words"), TERRA_MYSTICA.items())
def test_terra_mystica(text, words):
    env = jaxgames.make("terra_mystica")
    assert env.in_words(text, "Round 2 of 6") == words


def test_the_first_card_is_taken_without_a_pass():
    assert jaxgames.make("terra_mystica").in_words("pass BON3", "Set-up") == "Take BON3"


def test_every_move_of_terra_mystica_has_words_of_its_own():
    env = jaxgames.make("terra_mystica")
    found = {text: env.in_words(text) for text in ACTIONS}
    for text, words in found.items():
        assert re.fullmatch(r"[A-Z].*", words) and words != text, text
        assert not re.search(r"_|\b\d(c|w|p|pw|vp)\b|\bto [YUKBGSR]$", words), words
    assert len(CONVERSIONS) == sum(text.startswith(("burn", "convert")) for text in found)
    alike = len(found) - len(set(found.values()))
    assert not alike, "two moves never have the same words"


def test_every_move_of_tribes_has_words():
    env = jaxgames.make("tribes")
    names = {
        "research": Technology,
        "build": BuildingKind,
        "spawn": UnitKind,
        "level_up": LevelUp,
    }
    texts = [f"{verb} {one.name.lower()}" for verb, kind in names.items() for one in kind]
    texts += [one.name.lower() for one in (*UnitSubAction, *TileSubAction)]
    texts += ["move d5", "attack d5", "convert d5", "end_turn"]
    found = [env.in_words(text) for text in texts]
    assert len(set(found)) == len(texts)
    for words in found:
        assert re.fullmatch(r"[A-Z][a-z0-9: ]+", words), words
    assert env.in_words("spawn rider") == "Train rider"
    assert env.in_words("end_turn") == "End the turn"
    assert env.in_words("c4") == "c4"


def test_cards_of_onitama_have_squares_apart():
    env = jaxgames.make("onitama")
    for card in CARDS:
        assert env.in_words(f"{card.name}:c1c3") == f"{card.name}: c1 to c3"
        assert env.in_words(f"{card.name}:pass") == f"{card.name}: pass"


def test_games_without_words_keep_their_notation():
    assert jaxgames.make("murus_gallicus").in_words("d4-d5") == "d4-d5"
