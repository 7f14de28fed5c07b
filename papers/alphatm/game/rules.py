"""The rules of AlphaTM: each of its 2,143 outputs is one step of the full game, or several.

A step makes the conversions that pay for the output, takes the actions of the full game that it
stands for, and then those of `default_policy.py` until an output is due again.
"""

import dataclasses
import functools
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.rules import Action, LegalMask, Rules, Seat, SeatValues
from jaxgames.terra_mystica.engine import legal, seats
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES
from papers.alphatm.game import default_policy, legality, outputs, payment, planes

FACTIONS = ("engineers,halflings", "halflings,engineers")
# A free hex has six other terrains and a dwelling; the 60 cover upgrades and outputs without a hex.
MAX_LEGAL_OUTPUTS = 7 * 77 + 60
MAX_STEPS = 1000  # far above the length of any game
# An output takes at most this many actions of the full game: for three favor tiles and keys, a
# bridge, spades, and power of two seats. Without a bound, the loop might never end after an illegal
# output.
MAX_ACTIONS = 16


class _Course(NamedTuple):
    """The loop state of a step: the full game, and the action to take in it next."""

    state: TerraMysticaState
    action: Int32[Array, ""]  # of the full game, to be taken next
    is_due: Bool[Array, ""]  # an output is due instead
    taken: Int32[Array, ""]  # actions so far


@dataclasses.dataclass(frozen=True)
class AlphaTM(Rules[TerraMysticaState]):
    """Engineers against Halflings in the paper's terms.

    Raises:
        ValueError: for other factions, or another number of planes of favor tiles.
    """

    factions: str = FACTIONS[0]
    """Who has the first seat: `"engineers,halflings"` or `"halflings,engineers"`."""
    favor_planes: int = planes.PAPER_FAVORS
    """Favor tiles of each seat that the observation shows: 10 as in the paper, or all 12."""
    scaled: bool = False
    """Whether numbers in the observation are divided by the divisors in `planes.NUMBERS`."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = outputs.NUM_OUTPUTS
    max_legal_actions: ClassVar[int] = MAX_LEGAL_OUTPUTS
    max_steps: ClassVar[int] = MAX_STEPS
    version: ClassVar[str] = "1"
    counts_points: ClassVar[bool] = True
    roles: ClassVar[tuple[str, ...]] = FACTION_NAMES

    def __post_init__(self) -> None:
        """Checks the options, so that a bad one fails in `make`."""
        if self.factions not in FACTIONS:
            raise ValueError(f"factions must be one of {', '.join(map(repr, FACTIONS))}, "
                             f"got {self.factions!r}")  # fmt: skip
        if self.favor_planes not in (planes.PAPER_FAVORS, planes.ALL_FAVORS):
            raise ValueError(
                f"favor_planes must be {planes.PAPER_FAVORS} or {planes.ALL_FAVORS}, "
                f"got {self.favor_planes}"
            )
        checks.switches(self, ("scaled",))

    @functools.cached_property
    def full(self) -> TerraMystica:
        """The full game that is played."""
        return TerraMystica(
            num_players=self.num_players, factions=self.factions, post_conversions=False
        )

    def init(self, key: PRNGKeyArray) -> TerraMysticaState:
        """Draws scoring tiles and bonus cards."""
        return self.full.init(key)

    def to_move(self, state: TerraMysticaState) -> Seat:
        """Returns the seat that must choose an output."""
        return self.full.to_move(state)

    def legal_actions(self, state: TerraMysticaState) -> LegalMask:
        """Returns the mask of outputs that are possible and can be paid."""
        return legality.legal_outputs(legal.view(_on_device(state), self.full.options))

    def step(
        self, state: TerraMysticaState, action: Action, key: PRNGKeyArray | None = None
    ) -> TerraMysticaState:
        """Carries out an output, and all decisions that outputs do not express."""
        del key
        options, state = self.full.options, _on_device(state)
        seen = legal.view(state, options)
        payer = payment.convert(seen.mover, payment.prices(seen)[action])
        paid = state.replace(players=seats.write_seat(state.players, seen.seat, payer))
        hex_number = jnp.asarray(outputs.LAND_OF)[action]
        wanted = jnp.where(outputs.builds(action), hex_number + 1, 0)

        def advance(course: _Course) -> _Course:
            after = self.full.step(course.state, course.action)
            following, is_due = default_policy.next_action(after, options, wanted)
            return _Course(after, following, is_due, course.taken + 1)

        def goes_on(course: _Course) -> Bool[Array, ""]:
            return ~course.is_due & (course.taken < MAX_ACTIONS)

        first = default_policy.first_action(seen, action)
        start = _Course(paid, first, jnp.bool_(False), jnp.int32(0))
        return jax.lax.while_loop(goes_on, advance, start).state

    def is_over(self, state: TerraMysticaState) -> Bool[Array, ""]:
        """The game ends with the sixth round."""
        return self.full.is_over(state)

    def returns(self, state: TerraMysticaState) -> SeatValues:
        """Returns +1 for the seat with more points and -1 for the other; 0 for equal points."""
        return self.full.returns(state)

    def score(self, state: TerraMysticaState) -> SeatValues:
        """Returns the victory points of each seat."""
        return self.full.score(state)

    def role(self, state: TerraMysticaState) -> Int32[Array, "players"]:
        """Returns the faction of each seat."""
        return self.full.role(state)

    def observe(self, state: TerraMysticaState, player: Seat) -> Float[Array, "9 26 planes"]:
        """Returns the planes of `planes.py`: 206 with ten favor planes, 210 with twelve."""
        return planes.planes(_on_device(state), player, self.favor_planes, self.scaled)


def _on_device(state: TerraMysticaState) -> TerraMysticaState:
    """Returns a position made of JAX arrays: one that was read from a text has NumPy values."""
    return jax.tree.map(jnp.asarray, state)
