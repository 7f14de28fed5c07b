"""One step of look-ahead: the action that leads to the position of highest value.

All actions of all games form one list, which is evaluated in parts of a fixed size. So the cost
grows with the number of legal actions that exist, not with the number that could exist.

Source of the name `osla`: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI
research", AIIDE 2020.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.search.action_slots import ActionBatch, over_actions
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.planning import model, root_actions
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.search.planning.planner import AfterstateValue, Planner, PlannerResult

_NOT_EVALUATED = -jnp.inf


class _Found(NamedTuple):
    """The evaluation of each action of the root."""

    own: Float[Array, "B slots"]  # value for the seat that acts
    values: Float[Array, "B slots players"]
    bit: Int32[Array, "B slots"]  # of the action in the root's set


class Noisy(NamedTuple):
    """The parameters of a player with `noise=None`: players that differ in it share a program."""

    values: Params  # that judge positions
    noise: Float[Array, ""]  # above 0


@dataclasses.dataclass(frozen=True)
class OneStep(Planner):
    """Plays an action whose afterstate has the highest value for the mover; chance breaks ties.

    An afterstate is the position after an action. In games with chance, one outcome of each action
    is drawn and evaluated. With `noise`, each value gets Gumbel noise of that scale: an action is
    drawn with a probability proportional to `exp(value / noise)`.

    Raises:
        ValueError: for a setting out of range.
    """

    domain: PlannerDomain
    budget: int = 2000  # most actions evaluated: the first ones; 2048 if they have two plies
    width: int = 8  # actions evaluated at once for each game of the batch
    value: AfterstateValue | None = None  # None: the domain evaluates
    noise: float | None = 0.0  # None: the parameters are `Noisy`
    all_choices: bool = False  # the domain's `choices` instead of its `look_ahead`

    def __post_init__(self) -> None:
        """Checks the settings."""
        checks.count("budget", self.budget)
        checks.count("width", self.width)
        if self.noise is not None:
            checks.weight("noise", self.noise)

    def search(
        self,
        params: Params,
        carry: tuple[()],
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
    ) -> PlannerResult:
        """Returns the best action of each game, and its value or, with noise, the policy's."""
        judge_key, choice_key, noise_key = jax.random.split(key, 3)
        noise = self.noise
        if noise is None:
            params, noise = params
        is_noisy = self.noise is None or self.noise > 0
        rules = self.domain.rules
        only = jnp.zeros((len(needs_plan),), jnp.int32)

        def allowed(state: Any, group: Array) -> Array:
            del group
            if self.all_choices:
                return self.domain.choices(state, rules.legal_actions(state))
            return self.domain.look_ahead(state)

        root = root_actions.expand(self.domain, state, needs_plan, allowed, only, self.width)
        found = self._judge(params, state, root, judge_key)
        own = found.own
        if is_noisy:
            own += noise * jax.random.gumbel(noise_key, own.shape, own.dtype)
        is_best = own == own.max(axis=-1, keepdims=True)
        is_best &= own > _NOT_EVALUATED
        share = is_best / jnp.maximum(is_best.sum(axis=-1, keepdims=True), 1)
        slot = jax.random.categorical(choice_key, jnp.log(share), axis=-1)
        games = jnp.arange(len(needs_plan))
        values = found.values[games, slot]
        if is_noisy:  # the chances over all draws of the noise, and their mean value
            share = jax.nn.softmax(found.own / noise, axis=-1, where=found.own > _NOT_EVALUATED)
            values = (share[..., None] * found.values).sum(axis=1)
        plies = root.plies_of(jnp.broadcast_to(games[:, None], share.shape), found.bit)
        policy = jnp.zeros((len(needs_plan), rules.num_actions))
        policy = policy.at[games[:, None], plies[..., 0]].add(share)
        chosen = jnp.where(is_best.any(axis=-1)[:, None], plies[games, slot], NO_PLY)
        calls = (found.own > _NOT_EVALUATED).sum(axis=-1)
        return PlannerResult(chosen, policy, values, carry, calls)

    @property
    def _slots(self) -> int:
        """Returns the number of actions of a game that can be recorded."""
        return min(self.budget, root_actions.max_actions(self.domain))

    def _judge(
        self,
        params: Params,
        state: GameStates,
        root: root_actions.RootActions,
        key: PRNGKeyArray,
    ) -> _Found:
        """Returns the evaluation of the actions of each game."""
        rules = self.domain.rules
        num_games = root.words.shape[0]
        seat = jax.vmap(rules.to_move)(state)
        slots = self._slots

        def judge(place: ActionBatch, found: _Found) -> _Found:
            games = jax.tree.map(lambda x: x[place.game], state)
            plies = root.plies_of(place.game, place.bit)
            keys = jax.random.split(jax.random.fold_in(key, place.part), len(plies))
            after, _ = model.step(self.domain, games, plies, keys)
            actor = seat[place.game]
            values = self.evaluate(params, after, actor)
            own = jnp.take_along_axis(values, actor[:, None], axis=1)[:, 0]
            row = jnp.where(place.is_there, place.game, num_games)
            new = _Found(own, values, place.bit)
            return jax.tree.map(lambda x, y: x.at[row, place.slot].set(y, mode="drop"), found, new)

        nothing = _Found(
            jnp.full((num_games, slots), _NOT_EVALUATED),
            jnp.zeros((num_games, slots, rules.num_players)),
            jnp.zeros((num_games, slots), jnp.int32),
        )
        return over_actions(root.words, slots, num_games * self.width, judge, nothing)
