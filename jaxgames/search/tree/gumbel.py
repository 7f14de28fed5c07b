"""Gumbel MuZero's choices: sequential halving at the root, the improved policy everywhere.

Source: Danihelka et al., "Policy improvement by planning with Gumbel", 2022.
"""

import dataclasses
import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.search.tree import access
from jaxgames.search.tree.arrays import ChildChoice, NodeView
from jaxgames.search.tree.policy import (
    FOR_EVER,
    Conclusion,
    Root,
    RootChoice,
    TreePolicy,
    best_child,
)

_TINY = float(np.finfo(np.float32).tiny)
TIE_NOISE = 1e-4  # share of the Gumbel noise that orders equal logits at random
_LOWEST_SCORE = -1e9  # of a considered action: above the -inf of the others


class Completed(NamedTuple):
    """The values of all actions of a node, on the scale of logits."""

    children: Float[Array, "W C"]
    others: Float[Array, "W"]  # of every action without a child


@dataclasses.dataclass(frozen=True)
class Gumbel(TreePolicy):
    """Selection and result of Gumbel MuZero.

    Raises:
        ValueError: for a setting out of range.
    """

    max_considered: int = 16  # root actions that sequential halving starts with
    gumbel_scale: float = 1.0  # 1 explores as in training; 0 plays the best action found
    value_scale: float = 0.1  # the paper's c_scale
    visit_offset: float = 50.0  # the paper's c_visit
    rescale_values: bool = True  # to 0 for the worst action of a node and 1 for the best

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.max_considered < 1:
            raise ValueError(f"max_considered must be at least 1, got {self.max_considered}")
        for name in ("gumbel_scale", "value_scale", "visit_offset"):
            checks.weight(name, getattr(self, name))

    def draw(self, like: jax.ShapeDtypeStruct, key: PRNGKeyArray) -> Float[Array, "B actions"]:
        """Returns Gumbel noise of scale 1."""
        _, noise_key = jax.random.split(key)
        return jax.random.gumbel(noise_key, like.shape, like.dtype)

    def prepare(
        self,
        logits: Float[Array, "B actions"],
        mask: Bool[Array, "B actions"],
        drawn: Float[Array, "B actions"],
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B actions"]]:
        """Returns the logits unchanged, lowest where illegal, and the Gumbel noise.

        A little noise is left at `gumbel_scale=0`, which orders equal logits at random.
        """
        scale = max(self.gumbel_scale, TIE_NOISE)
        return jnp.where(mask, logits, jnp.finfo(logits.dtype).min), scale * drawn

    def at_root(
        self, seen: NodeView, root: RootChoice, budget: int | Int32[Array, "W"]
    ) -> ChildChoice:
        """Returns the best of the actions that sequential halving considers in this simulation."""
        visits = root.new_visits(seen)
        considered = jnp.minimum(root.options, self.max_considered)
        made = visits.sum(axis=-1)
        if isinstance(budget, int):
            table = halving_table(self.max_considered, budget)
            number = considered * budget + jnp.minimum(made, budget - 1)
            wanted = access.of_table(table.reshape(-1), number)
        else:
            wanted = halving_visits(considered, budget, made, self.max_considered)
        return self.best(seen, root, visits, wanted)

    def below_root(self, seen: NodeView) -> ChildChoice:
        """Returns the action whose visits lag most behind the improved policy (section 5)."""
        completed = self._completed(seen)
        # softmax(log prior + completed Q), where all actions without a child share one Q. For
        # numerical safety the greatest Q that takes part is subtracted from the exponents.
        has_unexpanded = seen.best_unexpanded_prior > 0
        top = jnp.where(seen.is_child, completed.children, -jnp.inf).max(axis=-1)
        top = jnp.where(has_unexpanded, jnp.maximum(top, completed.others), top)
        weight = jnp.where(seen.is_child, jnp.exp(completed.children - top[:, None]), 0.0)
        weight = seen.prior * weight
        other = jnp.where(has_unexpanded, jnp.exp(completed.others - top), 0.0)
        total = weight.sum(axis=-1) + other * seen.unexpanded_prior
        share = seen.child_visits / (1 + seen.child_visits.sum(axis=-1, keepdims=True))
        index, best = best_child(weight / total[:, None] - share, seen)
        return ChildChoice(
            index, has_unexpanded & (seen.best_unexpanded_prior * other / total > best)
        )

    def settled_for(self, seen: NodeView, root: RootChoice) -> Int32[Array, "W"]:
        """Returns 0, unless there is at most one action: any simulation can change the action."""
        del seen
        return jnp.where(root.options <= 1, FOR_EVER, 0)

    def conclude(self, seen: NodeView, root: Root, key: PRNGKeyArray) -> Conclusion:
        """Returns the best of the most visited actions, and the improved policy (section 4)."""
        del key
        visits = root.choice.new_visits(seen)
        choice = self.best(seen, root.choice, visits, visits.max(axis=-1))
        slot = jnp.take_along_axis(seen.slot, choice.child[:, None], axis=-1)[:, 0]
        slot = jnp.where(choice.expands, seen.unexpanded_slot, slot)
        completed = self._completed(seen)
        by_action = root.by_action(completed.children, seen, fill=completed.others)
        lowest = jnp.finfo(root.logits.dtype).min
        policy = jax.nn.softmax(jnp.where(root.mask, root.logits + by_action, lowest))
        action = jnp.take_along_axis(root.action, slot[:, None], axis=-1)[:, 0]
        return Conclusion(action, jnp.where(root.mask, policy, 0.0))

    def best(
        self,
        seen: NodeView,
        root: RootChoice,
        visits: Int32[Array, "W C"],
        wanted: Int32[Array, "W"],
    ) -> ChildChoice:
        """Returns the best action among those with `wanted` visits in this search."""
        completed = self._completed(seen)
        order = access.along_last(root.order, seen.slot)
        score = jnp.maximum(order + completed.children, _LOWEST_SCORE)
        score = jnp.where(visits == wanted[:, None], score, -jnp.inf)
        index, best = best_child(score, seen)
        other = access.along_last(root.order, seen.unexpanded_slot)
        other = jnp.maximum(other + completed.others, _LOWEST_SCORE)
        return ChildChoice(index, (wanted == 0) & (seen.best_unexpanded_prior > 0) & (other > best))

    def _completed(self, seen: NodeView) -> Completed:
        """Returns the completed Q-values, sigma(q) of the paper's section 3.

        An action without a child has the mixed value of the paper's appendix D. Rescaled, the
        smallest differences decide as much as large ones, errors of a value network among them;
        unscaled, a value counts by its size. The range that is mapped to [0, 1] always includes
        the mixed value, even if all actions have children. So the result does not depend on the
        number of empty slots; mctx does the same with masked actions.
        """
        total = seen.child_visits.sum(axis=-1)
        prior = jnp.where(seen.is_child, jnp.maximum(seen.prior, _TINY), 0.0)
        weight = prior / jnp.maximum(prior.sum(axis=-1, keepdims=True), _TINY)
        weighted = jnp.where(seen.is_child, weight * seen.qvalues, 0.0).sum(axis=-1)
        mixed = (seen.raw_value + total * weighted) / (total + 1)

        qvalues = jnp.where(seen.is_child, seen.qvalues, mixed[:, None])
        scale = (self.visit_offset + seen.child_visits.max(axis=-1)) * self.value_scale
        if not self.rescale_values:
            return Completed(scale[:, None] * qvalues, scale * mixed)
        low = jnp.minimum(qvalues.min(axis=-1), mixed)
        high = jnp.maximum(qvalues.max(axis=-1), mixed)
        scale = scale / jnp.maximum(high - low, 1e-8)
        return Completed(scale[:, None] * (qvalues - low[:, None]), scale * (mixed - low))


@functools.cache
def halving_table(max_considered: int, simulations: int) -> Int32[np.ndarray, "considered budget"]:
    """Returns the schedule: the visits that a root action must have in order to be considered.

    Entry `[m, i]` is for the `i`-th simulation of a search that starts with `m` actions.
    """
    rows = [_halving(considered, simulations) for considered in range(max_considered + 1)]
    return np.array(rows, np.int32)


def halving_visits(
    considered: Int32[Array, "W"],
    simulations: Int32[Array, "W"],
    number: Int32[Array, "W"],
    max_considered: int,
) -> Int32[Array, "W"]:
    """Returns entries of `halving_table` for any number of simulations, which need not be known.

    After the last simulation of the schedule its last round is repeated.
    """
    return _halved(considered, simulations, number, max_considered)[0]


def halving_sweep(
    considered: Int32[Array, "W"],
    simulations: Int32[Array, "W"],
    number: Int32[Array, "W"],
    max_considered: int,
) -> Int32[Array, "W"]:
    """Returns how many actions take part in the round that the `number`-th simulation is in."""
    return _halved(considered, simulations, number, max_considered)[1]


def _halved(
    considered: Int32[Array, "W"],
    simulations: Int32[Array, "W"],
    number: Int32[Array, "W"],
    max_considered: int,
) -> tuple[Int32[Array, "W"], Int32[Array, "W"]]:
    rounds = jnp.asarray([math.ceil(math.log2(max(2, m))) for m in range(max_considered + 1)])
    rounds = rounds[considered]
    start = jnp.zeros_like(number)  # of a round, counted in simulations
    done = jnp.zeros_like(number)  # visits of each remaining action before it
    wanted = number  # with one action at most
    taking_part = jnp.ones_like(number)
    for halved in range(math.ceil(math.log2(max(2, max_considered))) + 1):
        left = jnp.where(halved == 0, considered, jnp.maximum(2, considered >> halved))
        left = jnp.where(halved < rounds, left, 2)
        here = done + (number - start) // jnp.maximum(left, 1)
        is_here = (considered > 1) & (number >= start)
        wanted = jnp.where(is_here, here, wanted)
        taking_part = jnp.where(is_here, left, taking_part)
        repeats = jnp.maximum(1, simulations // (rounds * left))
        repeats = jnp.where(halved < rounds, repeats, 0)
        start, done = start + repeats * left, done + repeats
    return wanted, taking_part


def _halving(considered: int, simulations: int) -> list[int]:
    """Returns one row: each round visits all remaining actions equally, then drops half of them."""
    if considered <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    visits: list[int] = []
    done, left = 0, considered
    while len(visits) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            visits += [done] * left
            done += 1
        left = max(2, left // 2)
    return visits[:simulations]
