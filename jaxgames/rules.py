"""`Rules`: what a game implements. Everything else in the library is written against this class.

A `Rules` object is a frozen dataclass of Python scalars, so that it can be a static argument of
`jax.jit`. Its methods are pure functions of **one** game (no batch axis); callers `jax.vmap` them.
"""

import abc
import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batching import lookups
from jaxgames.boards import bits
from jaxgames.internal import jax_modes
from jaxgames.internal.argument_checks import check_seat
from jaxgames.sampling import RandomWord

# A seat is the index of a player, an action the number of a move.
Seat = Int32[Array, ""]
Action = Int32[Array, ""]
LegalMask = Bool[Array, "actions"]
SeatValues = Float[Array, "players"]

GameStateT = TypeVar("GameStateT")


class Symmetry(NamedTuple):
    """A relabelling of the game under which its value does not change. Seats keep their numbers."""

    map_state: Callable[[Any], Any]
    """Maps a game state to its image."""
    map_action: Callable[[Any], Int32[Array, "actions"]]
    """Maps a game state to the new number of each of its actions."""


class CellActions(NamedTuple):
    """Consecutive actions that belong to cells of the board, all kinds of one cell after another.

    The action of kind `k` on `cells[i]` is `start + kinds * i + k`.
    """

    start: int
    cells: tuple[int, ...]
    """Cell of the board: `row * columns + column`."""
    kinds: int = 1


class TileTargets(NamedTuple):
    """Consecutive sub-actions that name a second tile, by its offset from the chosen one."""

    start: int
    """Number of the first of these sub-actions."""
    offsets: tuple[tuple[int, int], ...]
    """Rows and columns from the chosen tile to the tile that each sub-action names."""


class TileActions(NamedTuple):
    """Actions of two steps on a square board: a tile first, then what to do there.

    In the first step, action `t` chooses tile `row * columns + column`; the actions after all tiles
    belong to the whole game. In the second step, actions are numbered without the tile. The
    observation is a grid of planes and a vector.
    """

    others: int
    """Number of actions of the first step that choose no tile."""
    sub_actions: int
    """Number of actions of the second step."""
    chosen_plane: int
    """Plane of the observation with a one on the chosen tile."""
    has_chosen: int
    """Number of the observation that is one in the second step."""
    targets: tuple[TileTargets, ...] = ()
    """Sub-actions that name a second tile, such as moves, in the order of their numbers."""


@jax_modes.standard_methods
@lookups.selected_methods
class Rules(abc.ABC, Generic[GameStateT]):
    """The rules of one game, for one unbatched game.

    The game state is the game's own small pytree: only what the rules need, nothing derivable, no
    observation, no mask, no key. A search keeps one copy of it in each node.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Traces the public methods of a game as those of all games: see `lookups`, `jax_modes`."""
        super().__init_subclass__(**options)
        jax_modes.standard_methods(lookups.selected_methods(cls))

    version: ClassVar[str]
    """Rises when behaviour, action numbers or the observation change."""
    perfect_information: ClassVar[bool] = True
    stochastic: ClassVar[bool] = False
    """Whether `step` draws random numbers (set-up chance does not count)."""
    actions_on_squares: ClassVar[bool] = True
    """Whether most actions belong to a square of the board, where `observe` shows one."""
    actions_by_plane: ClassVar[bool] = False
    """How actions on the squares of a board are numbered: `plane * squares + square` if true, else
    `square * planes + plane`. The policy head of a network follows it."""

    counts_points: ClassVar[bool] = False
    """Whether the game has points, which `score` returns."""
    roles: ClassVar[tuple[str, ...]] = ()
    """Names of the roles that a seat may have, if seats differ: factions, for instance."""

    # A game may define the next five as class variables, or as fields if options decide.
    @property
    @abc.abstractmethod
    def num_players(self) -> int:
        """Number of seats."""

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """Size of the action space."""

    @property
    @abc.abstractmethod
    def max_legal_actions(self) -> int:
        """Upper bound on the number of legal actions in any state; at most `num_actions`."""

    @property
    @abc.abstractmethod
    def max_steps(self) -> int:
        """Cap above every limit that belongs to the rules; `Env` truncates there."""

    @property
    def seats_alternate(self) -> bool:
        """Whether each seat moves one ply in turn, in the order of their numbers, to the end.

        Loops over the plies of the other seats then have a fixed length.
        """
        return False

    @abc.abstractmethod
    def init(self, key: PRNGKeyArray) -> GameStateT:
        """Returns a starting position; all chance of the set-up comes from `key`."""

    @abc.abstractmethod
    def to_move(self, state: GameStateT) -> Seat:
        """Returns the seat that must decide now."""

    @abc.abstractmethod
    def legal_actions(self, state: GameStateT) -> LegalMask:
        """Returns the mask of legal actions; it has a true entry until the game is over."""

    @abc.abstractmethod
    def step(self, state: GameStateT, action: Action, key: PRNGKeyArray | None) -> GameStateT:
        """Returns the state after a legal action; undefined for others.

        `key` is read by stochastic games only.
        """

    @abc.abstractmethod
    def is_over(self, state: GameStateT) -> Bool[Array, ""]:
        """Returns whether the game has ended."""

    @abc.abstractmethod
    def returns(self, state: GameStateT) -> SeatValues:
        """Returns the outcome in [-1, 1] for each seat once the game is over, zeros before."""

    @abc.abstractmethod
    def observe(self, state: GameStateT, player: Seat) -> Any:
        """Returns the observation of `player`: what it may know, from its point of view.

        Its parts are float32 or bool arrays, or `PackedPlanes` (`boards/packed_planes.py`), whose
        planes of yes and no are bits. None of the arrays is empty.
        """

    def score(self, state: GameStateT) -> SeatValues:
        """Returns the game points of each seat; zeros for games without points."""
        del state
        return jnp.zeros((self.num_players,), jnp.float32)

    def role(self, state: GameStateT) -> Int32[Array, "players"]:
        """Returns the index into `roles` of each seat's role; zeros for games without roles."""
        del state
        return jnp.zeros((self.num_players,), jnp.int32)

    def packed_legal_actions(self, state: GameStateT) -> UInt32[Array, "words"]:
        """Returns the mask of legal actions as words: action `a` is bit `a % 32` of word `a // 32`.

        A game whose legal actions are bitboards may override this with a faster equivalent.
        """
        return bits.pack(self.legal_actions(state))

    def sample_action(self, state: GameStateT, word: RandomWord) -> Action:
        """Returns a uniformly random legal action from one random 32-bit word.

        A game whose legal actions are packed in bits may override this with a faster equivalent.
        """
        return sampling.sample_mask(self.legal_actions(state), word)

    def determinize(self, state: GameStateT, player: Seat, key: PRNGKeyArray) -> GameStateT:
        """Returns a full state consistent with what `player` knows; the state if nothing hides.

        Raises:
            ValueError: for a seat that does not exist.
        """
        check_seat(player, self.num_players, "determinize")
        del key
        return state

    def sample_belief(self, state: GameStateT, player: Seat, key: PRNGKeyArray) -> GameStateT:
        """Returns a state drawn from the belief of `player`: a likely one that explains its view.

        `determinize` may leave hidden things empty; this fills them in, so that a search can judge
        the position as the other seats see it. The default is `determinize`.
        """
        return self.determinize(state, player, key)

    def completes_action(self, state: GameStateT, action: Action) -> Bool[Array, ""]:
        """Returns whether this ply completes a game action (budgets count those)."""
        del state, action
        return jnp.bool_(True)

    def turns_played(self, state: GameStateT) -> Int32[Array, ""]:
        """Returns the progress of a game whose turns differ in length; else 0, plies measure it.

        Matches use it to keep games in step.
        """
        del state
        return jnp.int32(0)

    @property
    def non_default_options(self) -> dict[str, Any]:
        """Returns the options that differ from their defaults, fit for `make` and for JSON."""
        options = {}
        for field in dataclasses.fields(cast(Any, self)):
            value = getattr(self, field.name)
            if field.init and value != field.default:
                options[field.name] = list(value) if isinstance(value, tuple) else value
        return options

    @property
    def canonical(self) -> "Rules[GameStateT]":
        """Returns the rules with the one way of writing options that give the same game.

        Whatever depends on how a game is played compares these. A game whose options each change
        something has only one way: the rules themselves.
        """
        return self

    @property
    def cell_actions(self) -> tuple[CellActions, ...]:
        """Returns the actions on the cells of a hexagonal board, in the order of their numbers."""
        return ()

    @property
    def tile_actions(self) -> TileActions | None:
        """Returns the numbering of actions of two steps; None for games without them."""
        return None

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Returns the symmetries of the game besides the identity."""
        return ()
