"""Terra Mystica: turn the land around you into your own, build on it, and grow four cults.

Sources: the rules of Terra Mystica (Drögemüller and Ostertag, 2012); where they leave a case open,
the practice of the online platform, as the page of the game says case by case. A game is played by
2 to 5 seats over six rounds. A turn is a series of small decisions (`actions.py`); `decisions.py`
says which one is due, `legal.py` which actions are legal, and `turns.py` what follows from an
action by itself.
"""

import dataclasses
import functools
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames.batching.trees import choose
from jaxgames.internal import checks
from jaxgames.rules import Action, CellActions, LegalMask, Rules, Seat, SeatValues
from jaxgames.terra_mystica import observation
from jaxgames.terra_mystica.engine import (
    actions,
    apply_action,
    build,
    decisions,
    decoded_action,
    leech,
    legal,
    priests,
    reachability,
    scoring,
    seats,
    setup,
    terraform,
    turns,
)
from jaxgames.terra_mystica.engine.actions import NUM_UPGRADES, STARTS, Kind
from jaxgames.terra_mystica.engine.decoded_action import ActionContext, DecodedAction
from jaxgames.terra_mystica.engine.seats import NUM_SOURCES, Number, PlayerRow
from jaxgames.terra_mystica.observation import TerraMysticaObservation
from jaxgames.terra_mystica.state import Options, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, find_faction
from jaxgames.terra_mystica.tables.terrain import LAND_CELLS, NUM_COLOURS, RIVER_CELLS
from jaxgames.terra_mystica.tables.tiles import NUM_ROUNDS

RANDOM, DRAFT = "random", "draft"
_SWITCHES = ("errata_cultists", "mini_towns", "bon10", "score9", "post_conversions", "auto_end")
CLOCKWISE, PASSING = "clockwise", "passing"
# Terraforming dominates: each of 77 hexes has at most six new colours, or five and a dwelling. The
# 60 cover 12 places for priests, 11 ways to pass, 19 upgrades, 13 other actions and conversions.
MAX_LEGAL_ACTIONS = 6 * 77 + 60
STEPS_PER_PLAYER = 1000  # no game seen takes half of it


@dataclasses.dataclass(frozen=True)
class TerraMystica(Rules[TerraMysticaState]):
    """The rules of Terra Mystica.

    Raises:
        ValueError: for a value that an option does not have, an unknown faction, or two of one
            colour.
    """

    num_players: int = 2
    """Number of seats, 2 to 5."""
    factions: str = RANDOM
    """`"random"`, `"draft"` (seats choose, in order), or those of the seats: `"witches,giants"`."""
    turn_order: str = CLOCKWISE
    """`"clockwise"` from the seat that passed first, or `"passing"`: as the seats passed."""
    errata_cultists: bool = True
    """Whether cultists gain a power when every opponent declines theirs."""
    mini_towns: bool = False
    """Whether the town tiles TW6 to TW8 are in play."""
    bon10: bool = False
    """Whether the bonus card BON10 may be in play."""
    score9: bool = False
    """Whether the scoring tile SCORE9 may be in play."""
    post_conversions: bool = True
    """Whether a seat may still convert after its action and ends its turn itself. Without it, turns
    are shorter by about half, and some plays are lost."""
    auto_end: bool = True
    """Whether a turn ends by itself if no conversion is possible any more. A turn of mermaids does
    not, since they may still found a town across the river."""

    version: ClassVar[str] = "1"
    counts_points: ClassVar[bool] = True
    roles: ClassVar[tuple[str, ...]] = FACTION_NAMES

    def __post_init__(self) -> None:
        """Checks the options, so that a bad one fails in `make`."""
        if type(self.num_players) is not int or self.num_players not in setup.PLAYERS:
            first, last = setup.PLAYERS[0], setup.PLAYERS[-1]
            raise ValueError(f"num_players must be {first} to {last}, got {self.num_players!r}")
        checks.switches(self, _SWITCHES)
        if not isinstance(self.factions, str):
            raise ValueError(
                f"factions must be {RANDOM!r}, {DRAFT!r} or names such as 'witches,giants', "
                f"got {self.factions!r}"
            )
        if self.turn_order not in (CLOCKWISE, PASSING):
            raise ValueError(
                f"turn_order must be {CLOCKWISE!r} or {PASSING!r}, got {self.turn_order!r}"
            )
        if self.fixed_factions is not None:
            setup.check_factions(self.fixed_factions, self.num_players)

    @functools.cached_property
    def fixed_factions(self) -> tuple[int, ...] | None:
        """Faction of each seat, or None if they are drawn or chosen."""
        if self.factions in (RANDOM, DRAFT):
            return None
        return tuple(find_faction(name.strip()) for name in self.factions.split(","))

    @functools.cached_property
    def options(self) -> Options:
        """The options as the engine reads them."""
        return Options(
            players=self.num_players,
            passing_order=self.turn_order == PASSING,
            cultists_errata=self.errata_cultists,
            mini_towns=self.mini_towns,
            post_conversions=self.post_conversions,
            auto_end=self.auto_end,
        )

    @property
    def num_actions(self) -> int:
        """1,077, whatever the options."""
        return actions.NUM_ACTIONS

    @property
    def max_legal_actions(self) -> int:
        """An upper bound; 237 is the most that has been seen in recorded games."""
        return MAX_LEGAL_ACTIONS

    @property
    def max_steps(self) -> int:
        """Far above the length of any game; every game ends by itself after six rounds."""
        return STEPS_PER_PLAYER * self.num_players

    def init(self, key: PRNGKeyArray) -> TerraMysticaState:
        """Draws scoring tiles, bonus cards and, if so set, factions."""
        scoring_key, card_key, faction_key = jax.random.split(key, 3)
        rows = None
        if self.fixed_factions is not None:
            rows = jnp.asarray(self.fixed_factions, jnp.int32)
        elif self.factions == RANDOM:
            rows = setup.draw_factions(faction_key, self.num_players)
        return setup.begin(
            self.num_players,
            rows,
            setup.draw_scoring(scoring_key, self.score9),
            setup.draw_cards(card_key, self.num_players, self.bon10),
        )

    def to_move(self, state: TerraMysticaState) -> Seat:
        """Returns the seat that must decide."""
        return decisions.to_move(state)

    def legal_actions(self, state: TerraMysticaState) -> LegalMask:
        """Returns the mask of legal actions."""
        return legal.legal_actions(state, self.options)

    def step(
        self, state: TerraMysticaState, action: Action, key: PRNGKeyArray | None = None
    ) -> TerraMysticaState:
        """Carries out one decision and goes on to the next."""
        del key
        return self.step_with_sources(state, action)[0]

    def step_with_sources(
        self, state: TerraMysticaState, action: Action
    ) -> tuple[TerraMysticaState, Int32[Array, "players sources"]]:
        """Returns the state after an action, and the points it brought by seat and `Source`."""
        seat = decisions.to_move(state)
        mover = seats.of_seat(state, seat)
        decoded = decoded_action.decode_action(action, decisions.due(state, self.options, mover))
        context = _carry_out(state, decoded, seat, mover, self.options)
        players = seats.write_seat(state.players, seat, context.mover)
        if self.factions == DRAFT:
            chosen = setup.with_faction(players, seat, decoded.argument)
            is_choice = decoded.kind == Kind.FACTION
            players = choose(is_choice, chosen, players)
        after = state.replace(
            board=context.board,
            players=players,
            supply=context.supply,
            pending=context.pending,
            leech=context.leech,
        )
        earned = jnp.zeros((self.num_players, NUM_SOURCES), jnp.int32)
        earned = earned.at[seat].set(jnp.stack(context.mover.earned))
        after, later = turns.proceed(after, decoded, self.options)
        return after, earned + later

    def is_over(self, state: TerraMysticaState) -> Bool[Array, ""]:
        """The game ends with the sixth round."""
        return state.phase == Phase.OVER

    def returns(self, state: TerraMysticaState) -> SeatValues:
        """Returns +1 for the first rank by points to -1 for the last; ties share the mean."""
        final = scoring.returns(state.players.vp.astype(jnp.int32))
        return jnp.where(self.is_over(state), final, 0.0)

    def score(self, state: TerraMysticaState) -> SeatValues:
        """Returns the victory points of each seat."""
        return state.players.vp.astype(jnp.float32)

    def observe(self, state: TerraMysticaState, player: Seat) -> TerraMysticaObservation:
        """Returns the observation of a seat, laid out as in `observation.py`."""
        return observation.observe(state, player, self.options)

    def role(self, state: TerraMysticaState) -> Int32[Array, "players"]:
        """Returns the faction of each seat; 14, which is no role, for a seat without a faction."""
        return state.players.faction.astype(jnp.int32)

    @property
    def cell_actions(self) -> tuple[CellActions, ...]:
        """The actions that name a hex: terraform, build, upgrade; skip a river hex (mermaids)."""
        land, river = tuple(LAND_CELLS.tolist()), tuple(RIVER_CELLS.tolist())
        return (
            CellActions(STARTS[Kind.TERRAFORM], land, NUM_COLOURS),
            CellActions(STARTS[Kind.BUILD], land),
            CellActions(STARTS[Kind.UPGRADE], land, NUM_UPGRADES),
            CellActions(STARTS[Kind.CONNECT], river),
        )

    def networks(self, state: TerraMysticaState) -> Int32[Array, "players"]:
        """Returns the size of the largest network of each seat."""
        return turns.networks_of(state)


def _carry_out(
    state: TerraMysticaState,
    action: DecodedAction,
    seat: Number,
    mover: PlayerRow,
    options: Options,
) -> ActionContext:
    """Carries out an action of the seat to move, without what follows from it by itself."""
    context = ActionContext(state.board, state.supply, state.pending, state.leech, mover)
    counts = reachability.count_structures(state.board, mover.board.colour)
    tile = state.supply.scoring[jnp.minimum(state.round, NUM_ROUNDS - 1)].astype(jnp.int32)
    context = apply_action.begin(context, action)
    context = apply_action.convert(context, action)
    context = terraform.terraform(context, action, tile, counts)
    context = build.place(context, action, state, seat, tile, counts)
    context = apply_action.advance(context, action)
    context = apply_action.take_action_spaces(context, action, tile, counts)
    context, steps, joined = apply_action.take_tiles(context, action, tile)
    context = priests.step_on_cults(context, action, state, seat, steps)
    context = build.bridge(context, action, seat)
    context = build.found_towns(context, action, state, seat, options, joined)
    context = apply_action.pass_round(context, action, state, seat, counts)
    context = leech.answer(context, action, state)
    return apply_action.give_up(context, action)
