"""A small game of hidden information: seat 0 may bet on a coin that only seat 1 sees."""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32

from jaxgames.rules import Rules
from jaxgames.search.agent import Decision

PASS, BET_HEADS, BET_TAILS, BLUNDER, SHOW_HEADS, SHOW_TAILS = range(6)
PASSED = 0.3  # what seat 0 gets without a bet; a bet wins or loses 1
BLUNDERED = -0.9
ODDS = 8  # heads come up in `heads` of so many cases
HEADS, TAILS = 1, 0
NO_BET = -1


class CoinState(struct.PyTreeNode):
    heads: Int8[Array, ""]  # what is known of the coin
    coin: Int8[Array, ""]  # hidden from seat 0
    bet: Int8[Array, ""]  # HEADS, TAILS or NO_BET
    paid: Float[Array, ""]  # to seat 0
    is_over: Bool[Array, ""]
    is_broken: Bool[Array, ""]  # an illegal action was played: the return is no number


@dataclasses.dataclass(frozen=True)
class HiddenCoin(Rules[CoinState]):
    """Seat 0 passes or bets; after a bet, seat 1 has to show the coin as it is.

    BLUNDER is legal with heads only: what seat 0 may do can depend on what it does not see.
    """

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 6
    max_legal_actions: ClassVar[int] = 4
    max_steps: ClassVar[int] = 2  # type: ignore[assignment]
    version: ClassVar[str] = "1"
    perfect_information: ClassVar[bool] = False

    def init(self, key: Any) -> CoinState:
        return self.determinize(start(jnp.int8(ODDS // 2), jnp.int8(HEADS)), jnp.int32(0), key)

    def to_move(self, state: CoinState) -> Int32[Array, ""]:
        return (state.bet != NO_BET).astype(jnp.int32)

    def legal_actions(self, state: CoinState) -> Bool[Array, "actions"]:
        is_heads, has_bet = state.coin == HEADS, state.bet != NO_BET
        first = jnp.stack([True, True, True, is_heads, False, False])
        second = jnp.stack([False, False, False, False, is_heads, ~is_heads])
        return jnp.where(has_bet, second, first)

    def step(self, state: CoinState, action: Any, key: Any = None) -> CoinState:
        shows = action >= SHOW_HEADS
        has_won = (action == SHOW_HEADS) == (state.bet == HEADS)
        gains = jnp.array([PASSED, 0.0, 0.0, BLUNDERED, 0.0, 0.0])[action]
        bets = jnp.array([NO_BET, HEADS, TAILS, NO_BET, NO_BET, NO_BET])[action]
        return state.replace(
            bet=jnp.where(shows, state.bet, bets).astype(jnp.int8),
            paid=jnp.where(shows, jnp.where(has_won, 1.0, -1.0), gains),
            is_over=shows | (action == PASS) | (action == BLUNDER),
            is_broken=state.is_broken | ~self.legal_actions(state)[action],
        )

    def is_over(self, state: CoinState) -> Bool[Array, ""]:
        return state.is_over

    def returns(self, state: CoinState) -> Float[Array, "players"]:
        paid = jnp.where(state.is_broken, jnp.nan, state.paid)
        return jnp.where(state.is_over, jnp.stack([paid, -paid]), 0.0)

    def observe(self, state: CoinState, player: Any) -> Float[Array, "planes"]:
        seen = jnp.where(player == 1, state.coin, NO_BET)
        return jnp.stack([state.heads, state.bet, seen]).astype(jnp.float32)

    def determinize(self, state: CoinState, player: Any, key: Any) -> CoinState:
        coin = (jax.random.randint(key, (), 0, ODDS) < state.heads).astype(jnp.int8)
        return state.replace(coin=jnp.where(player == 0, coin, state.coin))


@dataclasses.dataclass(frozen=True)
class Counter:
    """Always plays one action, and counts its decisions."""

    chosen: int

    def reset(self, batch_size: int) -> Int32[Array, "B"]:
        return jnp.zeros((batch_size,), jnp.int32)

    def act(self, params: Any, memory: Any, state: CoinState, key: Any) -> tuple[Decision, Any]:
        action = jnp.full(state.coin.shape, self.chosen, jnp.int32)
        policy = jax.nn.one_hot(action, HiddenCoin.num_actions)
        return Decision(action, policy, jnp.zeros((len(action), 2))), memory + 1


@dataclasses.dataclass(frozen=True)
class OpenCoin(HiddenCoin):
    """The same, but searches are told that nothing is hidden, so they cheat."""

    perfect_information: ClassVar[bool] = True


def start(heads: Any, coin: Any) -> CoinState:
    """Returns games at their start; the arguments may have a batch axis."""
    zero = jnp.zeros(jnp.shape(heads), jnp.float32)
    return CoinState(
        heads=jnp.asarray(heads, jnp.int8),
        coin=jnp.asarray(coin, jnp.int8),
        bet=jnp.full_like(zero, NO_BET, dtype=jnp.int8),
        paid=zero,
        is_over=zero > 0,
        is_broken=zero > 0,
    )


def worth(heads: Any) -> dict[int, Any]:
    """Returns the expected return of seat 0 for what it may do, without seeing the coin."""
    share = heads / ODDS
    return {PASS: PASSED + 0 * share, BET_HEADS: 2 * share - 1, BET_TAILS: 1 - 2 * share}
