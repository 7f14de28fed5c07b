"""The planners in the games themselves: they play legally and within their budgets."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.batching.trees import select_rows
from jaxgames.players import registry
from jaxgames.testing import playouts
from jaxgames.tribes.tables import parameters

LANES, BUDGET = 4, 40
SPECS = {
    "osla": f"osla:budget={BUDGET}",
    "mc": f"mc:budget={BUDGET},depth=8",
    "planning_mcts": f"planning_mcts:budget={BUDGET},depth=8",
    "rhea": f"rhea:budget={BUDGET},depth=8",
    "oep": f"oep:budget={BUDGET},depth=4,population=4,elites=1",
}
GAMES = ["onitama", "murus_gallicus", "terra_mystica", "tribes"]
IN_FOG, OF_FOUR = "num_players=3,side=11,fog=true", "num_players=4,mode=score"
QUICK = {("onitama", "mc")}
COMBINATIONS = [
    pytest.param(game, "", name, marks=() if (game, name) in QUICK else pytest.mark.slow)
    for game in GAMES
    for name in SPECS
]
MORE_TRIBES = [
    pytest.param("tribes", options, name, marks=pytest.mark.slow)
    for options, names in ((IN_FOG, SPECS), (OF_FOUR, ["mc"]))
    for name in names
]


@pytest.mark.parametrize(("game", "options", "name"), COMBINATIONS + MORE_TRIBES)
def test_planners_play_legally_within_their_budgets(game, options, name):
    env = registry.make_env(game, options)
    rules, agent = env.rules, registry.make(SPECS[name], env).agent
    keys = jax.random.split(jax.random.key(0))
    states = playouts.at(playouts.play(rules, num_games=LANES).states, 12)

    @jax.jit
    def play(states, key):
        def ply(carry, key):
            states, memory = carry
            act_key, chance_key = jax.random.split(key)
            legal = jax.vmap(rules.legal_actions)(states)
            decision, memory = agent.act((), memory, states, act_key)
            is_legal = jnp.take_along_axis(legal, decision.action[:, None], axis=1)[:, 0]
            is_over = jax.vmap(rules.is_over)(states)
            chance_keys = jax.random.split(chance_key, LANES)
            moved = jax.vmap(rules.step)(states, decision.action, chance_keys)
            states = select_rows(is_over, states, moved)
            return (states, memory), (is_legal | is_over, decision.values)

        return jax.lax.scan(ply, (states, agent.reset(LANES)), jax.random.split(key, 4))

    (after, _), (is_fine, values) = play(states, keys[0])
    assert is_fine.all()
    assert not jax.tree.all(
        jax.tree.map(lambda x, y: np.array_equal(x, y), jax.device_get(states), after)
    )
    # In Tribes, what positions are worth to a planner is no estimate of returns.
    assert np.isfinite(values).all() and (game != "tribes" or not values.any())

    memory = agent.reset(LANES)
    needs_plan = ~jax.vmap(rules.is_over)(states)
    plan = jax.jit(agent.search)((), memory.kept, states, needs_plan, keys[1])
    if name != "planning_mcts":  # of a tree, the positions are counted
        assert (plan.calls <= BUDGET).all() and plan.calls.any()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planning_mcts", "mc"])
def test_parameters_of_tribes_may_be_traced(name):
    """So that one program of a planner serves all tables."""

    def plan(table, key):
        env = jaxgames.make("tribes", parameters=table)
        agent = registry.make(SPECS[name], env).agent
        states = jax.vmap(env.rules.init)(jax.random.split(key, LANES))
        return agent.act((), agent.reset(LANES), states, key)[0].action

    found = jax.eval_shape(plan, parameters.DEFAULTS, jax.random.key(0))
    assert (found.shape, found.dtype) == ((LANES,), jnp.int32)
