"""The options of a game as a form: what each is called, what it means, and what it can be.

Names, types and defaults are the fields of the game's rules. The texts below the fields, which the
source holds, say what they mean; the numbers and the words in quotes that a text names are offered
as choices where the rules accept them.
"""

import ast
import dataclasses
import functools
import inspect
import re
import textwrap
import typing
from typing import Any

import jaxgames
from jaxgames.internal.messages import title
from jaxgames.players import spec

MOST_CHOICES = 12  # of numbers; a longer range is typed
FOR_LEARNERS = "Observation"  # begins the text of an option that no person notices
LABELS = {
    "num_players": "Players",
    "max_plies": "Longest game",
    "max_stack": "Highest stack",
    "win_timing": "When a stone wins",
    "repetition_draw": "Draw by repetition",
    "redistribute_start": "Two stones move first",
    "errata_cultists": "Erratum of the cultists",
    "mini_towns": "More town tiles",
    "bon10": "Bonus card BON10",
    "score9": "Scoring tile SCORE9",
    "post_conversions": "Conversions after actions",
    "auto_end": "Turns end by themselves",
    "side": "Side of the board",
}
"""What options are called whose names are no words."""
NONE = "as usual"  # the choice that leaves an option to the game, unless its text says more
_PLAIN = (
    (re.compile(r"`False`:|\bFalse:"), "Off:"),
    (re.compile(r"`True`:|\bTrue:"), "On:"),
    (re.compile(r"\bplies\b"), "moves"),
    (re.compile(r" \(`?\w+\.py`?\)"), ""),
    (re.compile(r'[`"]'), ""),
)
"""What programmers write in the text of an option, and what people read instead."""
_NONE = re.compile(r"[;,] None: (?P<meaning>[^.;]+)")
_WORD = re.compile(r'"([^"]+)"')
_RANGE = re.compile(r"(\d+) to (\d+)")
_LIST = re.compile(r"((?:\d+, )*\d+) or (\d+)")

Document = dict[str, Any]


@functools.lru_cache(maxsize=32)
def form(game: str) -> Document:
    """Returns the options of a game that people may choose, as a page shows them.

    Returns:
        `game`, `title` and `options`: of each its `name`, its `label`, its `help`, its `default` as
        text, its `choices` and its `kind`. A `switch` is true or false; a `choice` is one of the
        choices; `roles` are one of the choices, or one of `roles` for each seat; a `number` lies
        from `least` to `most`, where they are known; a `text` is anything. `none` says what
        the choice or the empty field `none` means.

    Raises:
        ValueError: for an unknown game.
    """
    rules = jaxgames.make(game).rules
    fields, helps = spec.fields_of(type(rules)), _texts_of_fields(type(rules))
    options = [
        _option(rules, name, field.annotation, helps.get(name, ""))
        for name, field in fields.items()
    ]
    return {
        "game": game,
        "title": title(game),
        "players": rules.num_players,
        "options": [option for option in options if option is not None],
    }


def _option(rules: Any, name: str, hint: Any, text: str) -> Document | None:
    """Returns one option; None if it is none for people."""
    if hint is Any or text.startswith(FOR_LEARNERS):
        return None
    default = getattr(rules, name)
    option: Document = {
        "name": name,
        "label": LABELS.get(name, name.replace("_", " ").capitalize()),
        "help": _plain(text),
        "none": meaning["meaning"] if (meaning := _NONE.search(text)) else NONE,
        "default": _written(default),
        "choices": [],
    }
    kinds = typing.get_args(hint) or (hint,)
    if hint is bool:
        return option | {"kind": "switch"}
    if int in kinds:
        return option | _number(rules, name, default, text, type(None) in kinds)
    return option | _words(rules, name, default, text, kinds)


def _plain(text: str) -> str:
    """Returns the text of an option as people read it; what None means is told elsewhere."""
    text = _NONE.sub("", text)
    for pattern, words in _PLAIN:
        text = pattern.sub(words, text)
    return text


def _number(rules: Any, name: str, default: Any, text: str, may_be_none: bool) -> Document:
    ends = _RANGE.search(text)
    listed = _LIST.search(text)
    if listed is not None:
        numbers = [int(number) for number in re.findall(r"\d+", listed[0])]
    elif ends is not None and int(ends[2]) - int(ends[1]) < MOST_CHOICES:
        numbers = list(range(int(ends[1]), int(ends[2]) + 1))
    else:
        least, most = (int(ends[1]), int(ends[2])) if ends else (0, None)
        return {"kind": "number", "least": least, "most": most}
    accepted = [str(number) for number in numbers if _accepts(rules, name, number)]
    return {"kind": "choice", "choices": [*(["none"] if may_be_none else []), *accepted]}


def _words(rules: Any, name: str, default: Any, text: str, kinds: tuple[Any, ...]) -> Document:
    words = _WORD.findall(text)
    examples = [word for word in words if "," in word]
    choices = [word for word in words if word not in examples and _accepts(rules, name, word)]
    if any(set(example.split(",")) <= set(rules.roles) for example in examples):
        return {"kind": "roles", "choices": choices, "roles": list(rules.roles)}
    is_open = bool(examples) or any(typing.get_origin(kind) is tuple for kind in kinds)
    if is_open or not choices:
        return {"kind": "text", "choices": choices}
    none = ["none"] if type(None) in kinds else []
    return {"kind": "choice", "choices": [*none, *choices]}


def _accepts(rules: Any, name: str, value: Any) -> bool:
    """Returns whether the rules take a value while all other options have their defaults."""
    try:
        dataclasses.replace(rules, **{name: value})
    except ValueError:
        return False
    return True


def _written(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _texts_of_fields(rules: type) -> dict[str, str]:
    """Returns the text that stands below each field in the source of a dataclass."""
    found: dict[str, str] = {}
    for kind in reversed(rules.__mro__):
        if not dataclasses.is_dataclass(kind):
            continue
        try:
            source = textwrap.dedent(inspect.getsource(kind))
        except OSError:
            continue  # it has none: the fields have names alone
        body = ast.parse(source).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in zip(body.body, body.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = " ".join(text.split())
    return found
