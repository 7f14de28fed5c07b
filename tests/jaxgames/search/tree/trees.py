"""Search trees taken off the device: nodes and root statistics by action, for tests to look at."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.tree.arrays import OVER, ROOT, Trees
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from jaxgames.testing import playouts
from tests.plain_search import Node as PlainNode
from tests.plain_search import PlainGumbel, PlainPuct, PlainSearch, PlainUct, Result
from tests.quick_compilation import NEWER_FUSIONS

ALIKE = {"xla_backend_optimization_level": 0} | NEWER_FUSIONS
"""For `jax.jit` in tests that compare several programs to the last digit. The older emitter, which
the suite uses otherwise, compiles in a third of the time, and rounds sums of many numbers
differently in batches of another size."""

FEW_ACTIONS = 8
"""So few numbers are summed one after the other by both emitters."""


def each_policy(slow: tuple[str, ...] = (), **policies: Any) -> pytest.MarkDecorator:
    """Returns the mark that runs a test with every policy; some of them only with slow tests."""
    return pytest.mark.parametrize(
        "policy",
        [
            pytest.param(policy, id=name, marks=pytest.mark.slow if name in slow else ())
            for name, policy in policies.items()
        ],
    )


Path = tuple[int, ...]
"""The actions from the root to a node."""


class Node(NamedTuple):
    """A node of one lane."""

    parent: int
    path: Path
    visits: int
    value: np.ndarray
    raw_value: np.ndarray
    seat: int
    state: np.ndarray | None


def decide(search: TreeSearch, state: Any, key: Any, params: Any = (), memory: Any = ()) -> Any:
    """Returns the decision of a search together with its tree, at the cost of one search."""
    found = search.search(params, memory, state, key)
    with mock.patch.object(TreeSearch, "search", return_value=found):
        return search.act(params, memory, state, key)[0], found


@functools.partial(jax.jit, static_argnums=0)
def decide_compiled(search: TreeSearch, state: Any, key: Any, params: Any = ()) -> Any:
    """Returns `decide` for a search without memory."""
    return decide(search, state, key, params)


def jit_alike(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a function of a search; it rounds alike in batches of all sizes."""
    few, many = (
        jax.jit(function, static_argnums=0, compiler_options=options) for options in (None, ALIKE)
    )

    @functools.wraps(function)
    def compiled(search: Any, *arguments: Any) -> Any:
        return (few if search.rules.num_actions <= FEW_ACTIONS else many)(search, *arguments)

    return compiled


decide_alike = jit_alike(decide)
"""Returns the same as `decide_compiled`, to the last digit also in batches of other sizes."""


def root_visits(tree: Trees, num_actions: int) -> np.ndarray:
    """Returns the visits of the root's children by action."""
    visits, parent, used = (np.asarray(x) for x in (tree.visits, tree.parent, tree.used))
    nodes = np.arange(visits.shape[1])
    is_child = (nodes > ROOT) & (nodes < used[:, None]) & (parent == ROOT)
    lane, node = np.nonzero(is_child)
    found = np.zeros((len(visits), num_actions), int)
    found[lane, actions(tree)[lane, node]] = visits[lane, node]
    return found


def nodes(tree: Trees) -> list[list[Node]]:
    """Returns the nodes of every lane in the order of their numbers."""
    host = jax.tree.map(np.asarray, tree)
    taken = actions(tree)
    lanes = []
    for lane, used in enumerate(host.used):
        found: list[Node] = []
        for number in range(used):
            parent = int(host.parent[lane, number])
            above = found[parent].path if number != ROOT else ()
            path = (*above, int(taken[lane, number])) if number != ROOT else ()
            rows = (x[lane, number] for x in (host.visits, host.value, host.raw_value, host.seat))
            state = None if host.state is None else host.state[lane, number]
            found.append(Node(parent, path, *rows, state))
        lanes.append(found)
    return lanes


def actions(tree: Trees) -> np.ndarray:
    """Returns the action that leads to each node; some number for roots and unused nodes."""
    slot, parent = np.asarray(tree.slot), np.asarray(tree.parent)
    if tree.action is None:
        return slot
    return np.asarray(tree.action)[np.arange(len(slot))[:, None], parent, slot]


def is_over(node: Node) -> bool:
    return node.seat == OVER


def plain_results(
    search: TreeSearch, state: Any, key: Any, lane: int, root: PlainNode | None = None
) -> list[Result]:
    """Returns the results of one position in 64-bit numbers, one for each way to break ties."""
    rules, policy = search.rules, search.policy
    plain = PlainSearch(rules, search.evaluator, search.simulations, search.max_children)
    one = playouts.at(state, lane)
    mask = jax.vmap(rules.legal_actions)(state)
    if isinstance(policy, Uct):
        return plain.results(one, PlainUct(policy.c), root=root)
    if isinstance(policy, Gumbel):
        noise = gumbel_noise(key, mask.shape)[lane]
        rule = PlainGumbel(noise, policy.max_considered, rescale_values=policy.rescale_values)
        return plain.results(one, rule, root=root)
    logits = search.evaluator((), state, None).logits
    drawn = policy.draw(jax.typeof(logits), jax.random.split(key)[1])
    noisy, _ = policy.prepare(logits, mask, drawn)
    return plain.results(one, PlainPuct(), np.asarray(noisy[lane]), root)


def gumbel_noise(key: Any, shape: tuple[int, int], scale: float = 1.0) -> np.ndarray:
    """Returns the noise that mctx draws in a search with this key."""
    _, search_key = jax.random.split(key)
    _, noise_key = jax.random.split(search_key)
    return np.asarray(scale * jax.random.gumbel(noise_key, shape, jnp.float32))
