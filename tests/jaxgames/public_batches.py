"""A case for every public function of a batch: a function of the size of the batch.

The list of names comes from the packages and from the page of the API: each has a case here, or a
reason why it has none.
"""

import functools
import re
import types

import jax
import jax.numpy as jnp

import jaxgames
import jaxgames.search.mctx as mctx
from jaxgames import networks, search
from jaxgames.env import Env
from jaxgames.networks.config import NetworkConfig
from jaxgames.players import registry
from jaxgames.players.basic import FirstLegal
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.tree.model_search import Prediction
from jaxgames.wrappers import auto_reset, reset_pool, versus
from tests.jaxgames.search.mctx import random_models
from tests.locations import CHECKOUT
from tests.turn_nim import TurnNim

ACTIONS = 4
PACKAGES = (jaxgames, search, networks, mctx)

ENV = Env("turn_nim", TurnNim())
RULES = ENV.rules
ONITAMA = jaxgames.make("onitama")


def keys(size):
    return jax.random.split(jax.random.key(0), size)


@functools.cache
def init_of(rules):
    """Returns the start of a game, which is traced once for all sizes."""
    return jax.jit(rules.init)


def games(size, rules=RULES):
    return jax.vmap(init_of(rules))(keys(size))


def states(size, env=ENV):
    return jax.vmap(env.init)(keys(size))


def act(agent, rules=RULES, params=()):
    """Returns a function of a size: the decisions of an agent, and its memory."""

    def of_size(size):
        memory = agent.reset(size)
        return agent.act(params, memory, games(size, rules), jax.random.key(1))

    return of_size


def evaluate(evaluator, rules=RULES, params=()):
    return lambda size: evaluator(params, games(size, rules), jax.random.key(1))


def of_model(size):
    def model(params, key, action, embedding):
        return prediction(len(embedding)), embedding

    agent = search.ModelSearch(model, search.Gumbel(), simulations=4)
    embedding, legal = jnp.zeros((size, 3)), jnp.ones((size, ACTIONS), bool)
    return agent.act((), prediction(size), embedding, legal, jax.random.key(0))


def prediction(size):
    logits, value = jnp.zeros((size, ACTIONS)), jnp.zeros((size, 1))
    none = jnp.zeros((size,))
    return Prediction(
        logits=logits, value=value, seat=none.astype(jnp.int32), reward=None, discount=None
    )


class Knowing:
    """A learned model that expects nothing, and that the other seat moves next."""

    def represent(self, params, obs):
        return obs

    def predict(self, params, features):
        size = len(features)
        return Evaluation(jnp.zeros((size, RULES.num_actions)), jnp.zeros((size, 2)))

    def step(self, params, features, action):
        seat_logits = jnp.broadcast_to(jnp.array([0.0, 1.0]), (len(features), 2))
        return types.SimpleNamespace(features=features, seat_logits=seat_logits)


def of_mctx(function, number_of_models=1):
    """Returns a function of a size: the result of a policy, and what its tree says of the root."""

    def of_size(size):
        root, invalid = random_models.roots(mctx, 0, size, ACTIONS, jnp.float32)
        models = [random_models.model(mctx, ACTIONS, jnp.float32)]
        if number_of_models == 2:
            models = random_models.chance_models(mctx, ACTIONS, 3, jnp.float32)
        found = function((), jax.random.key(0), root, *models, 4, invalid)
        return found, found.search_tree.summary()

    return of_size


def mctx_search(size):
    root, invalid = random_models.roots(mctx, 0, size, ACTIONS, jnp.float32)
    tree = mctx.search(
        (),
        jax.random.key(0),
        root=root,
        recurrent_fn=random_models.model(mctx, ACTIONS, jnp.float32),
        root_action_selection_fn=functools.partial(mctx.muzero_action_selection, depth=0),
        interior_action_selection_fn=mctx.muzero_action_selection,
        num_simulations=4,
        invalid_actions=invalid,
    )
    return tree, tree.qvalues(jnp.zeros((size,), jnp.int32))


def depth_first(size):
    agent = registry.player("negamax:depth=2", ONITAMA).agent
    found = agent.search.search((), games(size, ONITAMA.rules), jax.random.key(0))
    return found._replace(table=None)  # one for all games


def with_memory_of_a_search(size):
    agent = search.TreeSearch(RULES, UNIFORM, search.Gumbel(), simulations=4, reuse=True)
    _, memory = agent.act((), agent.reset(size), games(size), jax.random.key(0))
    return agent.act((), memory, games(size), jax.random.key(1)), agent.reset(size)


def of_network(size):
    network = networks.make_network(ONITAMA, NetworkConfig(channels=4, blocks=1))
    params = jax.eval_shape(network.init, jax.random.key(0))
    params = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), params)
    evaluator = search.NetworkEvaluator(ONITAMA.rules, network)
    observations = states(size, ONITAMA).observation
    return network.apply(params, observations), evaluate(evaluator, ONITAMA.rules, params)(size)


def batched(function, *arguments):
    """Returns a function of a size: `jax.vmap` of a function whose arguments depend on the size."""
    return lambda size: jax.vmap(function)(*(argument(size) for argument in arguments))


def words(size):
    return jnp.zeros((size,), jnp.uint32)


def ones(number, dtype):
    return lambda size: jnp.ones((size, number), dtype)


def stepped(env, size):
    before = jax.vmap(env.init)(keys(size))
    return jax.vmap(env.step)(before, jnp.zeros((size,), jnp.int32), keys(size))


def against(*opponent):
    """Returns a function of a size: steps of a game for one player."""

    def of_size(size):
        env = versus.versus(ENV, *opponent)
        before = jax.vmap(env.init)(keys(size))
        return jax.vmap(env.step_auto_reset)(before, jnp.zeros((size,), jnp.int32), keys(size))

    return of_size


def from_a_pool(size):
    pool = reset_pool.make_reset_pool(RULES.init, jax.random.key(0), 3)
    return pool.draw_window(jnp.uint32(1), size), jax.vmap(pool.draw)(words(size))


UNIFORM = search.Uniform(RULES)
GUMBEL = search.gumbel_search(RULES, UNIFORM, simulations=4)
SCORES = RULES.returns

CASES = {
    "jaxgames.Env": functools.partial(stepped, ENV),
    "jaxgames.PackedPlanes": lambda size: states(size, ONITAMA).observation.astype(jnp.float32),
    "jaxgames.Rules": games,
    "jaxgames.random_actions": lambda size: jaxgames.random_actions(
        ENV, states(size), jax.random.key(0)
    ),
    "jaxgames.sample_logits": batched(
        jaxgames.sample_logits, ones(5, jnp.float32), ones(5, bool), words
    ),
    "jaxgames.sample_mask": batched(jaxgames.sample_mask, ones(5, bool), words),
    "jaxgames.sample_packed": batched(jaxgames.sample_packed, ones(1, jnp.uint32), words),
    "jaxgames.sample_weights": batched(jaxgames.sample_weights, ones(5, jnp.float32), words),
    "jaxgames.networks.Network": of_network,
    "jaxgames.search.DepthFirst": depth_first,
    "jaxgames.search.Gumbel": with_memory_of_a_search,
    "jaxgames.search.Heuristic": evaluate(search.Heuristic(RULES, SCORES, temperature=1.0)),
    "jaxgames.search.LearnedSearch": act(
        search.LearnedSearch(RULES, Knowing(), search.Gumbel(), simulations=4)
    ),
    "jaxgames.search.Minimax": act(search.Minimax(RULES, SCORES)),
    "jaxgames.search.ModelSearch": of_model,
    "jaxgames.search.NetworkEvaluator": of_network,
    "jaxgames.search.Puct": act(search.TreeSearch(RULES, UNIFORM, search.Puct(), simulations=4)),
    "jaxgames.search.Rollout": evaluate(search.Rollout(RULES, rollouts=2)),
    "jaxgames.search.TreeSearch": act(
        search.TreeSearch(RULES, UNIFORM, search.Puct(), simulations=4, max_active=1)
    ),
    "jaxgames.search.Uct": act(search.TreeSearch(RULES, UNIFORM, search.Uct(), simulations=4)),
    "jaxgames.search.Uniform": evaluate(UNIFORM),
    "jaxgames.search.gumbel_search": act(GUMBEL),
    "jaxgames.search.puct_search": act(search.puct_search(RULES, UNIFORM, simulations=4)),
    "jaxgames.search.mctx.gumbel_muzero_policy": of_mctx(mctx.gumbel_muzero_policy),
    "jaxgames.search.mctx.muzero_policy": of_mctx(mctx.muzero_policy),
    "jaxgames.search.mctx.search": mctx_search,
    "jaxgames.search.mctx.stochastic_muzero_policy": of_mctx(mctx.stochastic_muzero_policy, 2),
    "jaxgames.wrappers.auto_reset.AutoReset": functools.partial(
        stepped, auto_reset.auto_reset(ENV)
    ),
    "jaxgames.wrappers.reset_pool.ResetPool": from_a_pool,
    "jaxgames.wrappers.versus.AgentOpponent": against(versus.AgentOpponent(FirstLegal(RULES))),
    "jaxgames.wrappers.versus.Versus": against(),
}
OF_GAMES = {
    "tribes": ("do_nothing", "rule_based"),
    "murus_gallicus": ("ms1", "ms2", "ms3"),
}
"""Players that play one game only."""
SETTINGS = {
    **dict.fromkeys(("gumbel", "puct"), ":evaluator=uniform,simulations=4"),
    "level": ":number=1",
}
FILES = "needs the file of a network; what it does with a batch, "
NOT_HERE = {
    "afterstate": FILES + "`greedy` does too",
    "book": "needs the file of a book, and asks another player",
    "ddpg": FILES + "`Memoryless` does",
    "external": "asks another program, one position after the other",
    "human": "decides at the terminal, one game after the other",
    "network": FILES + "`Memoryless` does",
}


def of_player(name):
    """Returns a function of a size: the decisions of a player of the table, and its memory."""

    def of_size(size):
        game = next((game for game, names in OF_GAMES.items() if name in names), "onitama")
        env = jaxgames.make(game)
        player = registry.player(name + SETTINGS.get(name, ""), env)
        return act(player.agent, env.rules, player.params)(size)

    return of_size


PLAYERS = {name: of_player(name) for name in registry.available() if name not in NOT_HERE}

WITHOUT_BATCH = {
    "a type of results, or an interface": (
        "jaxgames.Analysis jaxgames.MatchResult jaxgames.Player jaxgames.State jaxgames.Symmetry "
        "jaxgames.search.Agent jaxgames.search.Decision jaxgames.search.Evaluation "
        "jaxgames.search.Evaluator jaxgames.search.Prediction jaxgames.networks.Tower "
        "jaxgames.wrappers.auto_reset.Transition jaxgames.wrappers.versus.VersusState "
        "jaxgames.wrappers.versus.VersusTransition "
        "jaxgames.search.mctx.ChanceRecurrentFnOutput "
        "jaxgames.search.mctx.DecisionRecurrentFnOutput "
        "jaxgames.search.mctx.GumbelMuZeroExtraData jaxgames.search.mctx.LoopFn "
        "jaxgames.search.mctx.InteriorActionSelectionFn jaxgames.search.mctx.PolicyOutput "
        "jaxgames.search.mctx.RecurrentFn jaxgames.search.mctx.RecurrentFnOutput "
        "jaxgames.search.mctx.RecurrentState jaxgames.search.mctx.RootActionSelectionFn "
        "jaxgames.search.mctx.RootFnOutput jaxgames.search.mctx.Tree"
    ),
    "of one node; the policies call it for all": (
        "jaxgames.search.mctx.gumbel_muzero_interior_action_selection "
        "jaxgames.search.mctx.gumbel_muzero_root_action_selection "
        "jaxgames.search.mctx.muzero_action_selection jaxgames.search.mctx.qtransform_by_min_max "
        "jaxgames.search.mctx.qtransform_by_parent_and_siblings "
        "jaxgames.search.mctx.qtransform_completed_by_mix_value"
    ),
    "of texts, names, files and settings": (
        "jaxgames.__version__ jaxgames.available jaxgames.make jaxgames.player jaxgames.pretrained "
        "jaxgames.register jaxgames.summaries jaxgames.networks.NetworkConfig "
        "jaxgames.networks.available_pretrained jaxgames.networks.describe "
        "jaxgames.networks.load_evaluator jaxgames.networks.load_network "
        "jaxgames.networks.make_network jaxgames.networks.pretrained "
        "jaxgames.networks.pretrained_file jaxgames.networks.register_tower "
        "jaxgames.networks.save_network jaxgames.wrappers.auto_reset.auto_reset "
        "jaxgames.wrappers.versus.make jaxgames.wrappers.versus.versus"
    ),
    "of one position, or of a number of games that is at least 1": (
        "jaxgames.analyse jaxgames.match jaxgames.wrappers.reset_pool.make_reset_pool"
    ),
}
OTHER_LIBRARIES = re.compile(
    r"jaxgames\.wrappers\.(gymnax|stoix|gymnasium|pettingzoo|jaxmarl|open_spiel|pgx)\."
)
"""Wrappers for one game, which `jax.vmap` batches as `Versus`, or for games on the host."""


def public_names():
    """Returns the public names of the packages that have arrays, and of the wrappers."""
    names = {f"{package.__name__}.{name}" for package in PACKAGES for name in package.__all__}
    page = (CHECKOUT / "docs" / "api.md").read_text("utf-8")
    wrappers = re.findall(r"^::: (jaxgames\.wrappers\.\S+)", page, re.MULTILINE)
    return names | {name for name in wrappers if not OTHER_LIBRARIES.match(name)}
