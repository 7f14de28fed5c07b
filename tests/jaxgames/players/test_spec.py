import dataclasses
from typing import Literal

import pytest

from jaxgames.players.spec import Spec, arguments, call, fields_of, parse, parse_fields


def make_thing(
    env,
    *,
    checkpoint: str,
    simulations: int = 32,
    noise: float = 1.0,
    raw: bool = False,
    evaluator: Literal["network", "rollout"] = "network",
    limit: int | None = None,
):
    """A factory with a field of each type."""


@dataclasses.dataclass(frozen=True)
class Options:
    deck: str | tuple[str, ...] = "base"
    plies: int = 200


@dataclasses.dataclass(frozen=True)
class Settings:
    depth: int = 3
    scale: float = 0.5

    def __post_init__(self):
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}")


QUIET = Settings(scale=0.0)


def make_search(env, *, width: int = 8, settings: Settings = QUIET):
    """A factory that takes settings as one object."""
    return env, width, settings


def test_name_without_fields():
    assert parse(" random ") == Spec("random", {})


def test_path_with_slashes_and_colon_is_one_value():
    spec = parse("gumbel:network=C:/runs/x/network.npz,simulations=32")
    assert spec == Spec("gumbel", {"network": "C:/runs/x/network.npz", "simulations": "32"})


def test_comma_belongs_to_the_value_if_no_equals_sign_follows():
    fields = parse_fields("deal=boar,ox|elephant,horse|crab,max_plies=20")
    assert fields == {"deal": "boar,ox|elephant,horse|crab", "max_plies": "20"}


@pytest.mark.parametrize("text", ["", ":depth=2", "minimax:", "minimax:depth", "minimax:=2", None])
def test_malformed_specs_say_what_was_expected(text):
    with pytest.raises(ValueError, match=r"expected '.*field=value"):
        parse(text)


def test_field_given_twice_is_refused():
    with pytest.raises(ValueError, match="'depth' is given twice"):
        parse("minimax:depth=2,depth=3")


def test_values_get_the_types_of_the_factory():
    spec = parse("x:checkpoint=a.npz,simulations=8,noise=0.5,raw=true,evaluator=rollout,limit=none")
    assert arguments(spec, make_thing) == {
        "checkpoint": "a.npz",
        "simulations": 8,
        "noise": 0.5,
        "raw": True,
        "evaluator": "rollout",
        "limit": None,
    }
    assert arguments(parse("x:checkpoint=a,limit=7"), make_thing)["limit"] == 7


def test_fields_of_a_dataclass():
    assert arguments(parse("x:deck=all,plies=9"), Options) == {"deck": "all", "plies": 9}
    assert arguments(parse("x:deck=ox,crab,boar"), Options) == {"deck": ("ox", "crab", "boar")}


def test_settings_that_are_one_object_have_fields_of_their_own():
    defaults = {name: field.default for name, field in fields_of(make_search).items()}
    assert defaults == {"width": 8, "depth": 3, "scale": 0.0}
    values = arguments(parse("x:depth=2,width=4"), make_search)
    assert values == {"depth": 2, "width": 4}
    assert call(make_search, "env", values) == ("env", 4, Settings(2, 0.0))
    assert call(make_search, "env", {}) == ("env", 8, QUIET)
    with pytest.raises(ValueError, match="depth must be at least 1, got 0"):
        call(make_search, "env", {"depth": 0})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x:checkpoint=a,simulation=3",
            "x: unknown field 'simulation'.*did you mean 'simulations'",
        ),
        ("x:checkpoint=a,simulations=many", "x:simulations=many is not of type int"),
        ("x:checkpoint=a,simulations=1.5", "x:simulations=1.5 is not of type int"),
        ("x:checkpoint=a,noise=nan", "x:noise=nan is not a finite number"),
        ("x:checkpoint=a,raw=yes", "x:raw=yes is not of type bool: write true or false"),
        ("x:checkpoint=a,evaluator=rollouts", "unknown value 'rollouts'.*did you mean 'rollout'"),
        ("x:checkpoint=a,limit=x", "x:limit=x is not of type int"),
        ("x:noise=1", "x needs a value for 'checkpoint'"),
    ],
)
def test_errors_name_field_value_and_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=message):
        arguments(parse(text), make_thing)


def test_unknown_field_lists_the_valid_ones():
    with pytest.raises(ValueError, match=r"available: deck, plies$"):
        arguments(parse("x:zzz=1"), Options)
