"""How strong is my agent? A match with fair seats, and a score with its error.

    python -m examples.evaluate_an_agent --games=400

An agent decides for a whole batch of positions. The one below takes a master or the temple if it
can, and else plays at random. Put yours in its place: a network, a search, a rule of thumb.
"""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

import jaxgames
from jaxgames import sampling
from jaxgames.matches.statistics import Score
from jaxgames.search.agent import Decision, Memoryless


@dataclasses.dataclass(frozen=True)
class WinsIfItCan(Memoryless):
    """Plays an action that wins at once; any legal one if there is none."""

    rules: jaxgames.Rules

    def act(self, params: Any, memory: Any, state: Any, key: jax.Array) -> tuple[Decision, Any]:
        """Returns one action for each position of a batch."""
        del params
        legal = jax.vmap(self.rules.legal_actions)(state)
        wins = legal & jax.vmap(self.wins)(state)
        candidates = jnp.where(wins.any(axis=1, keepdims=True), wins, legal)
        words = sampling.random_words(key, len(legal))
        action = jax.vmap(jaxgames.sample_mask)(candidates, words)
        policy = candidates / candidates.sum(axis=1, keepdims=True)
        values = jnp.zeros((len(legal), self.rules.num_players))  # it has no opinion
        return Decision(action, policy, values), memory

    def wins(self, state: Any) -> jax.Array:
        """Returns for each action of one position whether it wins at once."""
        mover = self.rules.to_move(state)
        after = jax.vmap(self.rules.step, (None, 0))(state, jnp.arange(self.rules.num_actions))
        return jax.vmap(self.rules.returns)(after)[:, mover] == 1


def main(arguments: Sequence[str] | None = None) -> Score:
    """Plays a match, prints the score of the agent, and returns it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--opponent", default="random", help="for instance minimax:depth=2")
    options = parser.parse_args(arguments)

    env = jaxgames.make("onitama")
    players = [WinsIfItCan(env.rules), options.opponent]
    result = jaxgames.match(env, players, num_games=options.games)
    mine = result.scores[0]
    print(
        f"{mine.mean:.1%} ± {mine.standard_error:.1%} against {options.opponent}: "
        f"{mine.wins} won, {mine.draws} drawn, {mine.losses} lost; "
        f"{result.plies.mean():.0f} plies a game"
    )
    return mine


if __name__ == "__main__":
    main()
