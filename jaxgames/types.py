"""Array aliases shared by all games. A *seat* is a player index, an *action* a move id."""

from typing import TypeVar

from jaxtyping import Array, Bool, Float, Int32, UInt32

Seat = Int32[Array, ""]
Action = Int32[Array, ""]
LegalMask = Bool[Array, "actions"]
SeatValues = Float[Array, "players"]
RandomWord = UInt32[Array, ""]

GameStateT = TypeVar("GameStateT")
