# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # First steps
#
# A game, a thousand games at once, and what a player thinks of a position. The first cell installs
# the library, on a hosted notebook with a GPU as well.

# %%
import shutil

extras = "pictures,train" + (",cuda" if shutil.which("nvidia-smi") else "")
# %pip install -q "jaxgames[$extras]"

# %%
import jax

import jaxgames

print(jaxgames.available())

# %% [markdown]
# ## A position
#
# A notebook draws a state that is its last line. Boards of all games look like this; try
# `"murus_gallicus"`, `"tribes"` or `"terra_mystica"`.

# %%
env = jaxgames.make("onitama")
state = env.init(jax.random.key(0))
state

# %% [markdown]
# An action is a number, and each has a name in the notation of the game.

# %%
moves = env.legal_moves(state)
print(moves)
action, name = next(iter(moves.items()))
state = env.step(state, action)
print("played", name)
state

# %% [markdown]
# ## A thousand games
#
# `env.init` and `env.step` describe one game. `jax.vmap` makes them many, and `jax.jit` compiles
# them.


# %%
@jax.jit
def play(keys):
    """Plays 20 random plies of each game."""

    def ply(states, key):
        actions = jaxgames.random_actions(env, states, key)
        return jax.vmap(env.step)(states, actions), states

    states = jax.vmap(env.init)(keys)
    return jax.lax.scan(ply, states, jax.random.split(jax.random.key(1), 20))


last, course = play(jax.random.split(jax.random.key(2), 1024))
print(f"{int(last.terminated.sum())} of 1024 games ended within 20 plies")

# %% [markdown]
# `course` holds all positions of all games. The first game, as an animation:

# %%
first = jax.device_get(jax.tree.map(lambda array: array[:, 0], course))
positions = [jax.tree.map(lambda array, ply=ply: array[ply], first) for ply in range(20)]
env.animate(positions)

# %% [markdown]
# ## A match
#
# Players have names with settings. Scores come with their errors.

# %%
jaxgames.match(env, ["minimax:depth=1", "random"], num_games=20)

# %% [markdown]
# ## What a player thinks
#
# The best moves, how often the search visited them, what they are worth for the seat to move, and
# how the game would go on.

# %%
jaxgames.analyse(env, state, "gumbel:network=onitama,simulations=32")

# %% [markdown]
# Next: [train a network](train_onitama.ipynb), [search a model of your
# own](search_your_model.ipynb), or [watch and review a game](watch_and_review.ipynb).
