"""`import jaxgames` is cheap: no backend starts, and nothing heavy comes along."""

import subprocess
import sys

HEAVY = ("chex", "drawsvg", "matplotlib", "mctx", "optax", "orbax", "pgx", "scipy.stats", "tyro")


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_starts_no_backend():
    code = (
        "import jaxgames, jaxgames.testing, jaxgames.onitama.rules\n"
        "from jax._src import xla_bridge\n"
        "jaxgames.make('onitama', deck='all').num_actions\n"
        "print(sorted(xla_bridge._backends))"
    )
    assert run(code) == "[]"


def test_import_adds_no_heavy_module_and_no_game():
    code = (
        "import sys, jax, flax.struct, jaxtyping\n"
        "before = set(sys.modules)\n"
        "import jaxgames\n"
        "jaxgames.make, jaxgames.Env\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    added = run(code).split()
    assert "jaxgames.env" in added
    assert [name for name in added if name.startswith(HEAVY)] == []
    assert [name for name in added if name.startswith("jaxgames.onitama")] == []
    foreign = [name for name in added if not name.startswith("jaxgames")]
    assert len(foreign) < 30, foreign
