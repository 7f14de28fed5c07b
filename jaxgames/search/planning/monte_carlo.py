"""Monte Carlo search with random playouts of bounded length.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020.
Its player draws one group of root actions for each decision, judges the end of each playout with a
heuristic, and plays the action that had the highest running mean at any time of the search. Among
equals, such as actions of which some playout won, the last mean decides.
"""

import dataclasses
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batches import fold_in, select_rows
from jaxgames.search import checks
from jaxgames.search.agent import GameStates
from jaxgames.search.planning import model, root_actions
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.search.planning.planner import Plan, Planner

_EXPAND_WIDTH = 8  # first plies that are looked at together, for each game
_LEAST_LANES = 256  # playouts at once below which a processor has cores to spare
_WAVE = 1 << 20  # between the numbers of a game's waves: more than a batch has playouts at once
_PARTS = 8  # of a batch of games, if there are playouts enough


class Statistics(NamedTuple):
    """What playouts have told about the actions of each root."""

    gains: Float[Array, "B slots players"]  # sums of what seats gained from the root on
    visits: Int32[Array, "B slots"]
    peaks: Float[Array, "B slots"]  # highest running means of the seat to move, so far


@dataclasses.dataclass(frozen=True)
class MonteCarlo(Planner):
    """Plays a random action of the root, then random actions, and judges where that leads.

    The playouts of a decision run together: as many as the budget pays for if all have full length,
    or fewer if that is said. Processors work best on so many that their caches hold the positions.
    Only some games of a batch are searched at once, those with most left to do: so that those which
    have a single action, or whose playouts end early, do not stand idle beside the others.
    Where something is hidden, each playout starts from a guess of its own; new chance is drawn for
    each in any case.

    Raises:
        ValueError: for a setting out of range.
    """

    domain: PlannerDomain
    budget: int = 2000  # forward-model calls (completed actions) for one decision
    depth: int = 20  # completed actions of a playout
    choose: Literal["peak", "mean"] = "peak"  # play the action of the highest running or last mean
    together: int | None = None  # playouts that run together; all if not given
    turn: int | None = None  # actions after which a playout ends a turn, if it can be ended then
    max_actions: int = root_actions.MAX_ACTIONS  # told apart, where they take two plies

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in ("budget", "depth", "max_actions"):
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
        """Returns how many playouts run at once in a search of so many games."""
        return self._games_at_once(num_games) * self._lanes_per_game

    @property
    def _lanes_per_game(self) -> int:
        """Playouts of a game that run together."""
        all_ = -(-self.budget // self.depth)
        return all_ if self.together is None else min(self.together, all_)

    def search(
        self, kept: tuple[()], state: GameStates, asked: Bool[Array, "B"], key: PRNGKeyArray
    ) -> Plan:
        """Returns the action that the playouts favour. A single action is played without any."""
        group_key, playout_key = jax.random.split(key)
        root = self._root(state, asked, group_key)
        count = jnp.minimum(root.num_actions, self._slots)
        left = jnp.where(count > 1, self.budget, 0)
        before = jax.vmap(self.domain.evaluate)(state)
        seat = jax.vmap(self.domain.rules.to_move)(state)

        def wave(carry: tuple[Any, ...]) -> tuple[Any, ...]:
            numbers, left, found = carry
            most, games = jax.lax.top_k(left, self._games_at_once(len(asked)))
            # What playouts leave that end early goes to those of the next wave.
            limit = most[:, None] - self.depth * jnp.arange(self._lanes_per_game)
            limit = jnp.clip(limit, 0, self.depth)
            # A game's playouts do not depend on which others are searched beside it.
            lanes = games[:, None] * self._lanes_per_game + jnp.arange(self._lanes_per_game)
            lanes += numbers[games][:, None] * _WAVE
            states, some, counts, worth, rows = jax.tree.map(
                lambda x: x[games], (state, root, count, before, found)
            )
            slot, gains, calls = self._play(states, some, counts, worth, limit, lanes, playout_key)
            noted = _note(rows, slot, gains, limit > 0, seat[games])
            found = jax.tree.map(lambda all_, new: all_.at[games].set(new), found, noted)
            used = jnp.where(most > 0, jnp.maximum(calls.sum(axis=-1), 1), 0)
            return numbers.at[games].add(1), left.at[games].add(-used), found

        nothing = Statistics(
            jnp.zeros((len(asked), self._slots, self.domain.rules.num_players)),
            jnp.zeros((len(asked), self._slots), jnp.int32),
            jnp.full((len(asked), self._slots), -jnp.inf),
        )
        start = jnp.zeros_like(left), left, nothing
        _, after, found = jax.lax.while_loop(lambda carry: (carry[1] > 0).any(), wave, start)
        means = found.gains / jnp.maximum(found.visits, 1)[..., None]
        counts_as = found.visits > 0
        if self.choose == "peak":
            counts_as &= found.peaks == found.peaks.max(axis=-1, keepdims=True)
        own = jnp.take_along_axis(means, seat[:, None, None], axis=2)[..., 0]
        slot = jnp.where(counts_as, own, -jnp.inf).argmax(axis=-1)
        plies = root.at(slot[:, None])[:, 0]
        policy = jax.nn.one_hot(plies[:, 0], self.domain.rules.num_actions)
        values = before + means[jnp.arange(len(slot)), slot]
        return Plan(plies, policy, values, kept, left - after)

    def _games_at_once(self, num_games: int) -> int:
        """Returns of how many games playouts run together."""
        least = -(-_LEAST_LANES // self._lanes_per_game)
        return min(num_games, max(least, -(-num_games // _PARTS)))

    @property
    def _slots(self) -> int:
        one_ply = self.domain.decision_plies == 1
        return self.domain.rules.max_legal_actions if one_ply else self.max_actions

    def _root(
        self, state: GameStates, asked: Bool[Array, "B"], key: PRNGKeyArray
    ) -> root_actions.RootActions:
        """Returns the actions of one group of each game, drawn among those that have any."""

        def groups(state: Any) -> Bool[Array, "groups actions"]:
            return self.domain.action_groups(state, passing=False)

        words = sampling.random_words(key, len(asked))
        is_there = jax.vmap(groups)(state).any(axis=-1)
        group = jax.vmap(sampling.sample_mask)(is_there, words)

        def allowed(state: Any, group: Int32[Array, ""]) -> Bool[Array, "actions"]:
            return groups(state)[group]

        return root_actions.expand(self.domain, state, asked, allowed, group, _EXPAND_WIDTH)

    def _play(
        self,
        state: GameStates,
        root: root_actions.RootActions,
        count: Int32[Array, "B"],
        before: Float[Array, "B players"],
        limit: Int32[Array, "B R"],
        lanes: Int32[Array, "B R"],
        key: PRNGKeyArray,
    ) -> tuple[Int32[Array, "B R"], Float[Array, "B R players"], Int32[Array, "B R"]]:
        """Returns the root action of each playout, what the seats gained, and the calls used."""
        rules, shape = self.domain.rules, limit.shape
        slot_key, guess_key, play_key = jax.random.split(key, 3)
        numbers = lanes.reshape(-1)
        words = model.words_of(slot_key, numbers).reshape(shape)
        slot = sampling.bounded(words, jnp.maximum(count, 1)[:, None])
        plies = root.at(slot).reshape(limit.size, self.domain.decision_plies)
        games = jax.tree.map(lambda x: jnp.repeat(x, shape[1], axis=0), state)
        if not rules.perfect_information:
            keys = fold_in(guess_key, numbers)
            guesses = jax.vmap(self.domain.playout_start)(games, keys)
            is_legal = jax.vmap(lambda s, a: rules.legal_actions(s)[a])(guesses, plies[:, 0])
            games = select_rows(is_legal, guesses, games)

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
        worth = jax.vmap(self.domain.evaluate)(place.games).reshape(*shape, -1)
        return slot, worth - before[:, None], place.calls.reshape(shape)

    def _ending(
        self,
        place: model.PlayoutState,
        plies: Int32[Array, "W plies"],
        left: Int32[Array, "W"],
        turn: int,
    ) -> model.Choice:
        """Returns the plies, or the end of the turn where no more actions are left of it.

        As in the reference, a turn that cannot be ended just then goes on until nothing else is
        left in it.
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
    """Returns the statistics after playouts, which count in their order."""
    games = jnp.arange(len(seat))[:, None]
    own = jnp.take_along_axis(gains, seat[:, None, None], axis=2)[..., 0]
    own = jnp.where(ran, own, 0.0)
    # [b, r, q]: playout q tried the action of playout r, at the latest when r did.
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
