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
# # Watch and review a game
#
# Two players meet, you watch their game, and a stronger player says what each move cost.

# %%
import shutil

extras = "pictures,train" + (",cuda" if shutil.which("nvidia-smi") else "")
# %pip install -q "jaxgames[$extras]"

# %%
import os

import jaxgames
from jaxgames import records
from jaxgames.analysis.review import Reviewer
from jaxgames.matches import recording
from jaxgames.records.replay import read_move

SIMULATIONS = 8 if "JAXGAMES_QUICK" in os.environ else 128  # the tests think less

# %% [markdown]
# ## A game
#
# `record=True` keeps the moves of a match. A record is text: it can be written to a file, read
# again and replayed.

# %%
env = jaxgames.make("onitama")
players = ("minimax:depth=2", "minimax:depth=1")
result = jaxgames.match(env, players, num_games=2, record=True, opening_plies=2, key=3)
game = recording.of_match(env, players, result, {})[0]
records.write("game.jsonl", game)
print(records.to_text(game))

# %%
positions = list(records.positions(env, game))
env.animate(positions)

# %% [markdown]
# ## Its review
#
# The judge is the trained network that comes along, with a search. Use `"best"` for the strongest
# player of any game.

# %%
judge = jaxgames.player(f"gumbel:network=onitama,simulations={SIMULATIONS}", env)
moves = [
    read_move(env, state, move.text) for state, move in zip(positions, game.moves, strict=False)
]
review = Reviewer(env, judge).review(positions, moves)
review

# %% [markdown]
# ## Its worst move
#
# The position before it, and what the judge thinks of that position:

# %%
worst = max(range(len(review.moves)), key=lambda number: review.moves[number].loss)
move = review.moves[worst]
print(f"move {worst + 1}: {move.move} in place of {move.best}, costs {move.loss:.0%} of a game")
env.render(positions[worst])

# %%
review.analyses[worst]

# %% [markdown]
# `jaxgames play onitama` shows the same in the browser, and `jaxgames analyse game.jsonl --output
# review.html` writes it as a file.
