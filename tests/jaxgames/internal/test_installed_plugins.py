"""Entry points of the group `jaxgames`: modules of other installed packages."""

import os
import shutil
import subprocess
import sys

from tests.locations import CHECKOUT

NIM = """
import jaxgames
from jaxgames.networks.towers import register_tower
from jaxgames.players import plugs, registry

print("loaded")
AGENTS = plugs.GameAgents(best={2: ("mine",)})
jaxgames.register("nim", "nim:Nim", summary="Nim: take stones")
plugs.register("nim", "nim_plugin:AGENTS")
registry.register("mine", "jaxgames.players.basic:make_random")
register_tower("deep", "jaxgames.networks.square_tower:TOWER")
"""
BROKEN = """
import jaxgames
from jaxgames.players import plugs

jaxgames.register("half", "nim:Nim")
plugs.register("half", "broken_plugin:AGENTS")
import nowhere_at_all
"""
PRESETS = """
from configs import presets

presets.register("nim", presets.GamePresets(alphazero="nim_presets:PRESETS"))
PRESETS = {"cpu": {"iterations": 7}}
"""
ENTRY_POINTS = """[jaxgames]
broken = broken_plugin
nim = nim_plugin
[jaxgames.presets]
nim = nim_presets
"""
LIGHT = "import jaxgames\nfrom configs import presets\nfrom jaxgames.players import registry\n"
KNOWN = "jaxgames.make('onitama')\nregistry.make('random', jaxgames.make('onitama'))\n"


def install(folder):
    """Makes the packages in a folder: a game, and a module that cannot be imported."""
    shutil.copy(CHECKOUT / "tests" / "nim.py", folder)
    (folder / "nim_plugin.py").write_text(NIM)
    (folder / "nim_presets.py").write_text(PRESETS)
    (folder / "broken_plugin.py").write_text(BROKEN)
    about = folder / "nim_games-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: nim-games\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)


def run(folder, code):
    done = subprocess.run(
        [sys.executable, "-c", LIGHT + code],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines(), done.stderr


def test_they_appear_in_lists_and_by_name_and_a_broken_one_is_reported(tmp_path):
    install(tmp_path)
    warning = (
        "the plugin broken of nim-games (broken_plugin) is left out: "
        "ModuleNotFoundError: No module named 'nowhere_at_all'\n"
    )
    code = (
        f"{KNOWN}print('until here')\n"
        "print(jaxgames.player('best', 'nim').name, jaxgames.summaries()['nim'])\n"
        "print('mine' in registry.available(), presets.games('alphazero')[1])\n"
        "print('half' in jaxgames.available())\n"
    )
    out, err = run(tmp_path, code)
    assert out == ["until here", "loaded", "best Nim: take stones", "True nim", "False"]
    assert err == warning
    out, err = run(tmp_path, "print(presets.preset('alphazero', 'nim', 'cpu').iterations)")
    assert (out, err) == (["7"], "")
    # Each kind of name is found by itself.
    for use in (
        "print('mine' in registry.available())",
        "registry.make('mine', jaxgames.make('onitama'))",
        "from jaxgames.networks import towers; towers.load_tower('deep')",
    ):
        out, err = run(tmp_path, use)
        assert out[0] == "loaded" and err == warning
