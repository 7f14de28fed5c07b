"""The check of shared modules sees imports and strings, and counts rooms, not files."""

import subprocess
import sys

from tests.locations import CHECKOUT

SCRIPT = CHECKOUT / ".ci" / "two_consumers.py"
FILES = {
    "README.md": "Public: `jaxgames.internal.documented`.",
    "docs/page.md": "",
    "jaxgames/__init__.py": "",
    "jaxgames/internal/__init__.py": "",
    "jaxgames/internal/documented.py": "",
    "jaxgames/internal/nowhere.py": "",
    "jaxgames/internal/once.py": "from jaxgames.internal import under_once",
    "jaxgames/internal/under_once.py": "",
    "jaxgames/internal/twice.py": "import jaxgames.internal.under_twice",
    "jaxgames/internal/under_twice.py": "",
    "agents/play/__init__.py": "",
    "agents/play/__main__.py": "from jaxgames.internal import twice",
    "agents/play/page.py": "from jaxgames.internal.once import x",
    "agents/play/session.py": "import jaxgames.internal.once",
    "papers/alphatm/__init__.py": "PLUG = 'jaxgames.internal.twice:thing'",
}


def test_modules_of_one_consumer_are_named(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = subprocess.run([sys.executable, SCRIPT], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line for line in done.stdout.splitlines() if "exception" not in line]
    assert [line.partition(";")[0] for line in lines] == [
        "jaxgames.internal.nowhere: used by nobody",
        "jaxgames.internal.once: used by agents.play",
        "jaxgames.internal.under_once: used by agents.play",
    ]
    assert "jaxgames.search.planning.tree: the exception" in done.stdout
