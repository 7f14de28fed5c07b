"""The scripts of the page fit together: each name that one imports is exported by another."""

import re

import pytest

from tests.agents.play.browser import CHECKOUT

FOLDERS = (CHECKOUT / "agents/play/page/files", CHECKOUT / "agents/analyse/files")
SCRIPTS = {path.name: path.read_text() for folder in FOLDERS for path in folder.glob("*.js")}
IMPORT = re.compile(r'^import \{ ([^}]+) \} from "/page/([^"]+)";', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_imports_are_exported_and_used(name):
    text = SCRIPTS[name]
    imported = IMPORT.findall(text)
    assert len(imported) == len(re.findall(r"^import ", text, re.MULTILINE))
    for words, source in imported:
        for word in words.split(", "):
            assert word in EXPORT.findall(SCRIPTS[source]), (word, source)
            assert len(re.findall(rf"\b{word}\b", text)) > 1, f"{word} is not used"
