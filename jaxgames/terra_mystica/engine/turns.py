"""What follows from an action by itself: end of a turn, power for opponents, next seat, rounds.

`proceed` runs the steps in the order in which they can follow each other. Each step happens only if
its condition holds. So one call goes from a decision to the next one.
"""

import functools

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.batching.arrays import set_row
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.terra_mystica.engine import (
    bonuses,
    decisions,
    income,
    leech,
    legal,
    reachability,
    scoring,
    seats,
    spades,
)
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.decoded_action import DecodedAction
from jaxgames.terra_mystica.engine.seats import NUM_SOURCES, Number, PlayerRow, Source
from jaxgames.terra_mystica.state import Options, Pending, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.terrain import ROWS
from jaxgames.terra_mystica.tables.tiles import NUM_CARDS, NUM_ROUNDS

Earned = Int32[Array, "P sources"]
Condition = Bool[Array, ""]


def nothing_pending(actions: int) -> Pending:
    """Returns a turn with `actions` full actions to take and no open choice."""
    zero, no = jnp.uint8(0), jnp.bool_(False)
    return Pending(
        actions=jnp.uint8(actions),
        spades=zero,
        source=zero,
        is_elsewhere=no,
        has_terraformed=no,
        tunnelled=zero,
        buildable=jnp.zeros((ROWS,), jnp.uint16),
        favors=zero,
        towns=zero,
        cult_steps=zero,
        bridges=zero,
        priests=zero,
        special=zero,
        refused=zero,
    )


def proceed(
    state: TerraMysticaState, action: DecodedAction, options: Options
) -> tuple[TerraMysticaState, Earned]:
    """Goes on to the next decision after an action has been carried out.

    Args:
        state: the game with the effect of the action.
        action: the decoded action.
        options: the rules that the game follows.

    Returns:
        The game at its next decision, and the points earned on the way by seat and source.
    """
    state, begins = _set_up(state)
    begins, ends = bits.computed_once((begins, _turn_ends(state, action, options)))
    state = choose(ends, _offer_power(state), state)
    state, moves_on = _react(state, action, options)
    state, is_over = _next_seat(state, moves_on, options)
    is_between = is_over | begins | (state.phase == Phase.CULT_SPADES)
    is_last = is_over & (state.round == NUM_ROUNDS - 1)
    nobody = jnp.zeros((options.players, NUM_SOURCES), jnp.int32)
    # One decision in thirty ends a round, and one in two hundred the game.
    networks = where_needed(is_last, networks_of, nobody[:, 0], state, share=1 / 64)
    go_on = functools.partial(_between_rounds, options=options)
    between = state, is_over, begins, is_last, networks
    return where_needed(is_between, go_on, (state, nobody), *between)


def _between_rounds(
    state: TerraMysticaState,
    is_over: Condition,
    begins: Condition,
    is_last: Condition,
    networks: Int32[Array, "P"],
    options: Options,
) -> tuple[TerraMysticaState, Earned]:
    """Goes from the end of a round, or of the set-up, towards the first action of the next one.

    The last round ends the game; `networks` are the sizes of the largest ones then.
    """
    final = _finish(state, networks)
    state, bonus = _end_round(state, is_over, options)
    spades_used = _spades_are_used(state)
    state = choose(state.phase == Phase.CULT_SPADES, _next_with_spades(state), state)
    return choose(is_last, final, (_begin_round(state, begins, spades_used), bonus))


def _set_up(state: TerraMysticaState) -> tuple[TerraMysticaState, Condition]:
    """Counts the choices before the first round; returns whether the first round begins now."""
    players = state.order.shape[0]
    in_setup = state.phase < Phase.ACTIONS
    placed = state.placed + in_setup.astype(jnp.uint8)
    lengths = {
        Phase.FACTIONS: players,
        Phase.DWELLINGS: decisions.first_dwellings(state),
        Phase.CARDS: players,
    }
    is_done = jnp.bool_(False)
    for phase, length in lengths.items():
        is_done |= (state.phase == phase) & (placed == length)
    begins = is_done & (state.phase == Phase.CARDS)
    after = state.replace(
        placed=jnp.where(is_done, 0, placed).astype(jnp.uint8),
        phase=state.phase + (is_done & ~begins).astype(jnp.uint8),
    )
    return after, begins


def _turn_ends(state: TerraMysticaState, action: DecodedAction, options: Options) -> Condition:
    """Returns whether the turn of `state.seat` is over."""
    seat = state.seat.astype(jnp.int32)
    mover = seats.of_seat(state, seat)
    is_done = decisions.due(state, options, mover) == Due.DONE
    says_so = (action.kind == Kind.END) & (
        (action.decision == Due.DONE) | (action.decision == Due.BUILD)
    )
    if not options.post_conversions:
        return is_done
    if options.auto_end:
        # Mermaids may still found a town across the river.
        may_go_on = legal.convertible(mover, jnp.int32(Due.DONE)).any()
        says_so |= ~may_go_on & (mover.board.skips_river == 0)
    return is_done & says_so


def _offer_power(state: TerraMysticaState) -> TerraMysticaState:
    pending = nothing_pending(0)
    return state.replace(pending=pending, phase=jnp.uint8(Phase.LEECH))


def _react(
    state: TerraMysticaState, action: DecodedAction, options: Options
) -> tuple[TerraMysticaState, Condition]:
    """Lets cultists react after the decisions about power; returns whether the turn passes on."""
    is_due = leech.next_decision(state).is_due
    is_decided = bits.computed_once((state.phase == Phase.LEECH) & ~is_due)
    seat = state.seat.astype(jnp.int32)
    mover = seats.of_seat(state, seat)
    reacts = is_decided & (mover.board.reacts_to_leech > 0)
    steps = reacts & state.leech.was_taken
    gains = reacts & ~state.leech.was_taken & state.leech.was_declined
    players = state.players
    if options.cultists_errata:
        bowls = jnp.stack(seats.gain_power(mover, gains.astype(jnp.int32)).bowls)
        players = players.replace(bowls=set_row(players.bowls, seat, bowls))
    stepped = (state.phase == Phase.REACTION) & (action.decision == Due.REACTION)
    after = state.replace(
        players=players,
        phase=jnp.where(steps, Phase.REACTION, state.phase).astype(jnp.uint8),
        leech=choose(is_decided, leech.no_offers(state.order.shape[0]), state.leech),
    )
    return after, bits.computed_once((is_decided & ~steps) | stepped)


def _next_seat(
    state: TerraMysticaState, moves_on: Condition, options: Options
) -> tuple[TerraMysticaState, Condition]:
    """Passes the turn to the next seat that has not passed; returns whether there is none."""
    players = state.order.shape[0]
    seat = state.seat.astype(jnp.int32)
    has_passed = state.players.passed[seat]
    distance = leech.places_after(state, seat)
    distance = jnp.where(distance == 0, players, distance)  # the seat itself comes last
    candidates = jnp.where(state.players.passed, 2 * players, distance)
    following = jnp.argmin(candidates)
    is_over = bits.computed_once(moves_on & state.players.passed.all())
    order = state.order
    if options.passing_order:
        # A seat that passes goes to the end of the list.
        is_other = order != seat
        place = jnp.where(is_other, jnp.cumsum(is_other) - 1, players - 1)
        numbers = jnp.arange(players)
        moved = ((place == numbers[:, None]) * order).sum(axis=1, dtype=order.dtype)
        order = jnp.where(has_passed & moves_on, moved, order)
    is_first = (state.next_start == players) & has_passed & moves_on
    after = state.replace(
        seat=jnp.where(moves_on & ~is_over, following, seat).astype(jnp.uint8),
        order=order,
        next_start=jnp.where(is_first, seat, state.next_start).astype(jnp.uint8),
        pending=choose(moves_on, nothing_pending(1), state.pending),
        phase=jnp.where(moves_on, Phase.ACTIONS, state.phase).astype(jnp.uint8),
    )
    return after, is_over


def _end_round(
    state: TerraMysticaState, has_bonus: Condition, options: Options
) -> tuple[TerraMysticaState, Earned]:
    """Gives the cult bonus of rounds 1 to 5, and sets the turn order of the next round."""
    players = state.order.shape[0]
    tile = state.supply.scoring[jnp.minimum(state.round, NUM_ROUNDS - 1)].astype(jnp.int32)

    def give(mover: PlayerRow, seat: Number) -> PlayerRow:
        counts = reachability.count_structures(state.board, mover.board.colour)
        priests = seats.priests_on_boards(state.supply.spots, seat)
        return bonuses.cult_bonus(mover, tile, priests, spades.has_stronghold(counts))

    given, earned = seats.for_all(state, give)
    order = state.order
    if not options.passing_order:
        start = jnp.minimum(state.next_start, players - 1)
        clockwise = (start + jnp.arange(players, dtype=jnp.uint8)) % players
        order = jnp.where(has_bonus, clockwise, order).astype(jnp.uint8)
    after = state.replace(
        players=choose(has_bonus, given, state.players),
        order=order,
        phase=jnp.where(has_bonus, Phase.CULT_SPADES, state.phase).astype(jnp.uint8),
    )
    return after, earned * has_bonus


def _spades_are_used(state: TerraMysticaState) -> Condition:
    is_left = (state.players.cult_spades > 0).any()
    return bits.computed_once((state.phase == Phase.CULT_SPADES) & ~is_left)


def _next_with_spades(state: TerraMysticaState) -> TerraMysticaState:
    """Gives the turn to the first seat, in the next round's order, that has cult spades."""
    has_spades = state.players.cult_spades[state.order] > 0
    return state.replace(seat=state.order[jnp.argmax(has_spades)])


def _begin_round(
    state: TerraMysticaState, is_first: Condition, is_next: Condition
) -> TerraMysticaState:
    """Gives income and a coin on each bonus card that nobody holds; frees all action spaces."""

    def collect(mover: PlayerRow, seat: Number) -> PlayerRow:
        del seat
        counts = reachability.count_structures(state.board, mover.board.colour)
        return income.collect(mover, counts)

    paid, _ = seats.for_all(state, collect)
    cards = jnp.arange(NUM_CARDS)
    in_play = (state.supply.cards >> cards.astype(jnp.uint16)) & 1 != 0
    is_held = (state.players.card[:, None] == cards + 1).any(axis=0)
    coins = state.supply.card_coins + (in_play & ~is_held).astype(jnp.uint8)
    begun = state.replace(
        players=paid.replace(used=jnp.zeros_like(paid.used), passed=jnp.zeros_like(paid.passed)),
        supply=state.supply.replace(card_coins=coins, power_actions=jnp.uint8(0)),
        pending=nothing_pending(1),
        phase=jnp.uint8(Phase.ACTIONS),
        round=state.round + is_next.astype(jnp.uint8),
        seat=state.order[0],
        next_start=jnp.uint8(state.order.shape[0]),
    )
    return choose(is_first | is_next, begun, state)


def _finish(
    state: TerraMysticaState, networks: Int32[Array, "P"]
) -> tuple[TerraMysticaState, Earned]:
    """Ends the game: awards the points for networks, cults and resources."""
    by_network, by_cult = scoring.final_points(networks, state.players.cults.astype(jnp.int32))

    def score(mover: PlayerRow, seat: Number) -> PlayerRow:
        mover = seats.award(mover, Source.NETWORK, by_network[seat])
        mover = seats.award(mover, Source.CULTS, by_cult[seat])
        return scoring.convert_all(mover)

    scored, earned = seats.for_all(state, score)
    after = state.replace(
        players=scored, phase=jnp.uint8(Phase.OVER), round=state.round + jnp.uint8(1)
    )
    return after, earned


def networks_of(state: TerraMysticaState) -> Int32[Array, "P"]:
    """Returns the size of the largest network of each seat."""

    def of(seat: Number) -> Number:
        mover = seats.of_seat(state, seat)
        return scoring.network(state.board, mover, state.board.bridges[seat])

    return jax.vmap(of)(jnp.arange(state.order.shape[0]))
