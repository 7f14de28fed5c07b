import pytest

from agents import command_line
from jaxgames import compilation_cache


@pytest.fixture
def caches(monkeypatch):
    """Returns the folders that were chosen for the compilation cache."""
    chosen = []
    monkeypatch.setattr(compilation_cache, "enable", chosen.append)
    return chosen


@pytest.mark.parametrize(
    "plugin", [["--plugin=tests.points_nim"], ["--plugin", "tests.points_nim"]]
)
def test_common_options_are_applied_and_taken_away(caches, plugin):
    arguments = ["--game=onitama", *plugin, "--agents", "random", "--compilation-cache=off"]
    assert command_line.begin(arguments) == ["--game=onitama", "--agents", "random"]
    assert caches == ["off"]


def test_without_common_options_nothing_changes(caches):
    assert command_line.begin(["replay", "games.jsonl"]) == ["replay", "games.jsonl"]
    assert caches == [None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plugin=nowhere"], "--plugin: cannot import 'nowhere'"),
        (["--plugin=tests.nowhere.more"], "--plugin: cannot import 'tests.nowhere.more'"),
        (["--plugin"], "--plugin needs a value"),
        (["--compilation-cache"], "--compilation-cache needs a value"),
    ],
)
@pytest.mark.usefixtures("caches")
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        command_line.begin(arguments)
    with pytest.raises(SystemExit, match="2"):
        command_line.begin_or_exit("program", arguments)


@pytest.mark.usefixtures("caches")
def test_several_plugins_are_imported_in_order(monkeypatch):
    imported = []
    monkeypatch.setattr(command_line.importlib, "import_module", imported.append)
    command_line.begin(["--plugin=first", "--plugin", "second"])
    assert imported == ["first", "second"]
