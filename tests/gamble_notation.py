"""Positions and moves of `tests.gamble` as text."""

import jax.numpy as jnp

from jaxgames.internal import messages
from tests.gamble import CHOICES, GAMBLE, SAFE, START, Gamble, GambleState, start

NAMES = {SAFE: "safe", GAMBLE: "gamble", 2: "little", 3: "much", 4: "less"}
STAGES = ("start", "red", "blue", "lost", "paid")


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
