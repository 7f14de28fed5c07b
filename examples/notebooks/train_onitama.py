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
# # Train Onitama in five minutes
#
# A network teaches itself a game by AlphaZero, its curve grows meanwhile, and then you see it play.
# Five minutes on two cores of a processor are enough to beat random play.

# %%
import shutil

extras = "pictures,train" + (",cuda" if shutil.which("nvidia-smi") else "")
# %pip install -q "jaxgames[$extras]"

# %%
import os
import subprocess
import sys

from jaxgames.pictures.learning_curve import LearningCurve

RUN = "runs/notebook"
OPTIONS = [
    "--max-minutes=5",
    "--evaluation.every=5",
    "--evaluation.opponents",
    "random",
    "minimax:depth=1",
]
if "JAXGAMES_QUICK" in os.environ:  # the tests train for a moment only
    OPTIONS = [
        "--iterations=1",
        "--selfplay.lanes=8",
        "--selfplay.plies=8",
        "--selfplay.simulations=2",
        "--replay.capacity=64",
        "--learner.batch-size=16",
        "--learner.updates=2",
        "--network.channels=8",
        "--network.blocks=1",
        "--evaluation.every=0",
    ]

# %% [markdown]
# ## Training
#
# The training is a process of its own, the same as the command `jaxgames train onitama`. With
# `--logger=curve` it keeps a picture up to date, which is shown here. Stop it whenever you like:
# the cell run again goes on where it stopped. More minutes continue a training that has ended.

# %%
command = [
    sys.executable,
    "-m",
    "jaxgames",
    "train",
    "onitama",
    f"--run-dir={RUN}",
    "--logger=curve",
]
curve = LearningCurve(RUN)
curve.follow(subprocess.Popen([*command, *OPTIONS]))

# %% [markdown]
# ## What it has learned
#
# The network is a file in the folder of the run. A search asks it for moves and values.

# %%
import jax

import jaxgames

env = jaxgames.make("onitama")
trained = jaxgames.player(f"gumbel:network={RUN}/network.npz,simulations=8", env)
jaxgames.match(env, [trained, "random"], num_games=20)

# %%
state = env.init(jax.random.key(0))
state

# %%
jaxgames.analyse(env, state, trained)

# %% [markdown]
# All settings, other games and what the folder of a run holds: pages *Training* and *Runs* of the
# documentation.
