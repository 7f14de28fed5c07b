"""Rollouts of the one-step player: the best few actions are judged where the own turn ends.

Each of them is played on by one step of look-ahead, several times, and the values at the ends are
averaged. So a value is asked for only where it has least to guess, and no maximum over guesses
favours the action that is overrated most.

Source: G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search", NIPS
1996.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batches import fold_in, select_rows
from jaxgames.search import checks
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.planning import model
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.search.planning.one_step import NOT_EVALUATED, OneStep
from jaxgames.search.planning.planner import AfterstateValue, Plan, Planner


class _Rollouts(NamedTuple):
    """The games of all rollouts, in the order game, candidate, sample."""

    games: GameStates
    actor: Int32[Array, "N"]  # the seat that acted last
    turns: Int32[Array, "N"]  # turns that the seat of the root has ended
    actions: Int32[Array, "N"]  # actions completed
    running: Bool[Array, "N"]


@dataclasses.dataclass(frozen=True)
class TurnRollouts(Planner):
    """Plays the action of the highest mean value at the ends of rollouts.

    A rollout starts with a candidate, one of the actions of the highest values after one step, and
    goes on as the player of one step plays, for all seats. It stops when the seat to move has
    ended `turns` turns, `depth` actions are completed, or the game is over. In a game whose turns
    have no end of their own, every action of that seat is a turn. Sample `i` of each candidate
    draws the same chance. A single legal action is played without any rollout.

    Raises:
        ValueError: for a setting out of range.
    """

    domain: PlannerDomain
    max_actions: int  # most actions of a position that are judged
    value: AfterstateValue | None = None  # None: the domain evaluates
    candidates: int = 4
    samples: int = 4  # rollouts of each candidate
    turns: int = 1
    depth: int = 32  # most actions of a rollout
    noise: float = 0.0  # scale of the Gumbel noise on values within rollouts
    width: int = 8  # afterstates judged at once for each game or rollout

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in ("candidates", "samples", "turns", "depth", "width", "max_actions"):
            checks.count(name, getattr(self, name))
        if not self.noise >= 0:
            raise ValueError(f"noise must be at least 0, got {self.noise}")

    @property
    def _player(self) -> OneStep:
        """Returns the player of rollouts."""
        return OneStep(
            self.domain, self.max_actions, self.width, self.value, self.noise, all_choices=True
        )

    def search(
        self,
        params: Params,
        kept: tuple[()],
        state: GameStates,
        asked: Bool[Array, "B"],
        key: PRNGKeyArray,
    ) -> Plan:
        """Returns the best candidate of each game, and its mean value."""
        judge_key, rollout_key = jax.random.split(key)
        root, found = self._player.judge_actions(params, state, asked, judge_key)
        own, slot = jax.lax.top_k(found.own, min(self.candidates, found.own.shape[1]))
        games = jnp.arange(len(asked))
        exists = own > NOT_EVALUATED
        game = jnp.broadcast_to(games[:, None], slot.shape)
        plies = root.plies_of(game, found.bit[game, slot])
        needed = exists & exists[:, 1:].any(axis=1, keepdims=True)
        seat = jax.vmap(self.domain.rules.to_move)(state).astype(jnp.int32)
        values, calls = self._play_on(params, state, seat, plies, needed, rollout_key)
        # Without rollouts, the values after one step.
        values = jnp.where(needed[..., None], values, found.values[game, slot])
        mean = jnp.take_along_axis(values, seat[:, None, None], axis=2)[..., 0]
        best = jnp.where(exists, mean, NOT_EVALUATED).argmax(axis=1)
        chosen = jnp.where(exists.any(axis=1)[:, None], plies[games, best], NO_PLY)
        policy = jax.nn.one_hot(chosen[:, 0], self.domain.rules.num_actions)
        judged = (found.own > NOT_EVALUATED).sum(axis=-1)
        return Plan(chosen, policy, values[games, best], kept, judged + calls)

    def _play_on(
        self,
        params: Params,
        state: GameStates,
        seat: Int32[Array, "B"],
        plies: Int32[Array, "B K plies"],
        needed: Bool[Array, "B K"],
        key: PRNGKeyArray,
    ) -> tuple[Float[Array, "B K players"], Int32[Array, "B"]]:
        """Returns the mean value of each candidate, and the actions played for each game."""
        num_games, candidates = needed.shape
        shape = (num_games, candidates, self.samples)
        game = jnp.broadcast_to(jnp.arange(num_games)[:, None, None], shape).reshape(-1)
        start = jnp.broadcast_to(plies[:, :, None], (*shape, plies.shape[-1]))
        # Candidates of a game share the chance of each sample.
        numbers = jnp.arange(num_games)[:, None] * self.samples + jnp.arange(self.samples)
        numbers = jnp.broadcast_to(numbers[:, None], shape).reshape(-1)
        running = jnp.broadcast_to(needed[..., None], shape).reshape(-1)
        root_seat = seat[game]
        zeros = jnp.zeros_like(game)
        first = _Rollouts(jax.tree.map(lambda x: x[game], state), root_seat, zeros, zeros, running)
        player = self._player

        def advance(
            place: _Rollouts, plies: Int32[Array, "N plies"], key: PRNGKeyArray
        ) -> _Rollouts:
            mover = jax.vmap(self.domain.rules.to_move)(place.games).astype(jnp.int32)
            moved, completes = model.step(self.domain, place.games, plies, fold_in(key, numbers))
            ends_turn = completes & (mover == root_seat)
            if self.domain.ends_turns:
                ends_turn &= jax.vmap(self.domain.rules.to_move)(moved) != root_seat
            turns = place.turns + (place.running & ends_turn)
            actions = place.actions + (place.running & completes)
            goes_on = (turns < self.turns) & (actions < self.depth)
            return _Rollouts(
                select_rows(place.running, moved, place.games),
                jnp.where(place.running, mover, place.actor),
                turns,
                actions,
                place.running & goes_on & ~jax.vmap(self.domain.rules.is_over)(moved),
            )

        def play_on(
            carry: tuple[Int32[Array, ""], _Rollouts],
        ) -> tuple[Int32[Array, ""], _Rollouts]:
            number, place = carry
            choice_key, chance_key = jax.random.split(jax.random.fold_in(key, number))
            plan = player.search(params, (), place.games, place.running, choice_key)
            return number + 1, advance(place, plan.plies, chance_key)

        def any_runs(carry: tuple[Int32[Array, ""], _Rollouts]) -> Bool[Array, ""]:
            return carry[1].running.any()

        after = advance(first, start.reshape(-1, plies.shape[-1]), jax.random.fold_in(key, 0))
        ends: _Rollouts = jax.lax.while_loop(any_runs, play_on, (jnp.int32(1), after))[1]
        values = self.evaluate(params, ends.games, ends.actor).reshape(*shape, -1)
        return values.mean(axis=2), ends.actions.reshape(num_games, -1).sum(axis=1)
