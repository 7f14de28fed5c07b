"""Search with a model of the future instead of `Rules`: on the same tree, with the same backup.

A model predicts what follows an action from an embedding, and every node keeps its embedding. The
rewards and discounts of a model are stored at the children. A model without them costs nothing
more than a game.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import select_rows
from jaxgames.search.agent import Params
from jaxgames.search.tree import access, backup, descent, empty_trees, growth, views, whole
from jaxgames.search.tree.arrays import (
    EXPANDED,
    NO_CHILD,
    ROOT,
    ChildChoice,
    Edge,
    Nodes,
    NodeView,
    Trees,
    at_least_32_bits,
)
from jaxgames.search.tree.conversions import converted
from jaxgames.search.tree.empty_trees import Extras, Size

Embedding = Any
"""What a model knows of a state: a pytree of arrays with a leading axis `W`, in a tree `B N`."""

LEAST_LOG_PRIOR = -60000.0  # of an action without any prior: above `EXPANDED`, its `exp` is 0


class Prediction(NamedTuple):
    """What a model predicts in each of `W` lanes: a state, and the edge that leads to it."""

    logits: Float[Array, "W actions"]
    """The prior; an action of minus infinity is never selected below the root."""
    value: Float[Array, "W V"]
    """The value for each seat, or with `V = 1` for the seat 0 of a zero-sum game."""
    seat: Int32[Array, "W"]
    """The seat to move; `OVER` where nothing follows, `CHANCE` where chance moves."""
    reward: Float[Array, "W V"] | None
    """The reward of the edge; None where the model has none."""
    discount: Float[Array, "W"] | None
    """The factor of all values behind the edge; None where it is 1."""


class Model(Protocol):
    """Predicts what follows an action in each lane."""

    def __call__(
        self,
        params: Params,
        key: PRNGKeyArray,
        action: Int32[Array, "W"],
        embedding: Embedding,
    ) -> tuple[Prediction, Embedding]:
        """Returns the prediction after the action, and the embedding of the state it leads to."""
        ...


class Visit(NamedTuple):
    """A node that a descent stands at, in each of `W` lanes."""

    node: Int32[Array, "W"]
    depth: Int32[Array, ""]  # 0 at the root
    key: PRNGKeyArray  # one for each lane


ChooseEdge = Callable[[Trees, Visit], Edge]
"""Chooses the edges to take from the nodes of a visit."""


class SelectionRules(NamedTuple):
    """Selection by what a `NodeView` shows: the quick way, without a key."""

    at_root: Callable[[NodeView], ChildChoice]
    below_root: Callable[[NodeView], ChildChoice]
    root_order: Float[Array, "B actions"] | None  # orders slots without a child; None: by prior


class Selection(NamedTuple):
    """How a search selects edges.

    With both fields, rules select, and `choose` decides where they say that noise does. Without
    `rules`, `choose` selects everything; without `choose`, rules do.
    """

    rules: SelectionRules | None
    choose: ChooseEdge | None


class ModelRoots(NamedTuple):
    """The roots of a search."""

    prediction: Prediction  # of the roots; reward and discount are not looked at
    embedding: Embedding
    filled: Bool[Array, "B actions"]  # the actions that may be taken at the root


def search(
    model: Model,
    params: Params,
    start: ModelRoots,
    selection: Selection,
    simulations: int,
    key: PRNGKeyArray,
    max_depth: Int32[Array, ""] | int | None = None,
    loop: Callable[..., Any] = jax.lax.fori_loop,
) -> Trees:
    """Returns the trees after all simulations.

    The simulation `i` writes node `i + 1`, unless it ends at a node of the greatest depth that is
    there already: this one is predicted anew.

    Args:
        model: predicts what follows an action.
        params: the parameters of the model.
        start: the roots.
        selection: how edges are selected.
        simulations: predictions below the root.
        key: of all randomness; each simulation splits it in three: the key of the next simulation,
            the key of the selection and the key of the model.
        max_depth: the most edges of a path; None: no limit.
        loop: runs the simulations, called as `jax.lax.fori_loop` is.
    """
    tree = _with_roots(model, params, start, selection, simulations, key)
    params = converted(model, params, key, _lanes(tree), start.embedding)

    def simulate(number: Int32[Array, ""], carry: tuple[Any, ...]) -> tuple[Any, ...]:
        key, tree, lists = carry
        key, select_key, model_key = jax.random.split(key, 3)
        end = _descend(tree, selection, select_key, max_depth)
        embedding = jax.tree.map(lambda x: tree.read(x, _lanes(tree), end.parent), tree.state)
        new, embedding = model(params, model_key, end.edge.slot, embedding)
        node = _nodes(new, embedding, tree.value.dtype)
        tree, lists = _expand(tree, lists, end, number + 1, node, new, selection)
        return key, tree, lists

    _, tree, _ = loop(0, simulations, simulate, (key, tree, backup.empty_lists(tree)))
    return tree


def _lanes(tree: Trees) -> Int32[Array, "B"]:
    return jnp.arange(len(tree.used), dtype=jnp.int32)


def _with_roots(
    model: Model,
    params: Params,
    start: ModelRoots,
    selection: Selection,
    simulations: int,
    key: PRNGKeyArray,
) -> Trees:
    """Returns trees that consist of their roots."""
    batch, slots = start.filled.shape
    lanes = jnp.arange(batch, dtype=jnp.int32)
    at_root = jnp.zeros_like(lanes)
    # Parameters may hold what is no array.
    after = functools.partial(model, params)
    below, _ = jax.eval_shape(after, key, at_root, start.embedding)
    size = Size(
        batch=batch,
        nodes=1 + simulations,
        slots=slots,
        num_actions=None,
        value_size=start.prediction.value.shape[-1],
        words=None,
        wide=True,
        whole=selection.rules is not None and whole.is_better(1 + simulations),
    )
    extras = Extras(
        dtype=jnp.promote_types(start.prediction.value.dtype, jnp.float32),
        has_reward=below.reward is not None,
        has_discount=below.discount is not None,
        has_ties=selection.rules is not None and selection.choose is not None,
    )
    tree = empty_trees.empty(size, extras)
    tree = tree.replace(
        state=jax.tree.map(
            lambda x: jnp.zeros((batch, 1 + simulations, *x.shape[1:]), x.dtype), start.embedding
        )
    )
    node = _nodes(start.prediction, start.embedding, tree.value.dtype)
    node = node._replace(log_prior=jnp.where(start.filled, node.log_prior, EXPANDED))
    order = None if selection.rules is None else selection.rules.root_order
    if order is not None:
        order = jnp.where(start.filled, order, EXPANDED)
    tree = growth.write_node(tree, lanes, at_root, node, order)
    return tree.replace(
        used=tree.used + 1,
        visits=tree.put(tree.visits, lanes, at_root, jnp.ones_like(lanes)),
        value=tree.put(tree.value, lanes, at_root, node.value),
    )


def _nodes(predicted: Prediction, embedding: Embedding, dtype: jnp.dtype) -> Nodes:
    """Returns predicted states as nodes of a tree, in which slot and action are the same.

    Values are those of the tree's type: a model may compute in a smaller one. Where no logit is
    finite, or one is NaN, only the first action has a prior, as mctx takes it there.
    """
    logits = at_least_32_bits(predicted.logits)
    action = jnp.broadcast_to(jnp.arange(logits.shape[-1]), logits.shape)
    log_prior = jax.nn.log_softmax(jnp.minimum(logits, jnp.finfo(logits.dtype).max))
    only_first = jnp.where(action == 0, 0.0, LEAST_LOG_PRIOR)
    return Nodes(
        log_prior=jnp.where(
            jnp.isnan(log_prior), only_first, jnp.maximum(log_prior, LEAST_LOG_PRIOR)
        ),
        action=action,
        value=predicted.value.astype(dtype),
        seat=predicted.seat,
        state=embedding,
    )


def _descend(
    tree: Trees,
    selection: Selection,
    key: PRNGKeyArray,
    max_depth: Int32[Array, ""] | int | None,
) -> descent.End:
    """Returns the leaf that each lane looks at next."""
    lanes = _lanes(tree)
    runs = jnp.ones_like(lanes, dtype=bool)
    root = jnp.full_like(lanes, ROOT)
    rules, choose = selection
    if rules is None:
        assert choose is not None, "one of both selects"
        return _descend_choosing(tree, choose, key, max_depth)
    edge = backup.select_at_root(tree, lanes, runs, rules.at_root)

    def decided(
        node: Int32[Array, "B"], depth: Int32[Array, ""], counts: Bool[Array, "B"], edge: Edge
    ) -> Edge:
        """Returns the edges, chosen anew where noise decides; else this costs nothing."""
        assert choose is not None, "else rules decide"
        assert edge.tied is not None, "rules that leave ties to noise report them"
        is_open = counts & edge.tied

        def chosen() -> Edge:
            found = choose(tree, Visit(node, depth, _keys_at(key, len(lanes), depth)))
            return select_rows(is_open, found._replace(tied=edge.tied), edge)

        return jax.lax.cond(is_open.any(), chosen, lambda: edge)

    def next_edge(
        node: Int32[Array, "B"], depth: Int32[Array, ""], counts: Bool[Array, "B"]
    ) -> Edge:
        return decided(node, depth, counts, descent.next_edge(tree, lanes, node))

    if choose is not None:
        edge = decided(root, jnp.int32(0), runs, edge)
    if tree.is_whole:
        decide = None if choose is None else decided
        found = whole.descend(tree, runs, edge, False, rules.below_root, decide, max_depth)
        return descent.End(*found)
    return descent.follow_next_edges(
        tree,
        descent.RootEdges(lanes, runs, edge),
        None if choose is None else next_edge,
        max_depth,
    )


def _descend_choosing(
    tree: Trees,
    choose: ChooseEdge,
    key: PRNGKeyArray,
    max_depth: Int32[Array, ""] | int | None,
) -> descent.End:
    """Descends with a key for each level, which the level before hands down."""
    lanes = _lanes(tree)

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        depth, node, edge, keys, goes_on = carry
        node = jnp.where(goes_on, edge.child, node)
        keys, now = _split(keys)
        found = choose(tree, Visit(node, depth, now))
        edge = select_rows(goes_on, found, edge)
        goes_on = goes_on & views.can_descend(tree, lanes, edge.child)
        if max_depth is not None:
            goes_on = goes_on & (depth + 1 < max_depth)
        return depth + 1, node, edge, keys, goes_on

    none = jnp.full_like(lanes, ROOT)
    nothing = Edge(slot=none, child=none, prior=jnp.zeros(len(lanes), tree.prior.dtype))
    keys = jax.random.split(key, len(lanes))
    start = jnp.int32(0), none, nothing, keys, jnp.ones_like(lanes, dtype=bool)
    depth, node, edge, _, _ = jax.lax.while_loop(lambda carry: carry[-1].any(), one_level, start)
    return descent.End(depth - 1, node, edge, descent.no_counts(tree, lanes))


def _split(keys: PRNGKeyArray) -> tuple[PRNGKeyArray, PRNGKeyArray]:
    """Returns two keys for the key of each lane, of either kind of keys."""
    both = jax.vmap(jax.random.split)(keys)
    return both[:, 0], both[:, 1]


def _keys_at(key: PRNGKeyArray, batch: int, depth: Int32[Array, ""]) -> PRNGKeyArray:
    """Returns the keys that `_descend_choosing` uses at a depth: those that mctx has there."""
    keys = jax.random.split(jax.random.clone(key), batch)  # derived anew at each depth
    above = jax.lax.fori_loop(0, depth, lambda _, keys: _split(keys)[0], keys)
    return _split(above)[1]


def _expand(
    tree: Trees,
    lists: backup.Lists,
    end: descent.End,
    number: Int32[Array, ""],
    new: Nodes,
    predicted: Prediction,
    selection: Selection,
) -> tuple[Trees, backup.Lists]:
    """Returns the trees with the new leaves written and all values backed up."""
    lanes, nowhere = _lanes(tree), len(tree.used)
    rules, edge = selection.rules, end.edge
    is_new = edge.child == NO_CHILD
    node = jnp.where(is_new, number, edge.child)
    tree = growth.write_node(tree, lanes, node, new)
    # A node of the greatest depth has the value of its latest prediction, not the mean.
    tree = tree.replace(value=tree.put(tree.value, lanes, node, new.value))
    if tree.reward is not None and predicted.reward is not None:
        reward = predicted.reward.astype(tree.reward.dtype)
        tree = tree.replace(reward=tree.put(tree.reward, lanes, node, reward))
    if tree.discount is not None and predicted.discount is not None:
        discount = predicted.discount.astype(tree.discount.dtype)
        tree = tree.replace(discount=tree.put(tree.discount, lanes, node, discount))
    linked = jnp.where(is_new, lanes, nowhere)
    order = None if rules is None else rules.root_order
    tree = growth.link(tree, linked, end.parent, edge.slot, edge.prior, node, order)
    if tree.is_whole:
        passes = jnp.ones_like(is_new)
        return whole.back_up(tree, end.marks, passes, node, new.value), lists
    path = backup.BackupPath(lanes, node, end.parent, is_new, end.marks)
    tree, lists, lengths = backup.back_up(tree, path, new.value, lists)
    if rules is None:
        return tree, lists
    tree = backup.renew(tree, lists, lengths, rules.below_root, len(lanes))
    links = tree.stored
    if links.next_tied is not None:
        first = backup.among(tree, lanes, node, rules.below_root, width=1)
        assert first.tied is not None, "rules that leave ties to noise report them"
        tied = access.put(links.next_tied, lanes, node, first.tied)
        tree = tree.replace(links=links._replace(next_tied=tied))
    return tree, lists
