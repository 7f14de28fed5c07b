"""Tribes: explore, expand, exploit and exterminate on a small square map.

Sources: the framework of Perez-Liebana et al. (AIIDE 2020) at its revision of May 2021, as the page
of the game describes it, oddities included. 2 to 4 tribes play. An action takes one step, or
two: first a tile, then a sub-action on the tile (`actions.py`). `candidate_moves.py` and
`legal_actions.py` find the legal actions, and `turn.py` says what happens between turns.
"""

import dataclasses
import functools
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from jaxgames.internal import checks, messages
from jaxgames.internal.argument_checks import check_key, check_seat
from jaxgames.rules import Action, LegalMask, Rules, Seat, SeatValues, TileActions, TileTargets
from jaxgames.tribes import observation
from jaxgames.tribes.engine import (
    actions,
    apply_action,
    chance,
    determinize,
    knowledge,
    legal_actions,
    setup,
)
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.explorer import MAX_DRAWS
from jaxgames.tribes.engine.grid import board_of
from jaxgames.tribes.levels import device_generation, level_files
from jaxgames.tribes.levels.level_files import Level
from jaxgames.tribes.observation import TribesObservation
from jaxgames.tribes.state import CITY_SLOTS, Stage, TribesState
from jaxgames.tribes.tables import parameters
from jaxgames.tribes.tables.parameters import TribesParameters
from jaxgames.tribes.tables.tribes import NUM_TRIBES, TRIBE_NAMES

MIN_PLAYERS, MAX_PLAYERS = 2, NUM_TRIBES
SIDES = {2: 11, 3: 14, 4: 16}  # of the board, by players
CAPITALS, SCORE = "capitals", "score"
REFERENCE, CORRECTED = "reference", "corrected"
RANDOM = "random"
DRAWS = 32  # random words that one action may use, explorers in fog aside
STEPS_PER_PLAYER = 10_000  # no game that was seen takes a fifth of it


def _one_of(name: str, value: Any, choices: Collection[int], expected: str) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value not in choices:
        raise ValueError(f"{name} must be {expected}, got {value!r}")


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=["parameters"],
    meta_fields=["num_players", "side", "mode", "fog", "rules", "tribes", "terrain_defence"],
)
@dataclasses.dataclass(frozen=True, eq=False)
class Tribes(Rules[TribesState]):
    """The rules of Tribes.

    Rules are a pytree whose only leaves are `parameters`. A compiled function that takes rules as
    an argument is not compiled again for other figures.

    Raises:
        ValueError: for an invalid value of an option.
    """

    num_players: int = 2
    """Number of tribes, 2 to 4."""
    side: int | None = None
    """Side of the board, 11, 14 or 16; None: as the number of tribes asks for."""
    mode: str = CAPITALS
    """`"capitals"`: the owner of all capitals wins; `"score"`: the tribe with most points."""
    fog: bool = False
    """Whether tiles must be discovered."""
    rules: str = REFERENCE
    """`"reference"`, or `"corrected"`: without the oddities of the reference."""
    tribes: str = RANDOM
    """`"random"`, or names such as `"xin_xi,imperius"`; the level decides who moves first."""
    terrain_defence: bool = True
    """Whether mountains, water and forests protect tribes with the technology for it. `False`: the
    framework of June 2020, in which cities alone protect, and protect all kinds of units."""
    parameters: Any = None
    """Prices, strengths and gains that differ: a mapping from names to values.

    A `TribesParameters` is not checked, so that it may be traced; `tables.parameters.changed`
    checks values and makes a `TribesParameters`.
    """

    perfect_information: ClassVar[bool] = False
    stochastic: ClassVar[bool] = True
    counts_points: ClassVar[bool] = True
    roles: ClassVar[tuple[str, ...]] = TRIBE_NAMES

    @property
    def version(self) -> str:  # type: ignore[override]  # of the game with these options
        """2 without `terrain_defence`, where cities did not protect all kinds before; else 1."""
        return "1" if self.terrain_defence else "2"

    def __post_init__(self) -> None:
        """Checks the options, so that a bad one fails in `make`."""
        _one_of("num_players", self.num_players, SIDES, f"{MIN_PLAYERS} to {MAX_PLAYERS}")
        if self.side is not None:
            _one_of("side", self.side, CITY_SLOTS, f"one of {', '.join(map(str, CITY_SLOTS))}")
        for name, choices in (("mode", (CAPITALS, SCORE)), ("rules", (REFERENCE, CORRECTED))):
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(messages.unknown(name, str(value), choices))
        checks.switches(self, ("fog", "terrain_defence"))
        self.tribe_ids  # noqa: B018 (a bad name fails here)
        if isinstance(self.parameters, Mapping):
            object.__setattr__(self, "parameters", parameters.changed(self.parameters))
        elif not isinstance(self.parameters, TribesParameters | None):
            raise ValueError(
                f"parameters must be a mapping from names to values, got {self.parameters!r}"
            )

    def __hash__(self) -> int:
        """Hashes by value; the parameters must not be traced."""
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        """Compares by value."""
        return isinstance(other, Tribes) and self._value == other._value

    def __repr__(self) -> str:
        """Names the options, and the parameters that differ from the defaults."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        values["parameters"] = parameters.changes(self._p) or None
        return f"Tribes({', '.join(f'{name}={value!r}' for name, value in values.items())})"

    @property
    def non_default_options(self) -> dict[str, Any]:
        """Returns the options that differ from their defaults; of `parameters`, what differs."""
        changes = parameters.changes(self._p)
        values = dataclasses.replace(self, parameters=None)
        return super(Tribes, values).non_default_options | (
            {"parameters": changes} if changes else {}
        )

    @property
    def canonical(self) -> "Tribes":
        """The rules with `side` only where it differs from what the number of tribes asks for."""
        is_usual = self.side == SIDES[self.num_players]
        return dataclasses.replace(self, side=None) if is_usual else self

    @property
    def _value(self) -> tuple[Any, ...]:
        options = tuple(
            getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name != "parameters"
        )
        return options, tuple(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(self._p))

    @property
    def _p(self) -> TribesParameters:
        return parameters.DEFAULTS if self.parameters is None else self.parameters

    @property
    def config(self) -> GameConfig:
        """The options as the parts of the rules take them."""
        return GameConfig(
            board=board_of(self.side or SIDES[self.num_players]),
            players=self.num_players,
            by_score=self.mode == SCORE,
            fog=self.fog,
            corrected_rules=self.rules == CORRECTED,
            terrain_defence=self.terrain_defence,
            p=self._p,
        )

    @functools.cached_property
    def tribe_ids(self) -> tuple[int, ...] | None:
        """Rows of the table of tribes, or None if they are drawn.

        Raises:
            ValueError: for a wrong number of names, an unknown name, or a repeated name.
        """
        if self.tribes == RANDOM:
            return None
        if not isinstance(self.tribes, str):
            raise ValueError(
                f"tribes must be a text, {RANDOM!r} or names such as 'xin_xi,imperius'; "
                f"got {self.tribes!r}"
            )
        names = [name.strip() for name in self.tribes.split(",")]
        for name in names:
            if name not in TRIBE_NAMES:
                choices = TRIBE_NAMES if len(names) > 1 else (*TRIBE_NAMES, RANDOM)
                raise ValueError(messages.unknown("tribe", name, choices))
        if len(names) != self.num_players or len(set(names)) != len(names):
            raise ValueError(
                f"tribes must be {self.num_players} different names, got {self.tribes!r}"
            )
        return tuple(TRIBE_NAMES.index(name) for name in names)

    @property
    def num_actions(self) -> int:
        """256 for boards of side 11 and 14, 288 for 16."""
        return actions.num_actions(self.config.board.tiles)

    @property
    def max_legal_actions(self) -> int:
        """No better bound is known for all boards."""
        return self.num_actions

    @property
    def max_steps(self) -> int:
        """Far above the length of any game; every game ends by its number of turns."""
        return STEPS_PER_PLAYER * self.num_players

    @property
    def num_draws(self) -> int:
        """Random words that `step_with_draws` takes."""
        return DRAWS + (MAX_DRAWS if self.fog else 0)

    def init(self, key: PRNGKeyArray) -> TribesState:
        """Makes a level at random, and draws the tribes if they are not given."""
        level_key, tribes_key, chance_key = jax.random.split(key, 3)
        if self.tribe_ids is None:
            tribe_ids = jax.random.permutation(tribes_key, NUM_TRIBES)[: self.num_players]
        else:
            tribe_ids = jnp.asarray(self.tribe_ids, jnp.int32)
        level = device_generation.generate(level_key, self.config.board.side, tribe_ids)
        return setup.begin(self.config, *level, chance.from_key(chance_key))

    def begin(self, level: Level, key: PRNGKeyArray | None = None) -> TribesState:
        """Returns the position before the first action on a given level.

        Args:
            level: where to play.
            key: decides what tribes learn from tribes that they see at the start; by default key 0.

        Raises:
            ValueError: if the level cannot be played or does not fit the options, or if `key` is
                not a key.
        """
        if key is not None:
            check_key(key, "begin")
        level_files.check_level(level)
        found = sorted(TRIBE_NAMES[tribe] for _, tribe in level.capitals)
        expected = sorted(TRIBE_NAMES[tribe] for tribe in self.tribe_ids or ()) or found
        side = self.config.board.side
        if (level.side, len(found), found) != (side, self.num_players, expected):
            raise ValueError(
                f"expected a level of side {side} with {self.num_players} tribes "
                f"({self.tribes}), got side {level.side} with {', '.join(found)}"
            )
        tiles, tribe_ids = zip(*level.capitals, strict=True)
        arrays = device_generation.GeneratedLevel(
            jnp.asarray(level.terrain),
            jnp.asarray(level.resource),
            jnp.asarray(tiles, jnp.int32),
            jnp.asarray(tribe_ids, jnp.int32),
        )
        return _begin(self, arrays, jax.random.key(0) if key is None else key)

    def to_move(self, state: TribesState) -> Seat:
        """Returns the tribe whose turn it is."""
        return state.active.astype(jnp.int32)

    def legal_actions(self, state: TribesState) -> LegalMask:
        """Returns the mask of legal actions of the current phase."""
        return legal_actions.legal_actions(self.config, state)

    def legal_pairs(self, state: TribesState) -> tuple[Bool[Array, "T 256"], Bool[Array, "27"]]:
        """Returns all legal pairs of tile and sub-action, and legal actions of the whole tribe."""
        return legal_actions.legal_pairs(self.config, state)

    def draws(self, key: PRNGKeyArray) -> UInt32[Array, "D"]:
        """Returns the random words that `step` reads with this key."""
        return chance.all_words(key, self.num_draws)

    def step(
        self, state: TribesState, action: Action, key: PRNGKeyArray | None = None
    ) -> TribesState:
        """Carries out one step, with chance from `key`."""
        if key is None:
            raise ValueError("tribes is stochastic: step needs a key")
        return _carry_out(self.config, state, action, chance.from_key(key))

    def step_with_draws(
        self, state: TribesState, action: Action, draws: UInt32[Array, "D"]
    ) -> TribesState:
        """Carries out one step, with chance from recorded words.

        Args:
            state: a position.
            action: a legal one.
            draws: the words; may be fewer than `num_draws` where it is known that fewer are read.

        Raises:
            ValueError: when traced with anything but a vector of `uint32`.
        """
        shape, dtype = np.shape(draws), getattr(draws, "dtype", type(draws).__name__)
        if len(shape) != 1 or not shape[0] or dtype != jnp.uint32:
            raise ValueError(
                f"draws must be uint32[1 to {self.num_draws}], got {dtype}{list(shape)}"
            )
        return _carry_out(self.config, state, action, chance.recorded(draws))

    def completes_action(self, state: TribesState, action: Action) -> Bool[Array, ""]:
        """A tile is the first half of an action; everything else completes one."""
        return (state.phase == Stage.SUB_ACTION) | (action >= self.config.board.tiles)

    def turns_played(self, state: TribesState) -> Int32[Array, ""]:
        """Returns the number of rounds; the turn of a large tribe has dozens of actions."""
        return state.tick.astype(jnp.int32)

    def is_over(self, state: TribesState) -> Bool[Array, ""]:
        """Returns whether the game has ended."""
        return state.over

    def returns(self, state: TribesState) -> SeatValues:
        """By rank: +1 for the first to -1 for the last."""
        last = self.num_players - 1
        return jnp.where(state.over, 1 - 2 * state.ranking.astype(jnp.float32) / last, 0.0)

    def score(self, state: TribesState) -> SeatValues:
        """Returns the points of each tribe."""
        return state.tribes.score.astype(jnp.float32)

    def role(self, state: TribesState) -> Int32[Array, "players"]:
        """Returns the row of the table of tribes of each seat."""
        return state.tribes.tribe_ids.astype(jnp.int32)

    def observe(self, state: TribesState, player: Seat) -> TribesObservation:
        """Returns the observation of a seat; `observation.py` gives its layout."""
        return observation.observe(self.config, state, player)

    def determinize(self, state: TribesState, player: Seat, key: PRNGKeyArray) -> TribesState:
        """Returns the game as a seat knows it; what it does not know is left out, not guessed.

        Raises:
            ValueError: for a seat that does not exist.
        """
        del key
        return knowledge.determinize(state, check_seat(player, self.num_players, "determinize"))

    def sample_belief(self, state: TribesState, player: Seat, key: PRNGKeyArray) -> TribesState:
        """Returns what a seat knows, with a draw of what the others may have learnt and own."""
        seat = check_seat(player, self.num_players, "sample_belief")
        return determinize.guess(state, seat, key)

    @property
    def tile_actions(self) -> TileActions:
        """A tile, then what to do there."""
        return TileActions(
            others=actions.NUM_GLOBAL,
            sub_actions=actions.NUM_SUB_ACTIONS,
            chosen_plane=observation.plane_slices(self.num_players)["selected"].start,
            has_chosen=observation.scalar_slices(self.num_players)["sub_action"].start,
            targets=(
                TileTargets(actions.FIRST_MOVE, _pairs(actions.MOVE_OFFSETS)),
                TileTargets(actions.FIRST_ATTACK, _pairs(actions.ATTACK_OFFSETS)),
            ),
        )


def _carry_out(
    config: GameConfig, state: TribesState, action: Action, luck: chance.Chance
) -> TribesState:
    """Carries out one step: chooses a tile, acts on the chosen tile or for the whole tribe."""
    state, chosen = apply_action.choose_action(config, state, action)
    state = apply_action.learn(config, state, chosen)
    state = apply_action.take_rewards(config, state, chosen, luck)
    state = apply_action.unit_goes(config, state, chosen, luck)
    state, luck_left = apply_action.take_place(config, state, chosen, luck)
    state = apply_action.unit_stays(config, state, chosen)
    state = apply_action.spawn(config, state, chosen)
    state = apply_action.change_tile(config, state, chosen)
    return apply_action.end_turn(config, state, chosen, luck_left)


def _pairs(offsets: np.ndarray) -> tuple[tuple[int, int], ...]:
    return tuple((int(rows), int(columns)) for rows, columns in offsets)


@jax.jit
def _begin(
    rules: Tribes, level: device_generation.GeneratedLevel, key: PRNGKeyArray
) -> TribesState:
    return setup.begin(rules.config, *level, chance.from_key(key))
