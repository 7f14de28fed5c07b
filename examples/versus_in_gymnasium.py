"""A loop for Gymnasium: 1,024 games against a search, all in one compiled step.

    python -m examples.versus_in_gymnasium --steps=200

`versus` plays the other seat inside of the step, so the loop sees a game for one player. The policy
below is uniform over the legal actions; put yours in its place.
"""

import argparse
import time
from collections.abc import Sequence

import gymnasium
import numpy as np

import jaxgames
import jaxgames.wrappers.gymnasium  # registers the games
from jaxgames import search


def main(arguments: Sequence[str] | None = None) -> float:
    """Plays, prints the mean reward of the games that ended, and returns it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=2, help="of the opponent; 0: random")
    options = parser.parse_args(arguments)

    rules, opponent = jaxgames.make("onitama").rules, None
    if options.simulations:
        opponent = search.gumbel_search(
            rules, search.Rollout(rules), simulations=options.simulations
        )
    envs = gymnasium.make_vec("jaxgames/onitama-v0", num_envs=options.games, opponent=opponent)
    generator = np.random.default_rng(0)
    observations, infos = envs.reset(seed=0)
    print("observations", observations.shape, observations.dtype)
    started, total, ended = time.monotonic(), 0.0, 0
    for _ in range(options.steps):
        masks = infos["action_mask"]
        actions = (generator.random(masks.shape) * masks).argmax(axis=1)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        total += rewards.sum()
        ended += (terminated | truncated).sum()
    seconds = time.monotonic() - started
    print(f"{options.steps * options.games / seconds:,.0f} steps/s, compilation included")
    print(f"{ended} games ended, mean reward {total / max(ended, 1):+.2f}")
    return total / max(ended, 1)


if __name__ == "__main__":
    main()
