"""Tries games and searches on arrays that are split over four devices; prints what happens."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import jaxgames
from jaxgames import search
from jaxgames.wrappers.auto_reset import auto_reset
from tests.turn_nim import TurnNim

GAMES = 8


def report(name, run):
    try:
        jax.block_until_ready(run())
        print(name, "ok")
    except Exception as error:
        print(name, type(error).__name__, error)


def run(kind):
    mesh = jax.make_mesh((4,), ("games",), axis_types=(kind,))
    split = NamedSharding(mesh, PartitionSpec("games"))

    def on_devices(tree):
        return jax.device_put(tree, split)

    keys = jax.random.split(jax.random.key(0), GAMES)
    nim = TurnNim()
    gumbel = search.gumbel_search(nim, search.Uniform(nim), simulations=4)
    roots = jax.jit(jax.vmap(nim.init))(keys)
    report("search", lambda: jax.jit(gumbel.act)((), (), on_devices(roots), jax.random.key(0)))
    for game in ("onitama", "murus_gallicus"):
        env = jaxgames.make(game)
        state = jax.jit(jax.vmap(env.init))(keys)
        actions = jnp.zeros(GAMES, jnp.int32)
        given = on_devices((state, actions, keys))
        report("init", lambda env=env: jax.jit(jax.vmap(env.init))(on_devices(keys)))
        report("step", lambda env=env, given=given: jax.jit(jax.vmap(env.step))(*given))
        resetting = auto_reset(env)
        report("auto_reset", lambda r=resetting, given=given: jax.jit(jax.vmap(r.step))(*given))
        report("eager", lambda env=env, given=given: jax.vmap(env.step)(*given))


if __name__ == "__main__":
    for kind in (AxisType.Auto, AxisType.Explicit):
        print("==", kind.name)
        run(kind)
