"""Makes the package of a new game: the template with the name of the game in place of its own."""

import importlib.util
import keyword
import pathlib
import re

import jaxgames
from configs.new import NewConfig
from jaxgames.internal import messages, programs, texts

TEMPLATE = pathlib.Path(__file__).with_name("my-game")
TEMPLATE_NAME = "my_game"
KINDS = (".md", ".py", ".toml")
_NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")


def run(config: NewConfig) -> None:
    """Writes the package and says what can be done with it.

    Raises:
        ValueError: as for `write`.
    """
    folder = write(config.game, config.folder)
    play, train = map(programs.command, ("agents.play", "train.alphazero"))
    print(
        f"{folder} holds a small game that runs; edit its rules into your own. Next:\n"
        f"  pip install -e '{folder}[dev]'\n"
        f"  pytest {folder}\n"
        f"  {play} --game={config.game}\n"
        f"  {train} --game={config.game}"
    )


def write(game: str, parent: pathlib.Path) -> pathlib.Path:
    """Returns the folder of a new package, named as its game, in the folder `parent`.

    Raises:
        ValueError: for a name that no new package can have, or a folder that is there already.
    """
    _check(game, parent)
    folder = parent / game
    forms = dict(zip(_forms(TEMPLATE_NAME), _forms(game), strict=True))
    for source in sorted(TEMPLATE.rglob("*")):
        if source.suffix not in KINDS:
            continue
        path = folder / _renamed(source.relative_to(TEMPLATE).as_posix(), forms)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_renamed(texts.read(source), forms), "utf-8", newline="\n")
    return folder


def _forms(name: str) -> tuple[str, ...]:
    """Returns the name of a game as a package, as a title and at the beginning of a class."""
    title = messages.title(name)
    return name, title, title.replace(" ", "")


def _renamed(text: str, forms: dict[str, str]) -> str:
    """Returns a text of the template with the name of the game, in the same form, for its own."""
    return re.sub("|".join(forms), lambda form: forms[form[0]], text)


def _check(game: str, parent: pathlib.Path) -> None:
    """Raises a `ValueError` unless a package of this name can be made in a folder."""
    if not _NAME.fullmatch(game) or keyword.iskeyword(game):
        likely = re.sub(r"[^a-z0-9]+", "_", game.lower()).strip("_")
        is_valid = _NAME.fullmatch(likely) and not keyword.iskeyword(likely)
        offer = f"; did you mean {likely!r}?" if is_valid else ""
        raise ValueError(
            f"game {game!r}: expected the name of a Python package in lower-case letters, digits "
            f"and underscores, such as connect_four{offer}"
        )
    if game in jaxgames.available():
        taken = ", ".join(jaxgames.available())
        raise ValueError(f"game {game!r} exists already; choose another name than {taken}")
    if not parent.is_dir():
        raise ValueError(f"folder: there is no directory {parent}")
    if (parent / game).exists():
        raise ValueError(f"folder: {parent / game} exists already; choose another name or folder")
    if game == "tests" or importlib.util.find_spec(game) is not None:
        raise ValueError(
            f"game {game!r} is the name of another Python package; choose one that is free, such "
            f"as {game}_game"
        )
