"""The wheel in empty environments: what it holds, the players, the command `jaxgames`."""

import http.client
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile

import jax
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import jaxgames
from jaxgames import networks
from tests.jaxgames.internal.test_installed_plugins import install
from tests.locations import CHECKOUT

DEPENDENCIES = ("jax", "flax", "jaxtyping", "numpy")
PLAY = ("anyio", "drawsvg", "flatbuffers", "rich", "starlette", "tyro", "uvicorn")
TRAIN = (
    "chex", "drawsvg", "filelock", "flatbuffers", "matplotlib", "mctx", "optax",
    "orbax-checkpoint", "pyyaml", "rich", "scipy", "tensorboardX", "tyro",
)  # fmt: skip
# flax itself brings chex, optax and orbax; the import contracts keep jaxgames from using them.
STRANGERS = ("mctx", "tyro", "matplotlib", "drawsvg", "orbax", "agents", "configs", "train")
NETWORKS = {
    "murus_gallicus": ("murus_gallicus", {}),
    "murus_gallicus_basic": ("murus_gallicus", {"variant": "basic"}),
    "murus_gallicus_delayed": ("murus_gallicus", {"variant": "delayed"}),
    "murus_gallicus_no_breakthrough": ("murus_gallicus", {"breakthrough": False}),
    "murus_gallicus_pie_rule": ("murus_gallicus", {"pie_rule": True}),
    "murus_gallicus_redistribute_start": ("murus_gallicus", {"redistribute_start": True}),
    "onitama": ("onitama", {}),
    "onitama_all": ("onitama", {"deck": "all"}),
    "terra_mystica": ("terra_mystica", {"num_players": 2}),
    "terra_mystica_3": ("terra_mystica", {"num_players": 3}),
    "terra_mystica_4": ("terra_mystica", {"num_players": 4}),
    "terra_mystica_5": ("terra_mystica", {"num_players": 5}),
    "tribes": ("tribes", {}),
    "tribes_3": ("tribes", {"num_players": 3}),
    "tribes_4": ("tribes", {"num_players": 4}),
}


def build(command, folder) -> list[pathlib.Path]:
    subprocess.run([sys.executable, "-m", *command, str(folder), str(CHECKOUT)], check=True)
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = build(["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"], folder)
    return built


def required(names) -> set[str]:
    """Returns some distributions and all that their installation brings with it."""
    seen, found = set(), set()
    waiting = list(map(Requirement, names))
    while waiting:
        need = waiting.pop()
        if str(need) in seen:
            continue
        seen.add(str(need))
        try:
            needs = importlib.metadata.requires(need.name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        found.add(canonicalize_name(need.name))
        for more in map(Requirement, needs):
            chosen = [{"extra": extra} for extra in ("", *need.extras)]
            if more.marker is None or any(map(more.marker.evaluate, chosen)):
                waiting.append(more)
    return found


def environment(folder, wheel, extra="", packages=()) -> pathlib.Path:
    """Returns the programs of an environment with the wheel and what its dependencies bring.

    The packages themselves are those of this environment, each by a link; pip checks that all that
    the wheel needs is among them.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in required((*DEPENDENCIES, *packages)):
        for file in importlib.metadata.files(name) or []:
            target = site / file.parts[0]
            if file.parts[0] not in ("..", "__pycache__") and not target.exists():
                place = pathlib.Path(str(file.locate()))
                depth = len(file.parts) - 2
                target.symlink_to(place if depth < 0 else place.parents[depth])
    needed = f"jaxgames{extra} @ {wheel.as_uri()}"
    python = str(folder / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    subprocess.run([*pip, needed], check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def core(wheel, tmp_path_factory) -> pathlib.Path:
    return environment(tmp_path_factory.mktemp("core"), wheel)


@pytest.fixture(scope="module")
def play(wheel, tmp_path_factory) -> pathlib.Path:
    return environment(tmp_path_factory.mktemp("play"), wheel, "[play]", PLAY)


def run(*command, folder) -> str:
    """Returns what a command prints in a folder, where nothing of the checkout is on its path."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=outside(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outside() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def test_the_wheel_holds_the_library_and_its_programs_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    folders = {name.partition("/")[0] for name in names}
    assert {name for name in folders if not name.endswith(".dist-info")} == {"jaxgames"}
    programs = {name.split("/")[2] for name in names if name.startswith("jaxgames/_programs/")}
    assert programs == {"agents", "configs", "train"}
    assert "jaxgames/_programs/agents/play/page/files/index.html" in names
    template = "jaxgames/_programs/agents/new/my-game"
    files = ("README.md", "pyproject.toml", "my_game/rules.py", "tests/test_my_game.py")
    assert {f"{template}/{file}" for file in files} <= set(names)
    for game in ("murus_gallicus", "onitama", "terra_mystica", "tribes"):
        assert f"jaxgames/{game}/rulebook.md" in names
    assert "jaxgames/tribes/rulebook_position.json" in names
    assert not (CHECKOUT / "jaxgames" / "_programs").exists()


def test_the_wheel_needs_four_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        metadata = archive.read(path).decode()
    needs = re.findall(r"^Requires-Dist: (\w+)(?![^\n]*extra ==)", metadata, re.MULTILINE)
    assert sorted(needs) == sorted(DEPENDENCIES)


def test_the_archive_of_sources_builds_the_same_wheel(wheel, tmp_path):
    again, sources = build(["build", "--outdir"], tmp_path)
    assert again.read_bytes() == wheel.read_bytes()
    with tarfile.open(sources) as archive:
        inside = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    folders = {"agents", "benchmarks", "configs", "examples", "jaxgames", "papers", "tests"}
    assert {*folders, "train", "CHANGELOG.md", "conftest.py"} <= inside


STRANGER = """
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


def test_a_stranger_searches_nim_and_plays_a_stored_network_of_onitama(core, tmp_path):
    shutil.copy(CHECKOUT / "tests" / "nim.py", tmp_path)
    (tmp_path / "program.py").write_text(STRANGER)
    env = jaxgames.make("onitama")
    config = networks.NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2)
    params = networks.make_network(env, config).init(jax.random.key(0))
    network = tmp_path / "onitama.npz"
    networks.save_network(network, params, networks.describe(env, "", config, iteration=0))
    out = run(core / "python", "program.py", network, *STRANGERS, folder=tmp_path)
    gumbel, puct, moved, strangers, origin = out.splitlines()
    # From heaps of 1 and 2 only one move wins: it leaves two heaps of 1.
    assert gumbel.split() == ["gumbel_search", *["7"] * 8]
    assert puct.split() == ["puct_search", *["7"] * 8]
    assert moved.startswith("moved ") and moved.endswith(" 1")
    assert strangers == "strangers"
    assert str(core.parent) in origin


DECIDE = """
import json, sys, jax, jaxgames
from jaxgames.players.stand_ins import stands_for

game, options, network = sys.argv[1:4]
env = jaxgames.make(game, **json.loads(options))
state = env.init(jax.random.key(0))
found = jaxgames.analyse(env, state, "best")
assert state.legal_action_mask[found.action]
print(network, "in", stands_for("best", env))
print("strangers", *sorted(set(sys.modules) & set(sys.argv[4:])))
"""


@pytest.mark.parametrize(
    "network",
    [pytest.param(name, marks=() if name == "onitama" else pytest.mark.slow) for name in NETWORKS],
)
def test_every_shipped_network_decides_with_four_packages(network, core, tmp_path):
    game, options = NETWORKS[network]
    code = ("-c", DECIDE, game, json.dumps(options), network, *STRANGERS)
    of_best, strangers = run(core / "python", *code, folder=tmp_path).splitlines()
    assert re.search(rf"network={network}(,|$)", of_best), of_best
    assert strangers == "strangers"


def test_all_shipped_networks_are_tried():
    assert set(NETWORKS) == {path.stem for path in (CHECKOUT / "jaxgames/pretrained").glob("*.npz")}


MINE = """
import dataclasses, jax, jaxgames
from jaxgames.search import Decision

@dataclasses.dataclass(frozen=True)
class Mine:
    rules: jaxgames.Rules
    def reset(self, batch_size):
        return ()
    def act(self, params, memory, state, key):
        legal = jax.vmap(self.rules.legal_actions)(state)
        action = jax.random.categorical(key, jax.numpy.log(legal))
        values = jax.numpy.zeros((len(action), self.rules.num_players))
        return Decision(action, legal / legal.sum(axis=1, keepdims=True), values), memory

env = jaxgames.make("onitama")
print(jaxgames.match(env, ["best", Mine(env.rules)], key=1, num_games=4))
"""


@pytest.mark.slow  # test_public_players.py has such an agent, and the test above `best`
def test_best_meets_an_agent_of_ten_lines(core, tmp_path):
    best, mine, games = run(core / "python", "-c", MINE, folder=tmp_path).splitlines()
    assert best.startswith("best  100.0 ± 0.0 %  4 won, 0 drawn, 0 lost")
    assert mine.startswith("Mine    0.0 ± 0.0 %") and games.startswith("4 games, ")


def test_the_command_names_itself_and_the_extra_that_mends_it(core, play, tmp_path):
    command = core / "jaxgames"
    assert f"jaxgames {jaxgames.__version__}: " in run(command, folder=tmp_path)
    assert run(core / "python", "-m", "jaxgames", folder=tmp_path) == run(command, folder=tmp_path)
    done = subprocess.run(
        [command, "play", "onitama"], cwd=tmp_path, env=outside(), capture_output=True, text=True
    )
    message = "jaxgames play needs the package tyro: pip install 'jaxgames[play]'\n"
    assert (done.returncode, done.stderr) == (2, message)
    assert run(play / "jaxgames", "play", "--help", folder=tmp_path).startswith(
        "usage: jaxgames play "
    )


def test_the_page_answers_a_request(play, tmp_path):
    process = subprocess.Popen(
        [play / "jaxgames", "play", "onitama", "--no-browser", "--port=0", "--folder=games"],
        cwd=tmp_path,
        env=outside(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        port = int(re.search(r"onitama is played at http://127.0.0.1:(\d+)", line)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("GET", "/")
        response = connection.getresponse()
        assert response.status == 200 and "jaxgames" in response.read().decode()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_played_game_is_analysed_from_its_file(play, tmp_path):
    command, games = play / "jaxgames", "games.jsonl"
    options = ["--games=2", "--agents", "random", "first_legal", "--output=results.json"]
    run(command, "arena", "onitama", *options, f"--save-games={games}", folder=tmp_path)
    replayed = run(command, "arena", "replay", games, "--show=2", folder=tmp_path).splitlines()
    assert replayed[-1].startswith("2 games of onitama")
    options = ["--agent=minimax:depth=1", "--last"]
    out = run(command, "analyse", games, *options, folder=tmp_path)
    # The position before the last move of the last game.
    assert replayed[-4].startswith(out.splitlines()[0]) and " to move, plays " in out


def test_games_of_other_packages_appear_and_a_broken_one_is_left_out(play, tmp_path):
    install(tmp_path)
    environ = outside() | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([play / "jaxgames"], env=environ, capture_output=True, text=True)
    assert "  nim             Nim: take stones\n" in done.stdout
    assert "the plugin broken of nim-games (broken_plugin) is left out: " in done.stderr


@pytest.mark.slow
def test_a_network_is_trained_for_an_iteration(wheel, tmp_path):
    train = environment(tmp_path / "train", wheel, "[train]", TRAIN)
    folder = tmp_path / "work"
    folder.mkdir()
    # A repository around the environment is none of the run's.
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    small = ["--selfplay.lanes=16", "--selfplay.plies=4", "--evaluation.games=16"]
    options = ["--iterations=1", "--run-dir=run", "--cpu-devices=1", *small]
    out = run(train / "jaxgames", "train", "onitama", *options, folder=folder)
    assert "\nmatch: jaxgames arena --game=onitama --agents " in out
    (session,) = json.loads((folder / "run" / "record.json").read_text())["sessions"]
    assert session["git"] == {"revision": None, "dirty": None}
    assert session["versions"]["jaxgames"] == jaxgames.__version__


def test_a_plugin_at_hand_is_found_in_the_current_folder(play, tmp_path):
    (tmp_path / "my_agents.py").write_text(
        "from jaxgames.players import registry\n"
        "registry.register('mine', 'jaxgames.players.basic:make_random')\n"
    )
    options = ("--agents", "mine", "first_legal", "--games=2", "--plugin=my_agents")
    assert "mine" in run(play / "jaxgames", "arena", "onitama", *options, folder=tmp_path)


def test_an_output_that_takes_nothing_ends_without_a_traceback(play, tmp_path):
    done = subprocess.run(
        f"{play / 'jaxgames'} > /dev/full", shell=True, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "No space left" in done.stderr
