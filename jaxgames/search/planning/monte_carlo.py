"""Monte Carlo search with random playouts of bounded length.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020.
The player of the paper draws one group of root actions for each decision and evaluates the end of
each playout with a heuristic. It plays the action whose running mean was the highest at any time of
the search. The last mean decides between equal ones, for instance actions that won a playout.
"""

import dataclasses
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batching.trees import fold_in, select_rows
from jaxgames.internal import checks
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.planning import model, root_actions
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.search.planning.planner import (
    AfterstateValue,
    AnytimePlanner,
    PlanFlags,
    PlannerResult,
)

_EXPAND_WIDTH = 8  # first plies that are expanded together for each game
_LEAST_LANES = 256  # with fewer playouts at once, cores of a processor stand idle
_WAVE = 1 << 20  # offset of the lane numbers of a wave: above all lane numbers of a batch
_PARTS = 8  # parts in which a batch is searched, if there are playouts enough


class Statistics(NamedTuple):
    """The results of playouts for the actions of each root."""

    gains: Float[Array, "B slots players"]  # sums of the gains of the seats since the root
    visits: Int32[Array, "B slots"]
    peaks: Float[Array, "B slots"]  # highest running means of the seat to move, so far


class PlayoutRun(NamedTuple):
    """The playouts of a search, between two pieces of it."""

    state: GameStates
    root: root_actions.RootActions
    num_actions: Int32[Array, "B"]  # of each root
    seat: Int32[Array, "B"]
    before: Float[Array, "B players"]  # values of the roots
    key: PRNGKeyArray
    most: Int32[Array, ""]  # calls
    waves: Int32[Array, "B"]  # made so far
    found: Statistics
    used: Int32[Array, "B"]  # calls


@dataclasses.dataclass(frozen=True)
class MonteCarlo(AnytimePlanner):
    """Plays a random root action, then random actions, and evaluates the position at the end.

    The playouts of a decision run together: as many as the budget pays for at full length, or
    `together` at a time. A processor is fastest with so few that its caches hold their positions.
    Only some games of a batch are searched at once, those with the largest budget left. So games
    with a single action, or with short playouts, do not wait idly for the others. Each playout
    draws its own chance. Where something is hidden, it starts from its own determinization.

    Raises:
        ValueError: for a setting out of range.
    """

    domain: PlannerDomain
    budget: int = 2000  # forward-model calls (completed actions) for one decision
    depth: int = 20  # completed actions of a playout
    choose: Literal["peak", "mean"] = (
        "peak"  # play the action of the highest running mean, or last mean
    )
    together: int | None = None  # playouts of a decision that run together; None: all
    turn: int | None = None  # actions after which playouts end a turn that can end then
    value: AfterstateValue | None = None  # None: the domain evaluates

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in ("budget", "depth"):
            checks.count(name, getattr(self, name))
        if self.together is not None:
            checks.count("together", self.together)
        if self.turn is not None:
            checks.count("turn", self.turn)
            if not self.domain.ends_turns:
                raise ValueError(
                    f"turn={self.turn} is for games whose turns have an end of their own"
                )
        if self.choose not in ("peak", "mean"):
            raise ValueError(f"choose must be peak or mean, got {self.choose!r}")

    def lanes(self, num_games: int) -> int:
        """Returns the number of playouts that run at once in a search of `num_games` games."""
        return self._games_at_once(num_games) * self._lanes_per_game

    @property
    def _lanes_per_game(self) -> int:
        """Returns the number of playouts of a game that run together."""
        all_ = -(-self.budget // self.depth)
        return all_ if self.together is None else min(self.together, all_)

    def begin(
        self,
        params: Params,
        carry: tuple[()],
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
        most: Int32[Array, ""],
    ) -> PlayoutRun:
        """Returns the root actions, without any playout."""
        del carry
        group_key, playout_key = jax.random.split(key)
        root = self._root(state, needs_plan, group_key)
        seat = jax.vmap(self.domain.rules.to_move)(state)
        nothing = Statistics(
            jnp.zeros((len(needs_plan), self._slots, self.domain.rules.num_players)),
            jnp.zeros((len(needs_plan), self._slots), jnp.int32),
            jnp.full((len(needs_plan), self._slots), -jnp.inf),
        )
        return PlayoutRun(
            state=state,
            root=root,
            num_actions=jnp.minimum(root.num_actions, self._slots),
            seat=seat,
            before=self.evaluate(params, state, seat),
            key=playout_key,
            most=most,
            waves=jnp.zeros_like(seat),
            found=nothing,
            used=jnp.zeros_like(seat),
        )

    def with_most(self, calls: int) -> "MonteCarlo":
        """Returns the planner with another budget, and as many playouts together as before."""
        return dataclasses.replace(self, budget=calls, together=self._lanes_per_game)

    def advance(self, params: Params, run: PlayoutRun, rounds: Int32[Array, ""]) -> PlayoutRun:
        """Returns the playouts after so many more of full length."""
        return self._play_on(params, run, jnp.minimum(run.used + rounds * self.depth, run.most))

    def finish(self, params: Params, run: PlayoutRun) -> PlayoutRun:
        """Returns the playouts after the last one; a single action needs none."""
        return self._play_on(params, run, run.most)

    def flags(self, run: PlayoutRun) -> PlanFlags:
        """Returns how far the playouts are."""
        has_choice = run.num_actions > 1
        return PlanFlags(has_choice & (run.used < run.most), ~has_choice | (run.used > 0), run.used)

    def result(self, run: PlayoutRun) -> PlannerResult:
        """Returns the best actions so far."""
        found, seat = run.found, run.seat
        means = found.gains / jnp.maximum(found.visits, 1)[..., None]
        counts_as = found.visits > 0
        if self.choose == "peak":
            counts_as &= found.peaks == found.peaks.max(axis=-1, keepdims=True)
        own = jnp.take_along_axis(means, seat[:, None, None], axis=2)[..., 0]
        slot = jnp.where(counts_as, own, -jnp.inf).argmax(axis=-1)
        plies = run.root.at(slot[:, None])[:, 0]
        policy = jax.nn.one_hot(plies[:, 0], self.domain.rules.num_actions)
        values = run.before + means[jnp.arange(len(slot)), slot]
        return PlannerResult(plies, policy, values, (), run.used)

    def _play_on(self, params: Params, run: PlayoutRun, until: Int32[Array, "*B"]) -> PlayoutRun:
        """Returns the playouts after that many calls."""
        seat, before = run.seat, run.before
        left = jnp.where(run.num_actions > 1, until - run.used, 0)

        def wave(carry: tuple[Any, ...]) -> tuple[Any, ...]:
            numbers, left, found = carry
            most, games = jax.lax.top_k(left, self._games_at_once(len(seat)))
            # Budget that short playouts leave is spent in the next wave.
            limit = most[:, None] - self.depth * jnp.arange(self._lanes_per_game)
            limit = jnp.clip(limit, 0, self.depth)
            # The playouts of a game do not depend on the other games of the wave.
            lanes = games[:, None] * self._lanes_per_game + jnp.arange(self._lanes_per_game)
            lanes += numbers[games][:, None] * _WAVE
            states, some, counts, values, rows = jax.tree.map(
                lambda x: x[games], (run.state, run.root, run.num_actions, before, found)
            )
            # All waves have the same key: the numbers of the lanes make their playouts differ.
            wave_key = jax.random.clone(run.key)
            slot, ends, calls = self._play(states, some, counts, limit, lanes, wave_key)
            seats = jnp.repeat(seat[games], limit.shape[1])
            gains = self.evaluate(params, ends, seats).reshape(*limit.shape, -1) - values[:, None]
            updated = _note(rows, slot, gains, limit > 0, seat[games])
            found = jax.tree.map(lambda all_, new: all_.at[games].set(new), found, updated)
            used = jnp.where(most > 0, jnp.maximum(calls.sum(axis=-1), 1), 0)
            return numbers.at[games].add(1), left.at[games].add(-used), found

        start = run.waves, left, run.found
        waves, after, found = jax.lax.while_loop(lambda carry: (carry[1] > 0).any(), wave, start)
        return run._replace(waves=waves, found=found, used=run.used + left - after)

    def _games_at_once(self, num_games: int) -> int:
        """Returns the number of games whose playouts run together."""
        least = -(-_LEAST_LANES // self._lanes_per_game)
        return min(num_games, max(least, -(-num_games // _PARTS)))

    @property
    def _slots(self) -> int:
        return root_actions.max_actions(self.domain)

    def _root(
        self, state: GameStates, needs_plan: Bool[Array, "B"], key: PRNGKeyArray
    ) -> root_actions.RootActions:
        """Returns the actions of one group of each game, drawn among its non-empty groups."""

        def groups(state: Any) -> Bool[Array, "groups actions"]:
            return self.domain.action_groups(state, passing=False)

        words = sampling.random_words(key, len(needs_plan))
        is_there = jax.vmap(groups)(state).any(axis=-1)
        group = jax.vmap(sampling.sample_mask)(is_there, words)

        def allowed(state: Any, group: Int32[Array, ""]) -> Bool[Array, "actions"]:
            return groups(state)[group]

        return root_actions.expand(self.domain, state, needs_plan, allowed, group, _EXPAND_WIDTH)

    def _play(
        self,
        state: GameStates,
        root: root_actions.RootActions,
        count: Int32[Array, "B"],
        limit: Int32[Array, "B R"],
        lanes: Int32[Array, "B R"],
        key: PRNGKeyArray,
    ) -> tuple[Int32[Array, "B R"], GameStates, Int32[Array, "B R"]]:
        """Returns the root action of each playout, the `B * R` ended games, and the calls."""
        rules, shape = self.domain.rules, limit.shape
        slot_key, belief_key, play_key = jax.random.split(key, 3)
        numbers = lanes.reshape(-1)
        words = model.words_of(slot_key, numbers).reshape(shape)
        slot = sampling.bounded(words, jnp.maximum(count, 1)[:, None])
        plies = root.at(slot).reshape(limit.size, self.domain.decision_plies)
        games = jax.tree.map(lambda x: jnp.repeat(x, shape[1], axis=0), state)
        if not rules.perfect_information:
            keys = fold_in(belief_key, numbers)
            determinized = jax.vmap(self.domain.playout_start)(games, keys)
            is_legal = jax.vmap(lambda s, a: rules.legal_actions(s)[a])(determinized, plies[:, 0])
            games = select_rows(is_legal, determinized, games)

        def choose(
            place: model.PlayoutState, words: UInt32[Array, "W"], left: Int32[Array, "W"]
        ) -> model.Choice:
            drawn = jax.vmap(self.domain.playout_action)(place.games, words)
            is_root = (place.calls == 0) & (place.part == 0) & (plies[:, 0] != NO_PLY)
            chosen = jnp.where(is_root[:, None], plies, drawn)
            return self._ending(place, chosen, left, self.turn) if self.turn else (chosen, left)

        limits = limit.reshape(-1)
        left = jnp.full_like(limits, self.turn or 0)
        place, _ = model.play(self.domain, games, limits, choose, left, play_key, numbers)
        return slot, place.games, place.calls.reshape(shape)

    def _ending(
        self,
        place: model.PlayoutState,
        plies: Int32[Array, "W plies"],
        left: Int32[Array, "W"],
        turn: int,
    ) -> model.Choice:
        """Returns the decisions, with the end of the turn where its number of actions is used up.

        As in the reference, a turn that cannot end at that moment goes on until nothing else is
        left to do in it.
        """
        ends = jax.vmap(self.domain.turn_end)(place.games)
        can_end, is_whole = ends[:, 0] != NO_PLY, place.part == 0
        plies = jnp.where((is_whole & can_end & (left == 0))[:, None], ends, plies)
        has_ended = is_whole & can_end & (plies == ends).all(axis=1)
        return plies, jnp.where(has_ended, turn, left - is_whole)


def _note(
    found: Statistics,
    slot: Int32[Array, "B R"],
    gains: Float[Array, "B R players"],
    ran: Bool[Array, "B R"],
    seat: Int32[Array, "B"],
) -> Statistics:
    """Returns the statistics after further playouts, counted in their order."""
    games = jnp.arange(len(seat))[:, None]
    own = jnp.take_along_axis(gains, seat[:, None, None], axis=2)[..., 0]
    own = jnp.where(ran, own, 0.0)
    # [b, r, q]: playout q is not later than playout r and tried the same action.
    is_same = (slot[:, :, None] == slot[:, None, :]) & ran[:, None, :]
    is_same &= jnp.tril(jnp.ones(is_same.shape[1:], bool))
    earlier = jnp.take_along_axis(found.gains, seat[:, None, None], axis=2)[..., 0]
    total = earlier[games, slot] + (is_same * own[:, None, :]).sum(axis=-1)
    running = total / jnp.maximum(found.visits[games, slot] + is_same.sum(axis=-1), 1)
    return Statistics(
        found.gains.at[games, slot].add(jnp.where(ran[..., None], gains, 0.0)),
        found.visits.at[games, slot].add(ran),
        found.peaks.at[games, slot].max(jnp.where(ran, running, -jnp.inf)),
    )
