"""A game between two searches as a picture that moves: an SVG file for any browser.

    python -m examples.animate_a_game --output=game.svg

A position is drawn by `env.render`, a whole game by `env.animate`. Both need
the extra `render`: `pip install 'jaxgames[render]'`.
"""

import argparse
import pathlib
import textwrap
from collections.abc import Sequence
from typing import Any

import jax

import jaxgames
from jaxgames import search


def main(arguments: Sequence[str] | None = None) -> list[Any]:
    """Plays a game, writes its animation, and returns the states."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--plies", type=int, default=60, help="most plies that are played")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("game.svg"))
    options = parser.parse_args(arguments)

    env = jaxgames.make("onitama")
    agent = search.gumbel_search(
        env.rules, search.Rollout(env.rules), simulations=options.simulations
    )
    act = jax.jit(agent.act)
    states = [env.init(jax.random.key(0))]
    moves = []
    for key in jax.random.split(jax.random.key(1), options.plies):
        games = jax.tree.map(lambda array: array[None], states[-1].game)  # a batch of one
        action = int(act((), agent.reset(1), games, key)[0].action[0])
        moves.append(env.action_to_text(states[-1], action))
        states.append(env.step(states[-1], action))
        if states[-1].terminated:
            break
    print(textwrap.fill(" ".join(moves), width=96))
    env.animate(states).save(options.output)
    print(f"{len(moves)} plies in {options.output}")
    return states


if __name__ == "__main__":
    main()
