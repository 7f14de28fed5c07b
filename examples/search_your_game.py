"""A game of your own in a few lines, and a search that plays it: tic-tac-toe by Gumbel MuZero.

    python -m examples.search_your_game

A search needs `Rules` and nothing else: no network, no training, no hand-made evaluation. Here it
judges positions by random games to the end, and plays 200 games at once against a random player.
"""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

import jaxgames
from jaxgames import search

LINES = np.array([448, 56, 7, 292, 146, 73, 273, 84])  # rows, columns, diagonals as sets of cells
CELLS = 1 << np.arange(9)


class Board(struct.PyTreeNode):
    """A position of one game."""

    own: jax.Array  # bit `c`: a stone of the seat to move on cell `c`
    other: jax.Array
    seat: jax.Array  # the seat to move


@dataclasses.dataclass(frozen=True)
class TicTacToe(jaxgames.Rules[Board]):
    """Three in a row wins. Action `c` puts a stone on cell `c`."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 9
    max_legal_actions: ClassVar[int] = 9
    max_steps: ClassVar[int] = 9
    version: ClassVar[str] = "1"

    def init(self, key: Any) -> Board:
        """Returns the empty board."""
        del key
        return Board(jnp.int32(0), jnp.int32(0), jnp.int32(0))

    def to_move(self, state: Board) -> jax.Array:
        """Returns the seat that must act."""
        return state.seat

    def legal_actions(self, state: Board) -> jax.Array:
        """Returns the mask of free cells."""
        return (state.own | state.other) & CELLS == 0

    def step(self, state: Board, action: jax.Array, key: Any = None) -> Board:
        """Puts a stone, and turns the board to the other seat."""
        del key
        return Board(state.other, state.own | jnp.asarray(CELLS)[action], 1 - state.seat)

    def has_line(self, state: Board) -> jax.Array:
        """Returns whether the last stone completed a line."""
        return (state.other & LINES == LINES).any()

    def is_over(self, state: Board) -> jax.Array:
        """Returns whether there is a line, or no free cell."""
        return self.has_line(state) | (state.own | state.other == 511)

    def returns(self, state: Board) -> jax.Array:
        """Returns 1 for the seat with a line and -1 for the other; zeros without a line."""
        sign = jnp.where(jnp.arange(2) == state.seat, -1.0, 1.0)
        return jnp.where(self.has_line(state), sign, 0.0)

    def observe(self, state: Board, player: jax.Array) -> jax.Array:
        """Returns the own and the other stones, as planes for a network."""
        boards = jnp.where(player == state.seat, jnp.array([0, 1]), jnp.array([1, 0]))
        stones = jnp.stack([state.own, state.other])[boards]
        return (stones & CELLS[:, None] != 0).reshape(3, 3, 2)


def main(arguments: Sequence[str] | None = None) -> jax.Array:
    """Plays, prints, and returns the shares of games that the search won, drew and lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=100)
    options = parser.parse_args(arguments)

    env = jaxgames.Env("tic_tac_toe", TicTacToe())
    agent = search.gumbel_search(
        env.rules,
        search.Rollout(env.rules, rollouts=16),  # random games from each position
        simulations=options.simulations,
        gumbel_scale=0.0,  # no exploration: the best action found
    )
    searchers = jnp.arange(options.games) % 2  # the seat of the search in each game

    def ply(state: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        search_key, random_key = jax.random.split(key)
        decision, _ = agent.act((), agent.reset(options.games), state.game, search_key)
        random = jaxgames.random_actions(env, state, random_key)
        action = jnp.where(state.current_player == searchers, decision.action, random)
        state = jax.vmap(env.step)(state, action)
        return state, state.rewards[jnp.arange(options.games), searchers]

    init_key, play_key = jax.random.split(jax.random.key(0))
    state = jax.vmap(env.init)(jax.random.split(init_key, options.games))
    keys = jax.random.split(play_key, env.max_steps)
    _, rewards = jax.jit(lambda state: jax.lax.scan(ply, state, keys))(state)
    outcome = rewards.sum(0)  # a finished game pays nothing more
    shares = jnp.stack([(outcome == sign).mean() for sign in (1, 0, -1)])
    print("won {:.1%}, drawn {:.1%}, lost {:.1%}".format(*shares.tolist()))
    return shares


if __name__ == "__main__":
    main()
