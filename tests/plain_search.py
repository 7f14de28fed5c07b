"""Tree search for one game in plain Python and 64-bit numbers: the papers' formulas, line by line.

It knows which selections are ties: the best two scores are so near to each other that 32-bit
numbers do not tell them apart. The result of a search is then one of several, and `results` returns
them all.
"""

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

MOST_RESULTS = 64
ROUNDING = 1e-6  # of values and priors in 32-bit numbers, after hundreds of means and sums


@dataclasses.dataclass
class Node:
    """A position of the tree, with the statistics of the edge that leads to it."""

    state: Any
    seat: int  # -1 if the game is over
    raw: np.ndarray  # value of each seat
    logits: dict[int, float]  # of the legal actions
    kept: list[int]  # actions that may be expanded
    children: dict[int, "Node"] = dataclasses.field(default_factory=dict)
    visits: int = 0
    total: np.ndarray | float = 0.0
    before: int = 0  # visits in an earlier search; of children of the root
    number: int = 0  # nodes that were made before

    @property
    def value(self) -> np.ndarray:
        return self.total / self.visits

    def prior(self) -> dict[int, float]:
        top = max(self.logits[a] for a in self.kept)
        weight = {a: math.exp(self.logits[a] - top) for a in self.kept}
        whole = sum(weight.values())
        return {a: weight[a] / whole for a in self.kept}

    def child_visits(self) -> dict[int, int]:
        return {a: self.children[a].visits if a in self.children else 0 for a in self.kept}

    def new_visits(self) -> dict[int, int]:
        return {a: n - (n and self.children[a].before) for a, n in self.child_visits().items()}

    def subtree(self) -> list["Node"]:
        """Returns the node and all below it in the order in which they were made."""
        found = [self]
        for child in self.children.values():
            found += child.subtree()
        return sorted(found, key=lambda node: node.number)

    def copy(self) -> "Node":
        children = {a: child.copy() for a, child in self.children.items()}
        return dataclasses.replace(self, kept=list(self.kept), children=children)

    def as_root(self, most: int) -> "Node":
        """Returns a copy of the node and of the first `most` nodes that were made below it."""
        kept = {node.number for node in self.subtree()[:most]}
        root = self.copy()
        for node in root.subtree():
            node.children = {a: c for a, c in node.children.items() if c.number in kept}
        for number, node in enumerate(root.subtree()):
            node.number, node.before = number, node.visits
        return root

    def qvalues(self) -> dict[int, float]:
        return {a: float(child.value[self.seat]) for a, child in self.children.items()}


class Scores(NamedTuple):
    """What is maximised, and by how much rounding can move it."""

    by_action: dict[int, float]
    rounding: float

    def best(self) -> list[int]:
        """Returns the actions that may be the best, the best one first."""
        order = sorted(self.by_action, key=lambda a: -self.by_action[a])
        top = self.by_action[order[0]]
        return [a for a in order if self.by_action[a] >= top - self.rounding]


@dataclasses.dataclass(frozen=True)
class PlainPuct:
    """PUCT with values scaled by those of the node and of its children."""

    c_init: float = 1.25
    c_base: float = 19652.0

    def root_order(self, node: Node) -> dict[int, float]:
        return node.logits

    def at_root(self, node: Node, done: int, budget: int) -> Scores:
        return self.below_root(node)

    def below_root(self, node: Node) -> Scores:
        value, qvalues, prior = float(node.value[node.seat]), node.qvalues(), node.prior()
        low, high = min([value, *qvalues.values()]), max([value, *qvalues.values()])
        spread = max(high - low, 1e-8)
        factor = self.c_init + math.log((node.visits + self.c_base + 1) / self.c_base)
        bonus = math.sqrt(node.visits) * factor
        scores = {
            a: (qvalues.get(a, low) - low) / spread + bonus * prior[a] / (1 + visits)
            for a, visits in node.child_visits().items()
        }
        return Scores(scores, ROUNDING * (1 + 1 / spread if qvalues else 1))

    def conclude(self, node: Node) -> tuple[list[int], dict[int, float]]:
        visits = node.child_visits()
        most = max(visits.values())
        policy = {a: count / sum(visits.values()) for a, count in visits.items()}
        return [a for a in visits if visits[a] == most], policy


@dataclasses.dataclass(frozen=True)
class PlainUct:
    """UCB1 with values as gains in [0, 1]; actions that were not tried come first, by logit."""

    c: float

    def root_order(self, node: Node) -> dict[int, float]:
        return node.logits

    def at_root(self, node: Node, done: int, budget: int) -> Scores:
        return self.below_root(node)

    def below_root(self, node: Node) -> Scores:
        visits, qvalues = node.child_visits(), node.qvalues()
        untried = {a: node.logits[a] for a in node.kept if visits[a] == 0}
        if untried:
            return Scores(untried, ROUNDING)
        scores = {
            a: (1 + qvalues[a]) / 2 + self.c * math.sqrt(math.log(node.visits) / visits[a])
            for a in node.kept
        }
        return Scores(scores, ROUNDING)

    def conclude(self, node: Node) -> tuple[list[int], dict[int, float]]:
        visits, qvalues = node.child_visits(), node.qvalues()
        most = max(visits.values())
        of_most = {a: qvalues[a] for a in visits if visits[a] == most}
        policy = {a: count / sum(visits.values()) for a, count in visits.items()}
        return Scores(of_most, ROUNDING).best(), policy


@dataclasses.dataclass(frozen=True)
class PlainGumbel:
    """Gumbel MuZero: sequential halving at the root, the improved policy below."""

    noise: np.ndarray  # by action
    max_considered: int
    value_scale: float = 0.1
    visit_offset: float = 50.0
    rescale_values: bool = True

    def root_order(self, node: Node) -> dict[int, float]:
        return {a: logit + float(self.noise[a]) for a, logit in node.logits.items()}

    def at_root(self, node: Node, done: int, budget: int) -> Scores:
        considered = min(self.max_considered, len(node.kept))
        wanted = next(itertools.islice(halving(considered, budget), done, None))
        return self._among(node, wanted)

    def below_root(self, node: Node) -> Scores:
        completed, _, rounding = self._completed(node)
        improved = _softmax({a: node.logits[a] + completed[a] for a in node.kept})
        visits = node.child_visits()
        total = sum(visits.values())
        return Scores({a: improved[a] - visits[a] / (1 + total) for a in node.kept}, rounding)

    def conclude(self, node: Node) -> tuple[list[int], dict[int, float]]:
        completed, mixed, _ = self._completed(node)
        logits = {a: logit + completed.get(a, mixed) for a, logit in node.logits.items()}
        return self._among(node, max(node.new_visits().values())).best(), _softmax(logits)

    def _among(self, node: Node, wanted: int) -> Scores:
        completed, _, rounding = self._completed(node)
        order, visits = self.root_order(node), node.new_visits()
        among = [a for a in node.kept if visits[a] == wanted]
        return Scores({a: order[a] + completed[a] for a in among}, rounding)

    def _completed(self, node: Node) -> tuple[dict[int, float], float, float]:
        prior, qvalues, visits = node.prior(), node.qvalues(), node.child_visits()
        mixed, count = float(node.raw[node.seat]), sum(visits.values())
        if qvalues:
            seen = sum(prior[a] for a in qvalues)
            weighted = sum(prior[a] * q for a, q in qvalues.items()) / seen
            mixed = (mixed + count * weighted) / (1 + count)
        low, high = min([mixed, *qvalues.values()]), max([mixed, *qvalues.values()])
        scale = (self.visit_offset + max(visits.values())) * self.value_scale
        if self.rescale_values:
            scale /= max(high - low, 1e-8)
        else:
            low = 0.0
        rounding = ROUNDING * (1 + scale if qvalues else 1)
        completed = {a: scale * (qvalues.get(a, mixed) - low) for a in node.kept}
        return completed, scale * (mixed - low), rounding


def halving(considered: int, budget: int) -> Iterator[int]:
    """Yields the visits that an action must have to be tried next (the paper's figure 1)."""
    if considered <= 1:
        yield from itertools.count()
    rounds, left, visits = math.ceil(math.log2(considered)), considered, 0
    while True:
        for _ in range(max(1, budget // (rounds * left))):
            yield from [visits] * left
            visits += 1
        left = max(2, left // 2)


@dataclasses.dataclass(frozen=True)
class Result:
    """A search with its ties broken in one way."""

    root: Node
    actions: list[int]  # those that may be chosen
    policy: dict[int, float]

    @property
    def visits(self) -> dict[int, int]:
        return {a: child.visits for a, child in self.root.children.items()}


@dataclasses.dataclass(frozen=True)
class PlainSearch:
    """The search of one position."""

    rules: Any
    evaluator: Any
    simulations: int
    max_children: int | None = None  # actions that a node keeps

    def results(
        self,
        state: Any,
        policy: Any,
        root_logits: np.ndarray | None = None,
        root: Node | None = None,
    ) -> list[Result]:
        """Returns the result for each way to break the ties, of which there must be few.

        Args:
            state: the position.
            policy: how to select.
            root_logits: prior of the position with noise, by action; None: what the evaluator says.
            root: the position in the tree of an earlier search, if that is kept.
        """
        if root is None:
            root = self._node(state)
            root.visits, root.total = 1, root.raw.copy()
            if root_logits is not None:
                root.logits = _of_actions(root_logits, root.logits)
            root.kept = self._kept(policy.root_order(root))
        elif root_logits is not None:
            root = dataclasses.replace(root, logits=_of_actions(root_logits, root.logits))
        found: list[Result] = []
        waiting: list[list[int]] = [[]]
        while waiting:
            breaks = waiting.pop()
            options: list[int] = []
            found.append(self._result(root.copy(), policy, breaks, options))
            for index in range(len(breaks), len(options)):
                first = breaks + [0] * (index - len(breaks))
                waiting += [[*first, other] for other in range(1, options[index])]
            assert len(found) + len(waiting) <= MOST_RESULTS, "too many ties"
        return found

    def _result(self, root: Node, policy: Any, breaks: list[int], options: list[int]) -> Result:
        """Searches below `root`; `breaks` says which of the actions that tie is taken each time."""

        def chosen(scores: Scores) -> int:
            best = scores.best()
            if len(best) == 1:
                return best[0]
            options.append(len(best))
            return best[breaks[len(options) - 1] if len(options) <= len(breaks) else 0]

        number = len(root.subtree())
        for done in range(self.simulations):
            path, node = [root], root
            action = chosen(policy.at_root(root, done, self.simulations))
            while action in node.children and node.children[action].seat >= 0:
                node = node.children[action]
                path.append(node)
                action = chosen(policy.below_root(node))
            if action not in node.children:
                node.children[action] = self._node(_step(self.rules, node.state, action))
                node.children[action].number = number
                number += 1
            leaf = node.children[action]
            for visited in [*path, leaf]:
                visited.visits += 1
                visited.total = visited.total + leaf.raw
        return Result(root, *policy.conclude(root))

    def _node(self, state: Any) -> Node:
        logits, values, mask, seat = jax.device_get(_look_at(self.rules, self.evaluator, state))
        by_action = _of_actions(logits, np.flatnonzero(mask))
        return Node(state, int(seat), values.astype(float), by_action, self._kept(by_action))

    def _kept(self, preference: dict[int, float]) -> list[int]:
        return sorted(preference, key=lambda a: -preference[a])[: self.max_children]


@functools.partial(jax.jit, static_argnums=(0, 1))
def _look_at(rules: Any, evaluator: Any, state: Any) -> tuple[Any, ...]:
    """Returns logits, values, legal actions and seat of one position, -1 if it is over."""
    evaluation = evaluator((), jax.tree.map(lambda x: x[None], state), None)
    over = rules.is_over(state)
    values = jnp.where(over, rules.returns(state), evaluation.values[0])
    seat = jnp.where(over, -1, rules.to_move(state))
    return evaluation.logits[0], values, rules.legal_actions(state), seat


@functools.partial(jax.jit, static_argnums=0)
def _step(rules: Any, state: Any, action: Any) -> Any:
    return rules.step(state, action, None)


def _of_actions(logits: np.ndarray, actions: Any) -> dict[int, float]:
    return {int(action): float(logits[action]) for action in actions}


def _softmax(logits: dict[int, float]) -> dict[int, float]:
    top = max(logits.values())
    weight = {a: math.exp(logit - top) for a, logit in logits.items()}
    whole = sum(weight.values())
    return {a: w / whole for a, w in weight.items()}
