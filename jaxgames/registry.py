"""The table of games: `make`, `available`, `summaries`, `register`.

Entries are import paths, resolved by `make`, so that listing games imports neither a game nor JAX.
"""

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from jaxgames.internal import imports, installed_plugins
from jaxgames.internal.messages import unknown

if TYPE_CHECKING:
    from jaxgames.env import Env


@dataclasses.dataclass(frozen=True)
class EnvSpec:
    """Where a game's code is."""

    rules: str
    """Import path `"package.module:Class"` of a `Rules` dataclass."""
    notation: str | None = None
    """Module with `state_to_text(rules, game)`, `text_to_state(rules, text)`,
    `action_to_text(rules, game, action)`, `text_to_action(rules, game, text)` and
    `playable_moves(rules, game)`, a dict of the number and the text of each legal action. A game
    with rounds or turns of many moves has `chapter(rules, game)`, their heading, there, too; and
    one whose moves people say in other words has `in_words(text, chapter)`. If it reads positions
    that games with these options never reach, for analysis, `check_options(rules, game)` refuses
    them; training does not start from them."""
    renderer: str | None = None
    """Module with `render(rules, game, previous, theme)`; or with `squares(rules, game)`, a
    `boards.squares.Board`, which is drawn by default and clicked by the squares that moves name. A
    game that is played on its own pictures has `click_paths(rules, game)` there, too. Any game may
    have `seat_looks(rules, game, theme)`, `decision(rules, game)`, who has to decide what,
    `glossary(rules)`, which says what its tiles, cards and units do, and `FIGURES`, functions of a
    theme that draw the pictures of its rulebook."""
    text_board: str | None = None
    """Module with `draw(rules, game, paint, seat)`: the board in a terminal."""
    summary: str = ""
    """The game in one line."""
    record_formats: tuple[tuple[str, str], ...] = ()
    """Formats of other programs for whole games: suffix of the files, and a module with
    `read(rules, text, start)` and `write(rules, start, moves, decisions)`."""


_SPECS: dict[str, EnvSpec] = installed_plugins.table(
    {
        "murus_gallicus": EnvSpec(
            summary="Murus Gallicus: towers fall, catapults throw; 8x7 cells, two seats",
            rules="jaxgames.murus_gallicus.rules:MurusGallicus",
            notation="jaxgames.murus_gallicus.notation",
            renderer="jaxgames.murus_gallicus.render",
            text_board="jaxgames.murus_gallicus.text_board",
        ),
        "onitama": EnvSpec(
            summary="Onitama: a master, four students, moves on cards; 5x5 squares, two seats",
            rules="jaxgames.onitama.rules:Onitama",
            notation="jaxgames.onitama.notation",
            renderer="jaxgames.onitama.render",
            text_board="jaxgames.onitama.text_board",
            record_formats=((".oni", "jaxgames.onitama.oni"),),
        ),
        "terra_mystica": EnvSpec(
            summary="Terra Mystica: 14 factions build on hexes for six rounds; 2 to 5 seats",
            rules="jaxgames.terra_mystica.rules:TerraMystica",
            notation="jaxgames.terra_mystica.text.notation",
            renderer="jaxgames.terra_mystica.render",
            text_board="jaxgames.terra_mystica.text.text_board",
            record_formats=((".ledger", "jaxgames.terra_mystica.text.ledger_files"),),
        ),
        "tribes": EnvSpec(
            summary="Tribes: cities, units, technologies on 11x11 to 16x16 tiles; 2 to 4 seats",
            rules="jaxgames.tribes.rules:Tribes",
            notation="jaxgames.tribes.text.notation",
            renderer="jaxgames.tribes.render",
            text_board="jaxgames.tribes.text.text_board",
        ),
    }
)

OBSERVATION_DTYPES = ("float32",)
_VERSIONED = re.compile(r"(?P<id>.+)-v(?P<version>\d+)")


def available() -> tuple[str, ...]:
    """Returns the ids of all games, those of other installed packages included, sorted."""
    installed_plugins.load()
    return tuple(sorted(_SPECS))


def summaries() -> dict[str, str]:
    """Returns one line about each game of `available`, by its id, sorted."""
    return {env_id: _SPECS[env_id].summary for env_id in available()}


def register(
    env_id: str,
    rules: str,
    notation: str | None = None,
    renderer: str | None = None,
    summary: str = "",
    text_board: str | None = None,
    record_formats: tuple[tuple[str, str], ...] = (),
) -> None:
    """Adds a game of another package, for instance `register("nim", "my_package.nim:Nim")`.

    The arguments are the fields of `EnvSpec`.

    Raises:
        ValueError: if the id is taken or not made of lower-case letters, digits and underscores.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", env_id):
        raise ValueError(f"environment id {env_id!r}: use lower-case letters, digits, underscores")
    if env_id in _SPECS:
        raise ValueError(f"environment {env_id!r} is already registered")
    imports.check(rules, "package.module:Class")
    _SPECS[env_id] = EnvSpec(rules, notation, renderer, text_board, summary, record_formats)


def record_formats(env_id: str) -> dict[str, str]:
    """Returns the module for each format of other programs, by suffix; none for an unknown game."""
    spec = _find(env_id)
    return {} if spec is None else dict(spec.record_formats)


def has_pictures(env_id: str) -> bool:
    """Returns whether a game is drawn and its moves have texts, so that people can play it."""
    spec = _find(env_id)
    return spec is not None and spec.renderer is not None and spec.notation is not None


def make(env_id: str, *, observation_dtype: str | None = None, **options: Any) -> "Env[Any]":
    """Returns an environment, for instance `make("onitama", deck="all")`.

    Args:
        env_id: a registered id, optionally with its version: `"onitama-v1"`.
        observation_dtype: `"float32"` gives observations as arrays of floats. By default a game
            keeps planes of yes and no as bits, which cost a loop less; the numbers are the same.
        **options: fields of the game's rules; see its page in the documentation.

    Raises:
        ValueError: for an unknown id, version, option or type; names the nearest valid choice.
    """
    if not isinstance(env_id, str):
        raise ValueError(f"environment id must be a string, got {env_id!r}")
    versioned = _VERSIONED.fullmatch(env_id)
    base_id = versioned["id"] if versioned else env_id
    spec = _find(base_id)
    if spec is None:
        raise ValueError(unknown("environment", base_id, available()))
    rules_class = imports.load(spec.rules)

    fields = tuple(field.name for field in dataclasses.fields(rules_class) if field.init)
    for name in options:
        if name not in fields:
            raise ValueError(f"{base_id}: " + unknown("option", name, fields))
    rules = rules_class(**options)
    if versioned and versioned["version"] != rules.version:
        raise ValueError(f"{base_id} has version {rules.version}, not {versioned['version']}")
    if observation_dtype not in (None, *OBSERVATION_DTYPES):
        raise ValueError(
            f"{base_id}: " + unknown("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
        )
    from jaxgames.env import Env

    return Env(base_id, rules, spec.notation, spec.renderer, spec.text_board, observation_dtype)


def _find(env_id: str) -> EnvSpec | None:
    """Returns the entry of a game; None if no installed package registers it."""
    if env_id not in _SPECS:
        installed_plugins.load()
    return _SPECS.get(env_id)
