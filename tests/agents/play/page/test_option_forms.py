"""The form of a game's options: every option of people, with its kind, its choices and its text."""

import re

import pytest

import jaxgames
from agents.play.page.option_forms import form
from jaxgames.players import spec

GAMES = ("murus_gallicus", "onitama", "terra_mystica", "tribes")


def option(game, name):
    return next(found for found in form(game)["options"] if found["name"] == name)


@pytest.mark.parametrize("game", GAMES)
def test_every_choice_of_every_option_is_accepted_and_explained(game):
    rules = type(jaxgames.make(game).rules)
    for found in form(game)["options"]:
        assert found["help"]
        for words in (found["label"], found["help"], found["none"]):
            assert not any(name in words for name in spec.fields_of(rules) if "_" in name)
            assert not re.search(r"[`\"]|\.py\b|\b(None|True|False|[Mm]ax|plies)\b", words), found
        assert not re.fullmatch(r"[A-Z][a-z]*\d+", found["label"]), found
        values = found["choices"] if found["kind"] != "switch" else ["true", "false"]
        for value in [*values, found["default"]]:
            given = spec.arguments(spec.Spec(game, {found["name"]: value}), rules)
            jaxgames.make(game, **given)
        if found["kind"] in ("choice", "roles"):
            assert found["default"] in found["choices"], found


@pytest.mark.parametrize(
    ("game", "name", "kind", "choices"),
    [
        ("onitama", "deck", "text", ["base", "expansion", "all"]),
        ("onitama", "deal", "text", []),
        ("onitama", "max_plies", "number", []),
        ("murus_gallicus", "fire_directions", "choice", ["none", "3", "5", "8"]),
        ("murus_gallicus", "win_timing", "choice", ["none", "immediate", "delayed"]),
        ("murus_gallicus", "pie_rule", "switch", []),
        ("terra_mystica", "num_players", "choice", ["2", "3", "4", "5"]),
        ("terra_mystica", "factions", "roles", ["random", "draft"]),
        ("terra_mystica", "turn_order", "choice", ["clockwise", "passing"]),
        ("tribes", "side", "choice", ["none", "11", "14", "16"]),
        ("tribes", "tribes", "roles", ["random"]),
        ("tribes", "mode", "choice", ["capitals", "score"]),
        ("tribes", "fog", "switch", []),
    ],
)
def test_the_kind_of_an_option_follows_from_its_type_and_its_text(game, name, kind, choices):
    found = option(game, name)
    assert (found["kind"], found["choices"]) == (kind, choices)


def test_what_none_means_is_the_name_of_its_choice():
    assert option("onitama", "deal")["none"] == "at random"
    assert option("murus_gallicus", "win_timing")["none"] == "as the variant says"
    assert option("tribes", "side")["help"] == "Side of the board, 11, 14 or 16."
    assert "Off: the framework of June 2020" in option("tribes", "terrain_defence")["help"]


def test_what_no_person_notices_is_left_out():
    names = {name: {found["name"] for found in form(name)["options"]} for name in GAMES}
    assert "planes" not in names["onitama"] and "parameters" not in names["tribes"]
    assert option("onitama", "max_plies") | {"help": ""} == {
        "name": "max_plies",
        "label": "Longest game",
        "help": "",
        "none": "as usual",
        "default": "200",
        "choices": [],
        "kind": "number",
        "least": 1,
        "most": 255,
    }
