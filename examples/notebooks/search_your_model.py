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
# # Search your own model
#
# The tree search of this library is for any JAX program. Here it searches two models that are no
# games of ours: a maze for one, written for the interface of mctx, and a game for two seats, each
# of which wants its own reward.

# %%
import shutil

extras = "pictures,train" + (",cuda" if shutil.which("nvidia-smi") else "")
# %pip install -q "jaxgames[$extras]"

# %%
import jax
import jax.numpy as jnp
import numpy as np

import jaxgames.search.mctx as mctx  # was: import mctx

# %% [markdown]
# ## A maze, by the interface of mctx
#
# A program for mctx changes one line, the import. The model says what follows an action: reward,
# discount, prior and value of the next cell. The value is a guess that sees no walls: the discount
# for each step to the goal `G`.

# %%
MAZE = np.array([list(row) for row in ("..#..", ".##.#", "..#..", "#...#", "..#.G")])
MOVES = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])
ARROWS = "→↓←↑"
DISCOUNT = 0.95
GOAL = np.argwhere(MAZE == "G")[0]
IS_FREE = jnp.asarray(MAZE != "#")


def guess(cell):
    """Returns the value of cells if there were no walls."""
    steps = jnp.abs(cell - GOAL).sum(axis=-1)
    return jnp.where(steps > 0, DISCOUNT ** (steps - 1.0), 0.0)


def maze(params, key, action, cell):
    """Returns what follows the actions of a batch; a wall stops, and the goal ends the walk."""
    target = cell + jnp.asarray(MOVES)[action]
    is_inside = ((target >= 0) & (target < len(MAZE))).all(axis=-1)
    row, column = jnp.clip(target, 0, len(MAZE) - 1).T
    target = jnp.where((is_inside & IS_FREE[row, column])[:, None], target, cell)
    arrives = (target == GOAL).all(axis=-1) & (cell != GOAL).any(axis=-1)
    output = mctx.RecurrentFnOutput(
        reward=arrives.astype(jnp.float32),
        discount=jnp.where(arrives, 0.0, DISCOUNT),
        prior_logits=jnp.zeros((len(cell), len(MOVES))),
        value=guess(target),
    )
    return output, target


@jax.jit
def decide(cells, key):
    """Searches from a batch of cells."""
    root = mctx.RootFnOutput(jnp.zeros((len(cells), len(MOVES))), guess(cells), cells)
    return mctx.gumbel_muzero_policy((), key, root, maze, num_simulations=128, gumbel_scale=0.0)


cells = np.argwhere(MAZE == ".")
output = decide(jnp.asarray(cells), jax.random.key(0))
shown = MAZE.copy()
shown[tuple(cells.T)] = [ARROWS[action] for action in output.action]
print("\n".join(" ".join(row) for row in shown))

# %% [markdown]
# Whoever follows the arrows reaches the goal from everywhere:

# %%
walkers, steps = jnp.asarray(cells), 0
while (walkers != GOAL).any():
    walking = (walkers != GOAL).any(axis=-1, keepdims=True)
    actions = decide(walkers, jax.random.key(0)).action
    walkers = jnp.where(walking, maze((), None, actions, walkers)[1], walkers)
    steps += 1
    assert steps < MAZE.size, "somebody walks in circles"
print(f"all {len(cells)} walkers arrive within {steps} steps")

# %% [markdown]
# ## Two seats, by `ModelSearch`
#
# Whoever takes the last stone wins; a move takes one, two or three. The model predicts the seat to
# move and a reward for each seat. It knows nothing of good moves. Theory does: leave a multiple of
# four.

# %%
from jaxgames.search import Gumbel, ModelSearch, Prediction
from jaxgames.search.tree.arrays import OVER

TAKES = jnp.array([1, 2, 3])


def predict(stones, seat, reward=None):
    """Returns the prior over legal moves, and no opinion on who wins."""
    logits = jnp.where(stones[:, None] >= TAKES, 0.0, -jnp.inf)
    values = jnp.zeros((len(stones), 2))
    return Prediction(logits, values, jnp.where(stones > 0, seat, OVER), reward, None)


def last_stone(params, key, action, embedding):
    """Returns what follows the moves of a batch."""
    stones, seat = embedding
    stones = jnp.maximum(stones - TAKES[action], 0)
    outcome = 2.0 * jax.nn.one_hot(seat, 2) - 1.0  # the seat that takes the last stone wins
    reward = jnp.where((stones == 0)[:, None], outcome, 0.0)
    return predict(stones, 1 - seat, reward), (stones, 1 - seat)


stones = jnp.arange(1, 13)
seat = jnp.zeros_like(stones)
agent = ModelSearch(last_stone, Gumbel(max_considered=3, gumbel_scale=0.0), simulations=256)
legal = stones[:, None] >= TAKES
found = jax.jit(agent.act)(
    (), predict(stones, seat, jnp.zeros((len(stones), 2))), (stones, seat), legal, jax.random.key(1)
)

columns = (stones.tolist(), found.action.tolist(), found.policy.max(axis=-1).tolist())
for count, action, probability in zip(*columns, strict=True):
    theory = f"take {count % 4}" if count % 4 else "lost"
    print(f"{count:2} stones: take {action + 1} ({probability:.0%}); theory: {theory}")

# %% [markdown]
# A learned model goes in the same place: its parameters are the first argument, and its embedding
# any pytree.
