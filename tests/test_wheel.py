"""The wheel in an environment with its four dependencies and nothing else."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import zipfile

import jax
import pytest

import jaxgames
from jaxgames import networks
from tests.locations import CHECKOUT

DEPENDENCIES = ("jax", "flax", "jaxtyping", "numpy")
# flax itself brings chex, optax and orbax; the import contracts keep jaxgames from using them.
STRANGERS = ("mctx", "tyro", "matplotlib", "drawsvg", "agents", "configs", "train")

PROGRAM = """
import sys, jax, jaxgames
from jaxgames import networks, search

jaxgames.register("nim", "nim:Nim")
rules = jaxgames.make("nim").rules
start = rules.init(jax.random.key(0))
start = start.replace(heaps=start.heaps * 0 + jax.numpy.array([1, 2, 0], "int8"))
states = jax.tree.map(lambda leaf: jax.numpy.stack([leaf] * 8), start)
QUIET = {
    search.gumbel_search: {"gumbel_scale": 0.0},
    search.puct_search: {"dirichlet_fraction": 0.0},
}
for make in (search.gumbel_search, search.puct_search):
    tree = make(rules, search.Rollout(rules), simulations=64, **QUIET[make])
    decision, _ = jax.jit(tree.act)((), tree.reset(8), states, jax.random.key(1))
    print(make.__name__, *decision.action.tolist())

env = jaxgames.make("onitama")
evaluator, params = networks.load_evaluator(env, sys.argv[1])
tree = search.gumbel_search(env.rules, evaluator, simulations=8)
state = env.init(jax.random.key(2))
batch = jax.tree.map(lambda leaf: leaf[None], state.game)
decision, _ = jax.jit(tree.act)(params, tree.reset(1), batch, jax.random.key(3))
after = env.step(state, decision.action[0])
print("moved", env.action_to_text(state, int(decision.action[0])), int(after.step_count))
print("strangers", *sorted(set(sys.modules) & set(sys.argv[2:])))
print("from", jaxgames.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, str(folder), str(CHECKOUT)], check=True)
    (built,) = folder.glob("*.whl")
    return built


def required(names) -> set[str]:
    """Returns some distributions and all that their installation brings with it."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        found.add(name)
        waiting += [re.split(r"[ ;<>=!~\[(]", need)[0] for need in needs if "extra ==" not in need]
    return found


@pytest.fixture(scope="module")
def empty_environment(wheel, tmp_path_factory) -> pathlib.Path:
    """A folder of packages: the wheel, and what its dependencies bring, as pip would install it."""
    folder = tmp_path_factory.mktemp("environment")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    for name in required(DEPENDENCIES):
        for file in importlib.metadata.files(name) or []:
            top = file.parts[0]
            target = folder / top
            if top not in ("..", "__pycache__") and not target.exists():
                target.symlink_to(
                    pathlib.Path(str(file.locate())).parents[len(file.parts) - 2]
                    if len(file.parts) > 1
                    else str(file.locate())
                )
    return folder


def test_the_wheel_holds_the_library_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        folders = {name.partition("/")[0] for name in archive.namelist()}
    assert {name for name in folders if not name.endswith(".dist-info")} == {"jaxgames"}


def test_the_wheel_needs_four_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        metadata = archive.read(path).decode()
    needs = re.findall(r"^Requires-Dist: (\w+)(?![^\n]*extra ==)", metadata, re.MULTILINE)
    assert sorted(needs) == sorted(DEPENDENCIES)


def test_a_stranger_searches_nim_and_plays_a_stored_network_of_onitama(empty_environment, tmp_path):
    page = (CHECKOUT / "docs" / "adding_a_game.md").read_text()
    (tmp_path / "nim.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    env = jaxgames.make("onitama")
    config = networks.NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2)
    params = networks.make_network(env, config).init(jax.random.key(0))
    network = tmp_path / "onitama.npz"
    networks.save_network(network, params, networks.describe(env, "", config, iteration=0))
    code = f"import sys; sys.path[:0] = [{str(empty_environment)!r}, {str(tmp_path)!r}]\n{PROGRAM}"
    done = subprocess.run(
        # -I -S: neither the user's packages nor those of this environment
        [sys.executable, "-I", "-S", "-c", code, str(network), *STRANGERS],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    gumbel, puct, moved, strangers, origin = done.stdout.splitlines()
    # From heaps of 1 and 2 only one move wins: it leaves two heaps of 1.
    assert gumbel.split() == ["gumbel_search", *["7"] * 8]
    assert puct.split() == ["puct_search", *["7"] * 8]
    assert moved.startswith("moved ") and moved.endswith(" 1")
    assert strangers == "strangers"
    assert str(empty_environment) in origin
