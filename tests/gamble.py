"""A small game of chance: a safe gain, or a gamble after which chance decides who may do what.

The module is its notation as well.
"""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32

from jaxgames.internal import messages
from jaxgames.rules import Rules

SAFE, GAMBLE, LITTLE, MUCH, LESS = range(5)
ODDS = 4  # the gamble is won in `wins` of so many cases
START, RED, BLUE, LOST, PAID = range(5)
# In red or blue, with equal chance, the other seat chooses what a won gamble pays to seat 0.
CHOICES = {RED: (LITTLE, MUCH), BLUE: (MUCH, LESS)}
PAYS = {LITTLE: 0.8, MUCH: 1.0, LESS: 0.4}
NAMES = {SAFE: "safe", GAMBLE: "gamble", 2: "little", 3: "much", 4: "less"}
STAGES = ("start", "red", "blue", "lost", "paid")


class GambleState(struct.PyTreeNode):
    wins: Int8[Array, ""]  # what is known of the chance
    safe: Float[Array, ""]  # the safe gain
    stage: Int8[Array, ""]
    paid: Float[Array, ""]  # to seat 0
    is_broken: Bool[Array, ""]  # an illegal action was played: the return is no number


@dataclasses.dataclass(frozen=True)
class Gamble(Rules[GambleState]):
    """SAFE ends the game. GAMBLE loses everything at once, or lets seat 1 choose the gain."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 5
    max_legal_actions: ClassVar[int] = 2
    max_steps: ClassVar[int] = 2  # type: ignore[assignment]
    version: ClassVar[str] = "1"
    stochastic: ClassVar[bool] = True

    def init(self, key: Any) -> GambleState:
        return start(jnp.int8(2), jnp.float32(0.0))

    def to_move(self, state: GambleState) -> Int32[Array, ""]:
        return (state.stage != START).astype(jnp.int32)

    def legal_actions(self, state: GambleState) -> Bool[Array, "actions"]:
        masks = np.zeros((5, self.num_actions), bool)
        masks[START, [SAFE, GAMBLE]] = True
        for stage, actions in CHOICES.items():
            masks[stage, list(actions)] = True
        return jnp.asarray(masks)[state.stage]

    def step(self, state: GambleState, action: Any, key: Any) -> GambleState:
        win_key, colour_key = jax.random.split(key)
        has_won = jax.random.randint(win_key, (), 0, ODDS) < state.wins
        colour = jnp.where(jax.random.bernoulli(colour_key), RED, BLUE)
        pays = jnp.asarray([PAYS.get(a, 0.0) for a in range(self.num_actions)])[action]
        is_gamble = action == GAMBLE
        stage = jnp.where(is_gamble, jnp.where(has_won, colour, LOST), PAID)
        paid = jnp.where(is_gamble & ~has_won, -1.0, pays)
        return state.replace(
            stage=stage.astype(jnp.int8),
            paid=jnp.where(action == SAFE, state.safe, paid),
            is_broken=state.is_broken | ~self.legal_actions(state)[action],
        )

    def is_over(self, state: GambleState) -> Bool[Array, ""]:
        return (state.stage == LOST) | (state.stage == PAID)

    def returns(self, state: GambleState) -> Float[Array, "players"]:
        paid = jnp.where(state.is_broken, jnp.nan, state.paid)
        return jnp.where(self.is_over(state), jnp.stack([paid, -paid]), 0.0)

    def observe(self, state: GambleState, player: Any) -> Float[Array, "planes"]:
        return jnp.stack([state.stage == stage for stage in range(5)]).astype(jnp.float32)


def start(wins: Any, safe: Any) -> GambleState:
    """Returns games at their start; the arguments may have a batch axis."""
    zero = jnp.zeros_like(safe)
    return GambleState(
        wins=jnp.asarray(wins, jnp.int8),
        safe=jnp.asarray(safe, jnp.float32),
        stage=jnp.full_like(wins, START),
        paid=zero,
        is_broken=jnp.zeros_like(zero, dtype=bool),
    )


def worth_of_gamble(wins: Any) -> Any:
    """Returns the expected return of seat 0 after GAMBLE, if seat 1 plays well."""
    won = np.mean([min(PAYS[action] for action in actions) for actions in CHOICES.values()])
    return wins / ODDS * won - (1 - wins / ODDS)


def state_to_text(rules: Gamble, game: GambleState) -> str:
    return f"{int(game.wins)} {float(game.safe):g} {STAGES[int(game.stage)]} {float(game.paid):g}"


def text_to_state(rules: Gamble, text: str) -> GambleState:
    wins, safe, stage, paid = text.split()
    game = start(jnp.int8(int(wins)), jnp.float32(float(safe)))
    return game.replace(stage=jnp.int8(STAGES.index(stage)), paid=jnp.float32(float(paid)))


def action_to_text(rules: Gamble, game: GambleState, action: int) -> str:
    return messages.find_text(_moves(game), action)


def text_to_action(rules: Gamble, game: GambleState, text: str) -> int:
    return next(action for action, name in _moves(game).items() if name == text)


def _moves(game: GambleState) -> dict[int, str]:
    choices = {START: (SAFE, GAMBLE), **CHOICES}
    return {action: NAMES[action] for action in choices.get(int(game.stage), ())}
