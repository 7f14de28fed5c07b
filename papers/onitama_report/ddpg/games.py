"""The environment of the learners: games in which the opponent's reply belongs to the turn.

Many games, the lanes, are played at once, equally many for each learner. In every lane a turn is
the learner's move and the opponent's reply. So the learner is to move at the start of a turn. A new
game that the opponent begins is the exception: its first turn is the opponent's move alone.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int16, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batching.trees import select_rows
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates
from papers.onitama_report.ddpg.actor import masked_policy
from papers.onitama_report.ddpg.opponents import Opponent

Policy = Callable[[GameStates], Float[Array, "B actions"]]
"""The policies of the learners before invalid actions are removed; a row for each of `Lanes`."""


class Lanes(struct.PyTreeNode):
    """The games in progress; `B` is learners x lanes, a learner's lanes side by side."""

    game: GameStates
    seat: Int8[Array, "B"]  # the learner's
    depth: Int8[Array, "B"]  # plies that the opponent of this game looks ahead
    plies: Int32[Array, "B"]  # played so far


class Transition(NamedTuple):
    """One turn in the memory of a learner."""

    game: GameStates  # before the learner's move
    action: Int16[Array, "B"]
    reward: Int8[Array, "B"]  # +1, -1 or 0; not zero only if the turn ended the game
    next_game: GameStates  # before its next move, or right after this one
    has_ended: Bool[Array, "B"]  # nothing comes after it


class Turn(NamedTuple):
    """The events of one turn in every lane; with a leading time axis after a scan."""

    transition: Transition
    has_acted: Bool[Array, "B"]  # the learner moved, so there is a transition
    num_legal: Int16[Array, "B"]  # legal actions of the learner
    is_valid: Bool[Array, "B"]  # its own first choice is one of them
    valid_mass: Float[Array, "B"]  # share of its policy that lies on them
    has_ended: Bool[Array, "B"]  # the game is over
    plies: Int32[Array, "B"]  # of the game so far
    depth: Int8[Array, "B"]  # of the opponent in this game


@dataclasses.dataclass(frozen=True)
class Games:
    """Plays the games of all learners.

    Random numbers come from one key for each learner, so its games do not depend on the others.
    """

    rules: Rules[Any]
    opponent: Opponent
    lanes: int  # of each learner
    ends_after_move: bool = False
    """Whether transitions end right after the learner's move: the report's pitfall."""

    def start(self, depths: Int8[Array, "learners"], keys: PRNGKeyArray) -> Lanes:
        """Returns new games in all lanes; the learner's seat, and so who begins, is random."""
        deal_keys, seat_keys = _split(keys)
        lane_keys = jax.vmap(lambda key: jax.random.split(key, self.lanes))(deal_keys).reshape(-1)
        seats = self._words(seat_keys) % 2
        return Lanes(
            game=jax.vmap(self.rules.init)(lane_keys),
            seat=seats.astype(jnp.int8),
            depth=jnp.repeat(depths, self.lanes),
            plies=jnp.zeros(seats.shape, jnp.int32),
        )

    def restart(
        self,
        lanes: Lanes,
        has_ended: Bool[Array, "B"],
        depths: Int8[Array, "learners"],
        keys: PRNGKeyArray,
    ) -> Lanes:
        """Returns the lanes with new games, against opponents of these depths, where one ended."""
        return select_rows(has_ended, self.start(depths, keys), lanes)

    def play(self, lanes: Lanes, policy: Policy, keys: PRNGKeyArray) -> tuple[Lanes, Turn]:
        """Plays one turn of every game; a game that has ended keeps its last position.

        The learner's move is drawn from its policy without the invalid actions.
        """
        act_keys, reply_keys = _split(keys)
        to_move = jax.vmap(self.rules.to_move)
        step = jax.vmap(lambda game, action: self.rules.step(game, action, None))
        is_over = jax.vmap(self.rules.is_over)

        has_acted = to_move(lanes.game) == lanes.seat
        mask = jax.vmap(self.rules.legal_actions)(lanes.game)
        wish = policy(lanes.game)
        action = draw(masked_policy(wish, mask), mask, self._words(act_keys))
        moved = select_rows(has_acted, step(lanes.game, action), lanes.game)

        reply = self.opponent(moved, lanes.depth, self._words(reply_keys))
        has_replied = ~is_over(moved) & (to_move(moved) != lanes.seat)
        after = select_rows(has_replied, step(moved, reply), moved)
        has_ended = is_over(after)
        returns = jax.vmap(self.rules.returns)(after)
        reward = jnp.take_along_axis(returns, lanes.seat.astype(jnp.int32)[:, None], axis=1)[:, 0]
        transition = Transition(
            game=lanes.game,
            action=action.astype(jnp.int16),
            reward=reward.astype(jnp.int8),
            next_game=moved if self.ends_after_move else after,
            has_ended=has_ended,
        )
        lanes = lanes.replace(game=after, plies=lanes.plies + has_acted + has_replied)
        return lanes, Turn(
            transition=transition,
            has_acted=has_acted,
            num_legal=mask.sum(axis=1, dtype=jnp.int16),
            is_valid=jnp.take_along_axis(mask, wish.argmax(axis=1)[:, None], axis=1)[:, 0],
            valid_mass=jnp.where(mask, wish, 0.0).sum(axis=1),
            has_ended=has_ended,
            plies=lanes.plies,
            depth=lanes.depth,
        )

    def _words(self, keys: PRNGKeyArray) -> UInt32[Array, "B"]:
        """Returns one random word for each lane."""
        return jax.vmap(lambda key: sampling.random_words(key, self.lanes))(keys).reshape(-1)


def draw(
    policy: Float[Array, "B actions"], mask: Bool[Array, "B actions"], words: UInt32[Array, "B"]
) -> Int32[Array, "B"]:
    """Returns an action of `mask` drawn from each policy, at the price of one random word a game.

    A categorical draw takes a random number for each action, which cost half the time of a turn.
    """
    upto = jnp.where(mask, jnp.cumsum(policy, axis=1), 0.0)
    # 23 random bits: the product is always below the total, however it is rounded.
    share = (words >> 9).astype(jnp.float32) * 2.0**-23
    return (upto > (share * upto.max(axis=1))[:, None]).argmax(axis=1).astype(jnp.int32)


def _split(keys: PRNGKeyArray) -> tuple[PRNGKeyArray, PRNGKeyArray]:
    """Returns two keys for each learner."""
    both = jax.vmap(jax.random.split)(keys)
    return both[:, 0], both[:, 1]
