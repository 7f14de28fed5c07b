"""`search`: the tree search under all policies, where functions of the caller select actions."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import jax_modes
from jaxgames.search.mctx.base import (
    InteriorActionSelectionFn,
    LoopFn,
    Params,
    RecurrentFn,
    RecurrentState,
    RootActionSelectionFn,
    RootFnOutput,
    check_output,
    check_roots,
)
from jaxgames.search.mctx.search_tree import Tree, edge_of, one_node
from jaxgames.search.tree import arrays, model_search
from jaxgames.search.tree.arrays import Edge
from jaxgames.search.tree.model_search import (
    ModelRoots,
    Prediction,
    Selection,
    SelectionRules,
    Visit,
)


@jax_modes.standard_promotion
@allows_empty("root", "invalid_actions", "extra_data")
def search(
    params: Params,
    rng_key: PRNGKeyArray,
    *,
    root: RootFnOutput,
    recurrent_fn: RecurrentFn,
    root_action_selection_fn: RootActionSelectionFn,
    interior_action_selection_fn: InteriorActionSelectionFn,
    num_simulations: int,
    max_depth: int | None = None,
    invalid_actions: Bool[Array, "B num_actions"] | None = None,
    extra_data: Any = None,
    loop_fn: LoopFn = jax.lax.fori_loop,
) -> Tree:
    """Returns the trees of a search in which the caller's functions select actions.

    The functions get a `NodeTree`: the node to select at, with all its actions, as a tree without
    batch axis. So a simulation costs time in proportion to the number of actions and to the depth
    of its path. The policies cost less, since they know more of their functions.

    Args:
        params: the parameters of the model.
        rng_key: of all randomness.
        root: what the model says of the roots.
        recurrent_fn: the model, called with parameters, a key, actions and embeddings.
        root_action_selection_fn: selects at the root.
        interior_action_selection_fn: selects below it.
        num_simulations: the number of simulations, each with one call of `recurrent_fn`.
        max_depth: the most edges of a path; None: no limit.
        invalid_actions: a mask of actions, which the functions see; None: all actions are valid.
        extra_data: seen by the functions; each array has a leading axis `B`.
        loop_fn: runs the simulations, as `jax.lax.fori_loop` does.
    """
    check_roots(root, invalid_actions)
    if invalid_actions is None:
        invalid_actions = jnp.zeros_like(root.prior_logits)
    # The caller's functions mask invalid actions, or leave that be: the tree has them all.
    return tree_of(
        as_model(recurrent_fn),
        params,
        rng_key,
        root,
        jnp.ones(root.prior_logits.shape, dtype=bool),
        invalid_actions,
        num_simulations,
        max_depth,
        loop_fn,
        rules=None,
        at_root=root_action_selection_fn,
        below_root=interior_action_selection_fn,
        extra_data=extra_data,
    )


def tree_of(
    model: model_search.Model,
    params: Params,
    rng_key: PRNGKeyArray,
    root: RootFnOutput,
    valid: Bool[Array, "B slots"],
    invalid: Float[Array, "B num_actions"],
    num_simulations: int,
    max_depth: int | None,
    loop_fn: LoopFn,
    *,
    rules: SelectionRules | None,
    at_root: RootActionSelectionFn,
    below_root: InteriorActionSelectionFn,
    extra_data: Any = None,
    exact: bool = True,
) -> Tree:
    """Returns the trees of a search: what all policies do after they have prepared the roots.

    Args:
        model: the model.
        params: the parameters of the model.
        rng_key: of all randomness.
        root: what the model says of the roots.
        valid: the mask of slots that may be taken at the root.
        invalid: the mask of invalid actions that functions of the caller see.
        num_simulations: the number of simulations.
        max_depth: the most edges of a path; None: no limit.
        loop_fn: runs the simulations.
        rules: selects by the children of a node; None: the following functions select.
        at_root: selects at the root, with the interface of mctx.
        below_root: selects below it.
        extra_data: seen by the functions.
        exact: whether the functions decide where rules say that noise does; else rules decide all.
    """
    choose = None
    if rules is None or exact:
        choose = _chooser(at_root, below_root, invalid, extra_data, valid.shape[-1])
    nodes = model_search.search(
        model,
        params,
        ModelRoots(_root_prediction(root), root.embedding, valid),
        Selection(rules, choose),
        num_simulations,
        rng_key,
        max_depth,
        loop_fn,
    )
    return Tree(
        nodes=nodes,
        root_invalid_actions=invalid,
        extra_data=extra_data,
        num_actions=invalid.shape[-1],
    )


def _chooser(
    at_root: RootActionSelectionFn,
    below_root: InteriorActionSelectionFn,
    invalid_actions: Float[Array, "B num_actions"],
    extra_data: Any,
    num_actions: int,
) -> model_search.ChooseEdge:
    """Returns the selection of edges by functions with the interface of mctx."""

    def choose(nodes: arrays.Trees, visit: Visit) -> Edge:
        seen = one_node(nodes, visit.node, invalid_actions, extra_data, num_actions)

        def selected(function: Callable[[Any, Any], Int32[Array, ""]]) -> Callable[[], Array]:
            return lambda: jax.vmap(function)(visit.key, seen)

        action = jax.lax.cond(
            visit.depth == 0,
            selected(lambda key, tree: jnp.asarray(at_root(key, tree, 0), jnp.int32)),
            selected(
                lambda key, tree: jnp.asarray(below_root(key, tree, 0, visit.depth), jnp.int32)
            ),
        )
        return edge_of(nodes, visit.node, action)

    return choose


def _root_prediction(root: RootFnOutput) -> Prediction:
    """Returns what the tree keeps of the roots, which one and the same seat values."""
    seat = jnp.zeros(len(root.value), jnp.int32)
    return Prediction(root.prior_logits, _as_column(root.value), seat, None, None)


def as_model(recurrent_fn: RecurrentFn) -> model_search.Model:
    """Returns the model of a `recurrent_fn`: all values are those of one seat.

    The model raises a `ValueError` for an output of another shape.
    """

    def model(
        params: Params, key: PRNGKeyArray, action: Int32[Array, "B"], embedding: RecurrentState
    ) -> tuple[Prediction, RecurrentState]:
        output, embedding = recurrent_fn(params, key, action, embedding)
        check_output(output, action.shape)
        return prediction(output, jnp.zeros_like(action)), embedding

    return model


def prediction(output: Any, seat: Int32[Array, "B"]) -> Prediction:
    """Returns what the tree keeps of a `RecurrentFnOutput`."""
    reward = None if output.reward is None else _as_column(output.reward)
    discount = None if output.discount is None else jnp.asarray(output.discount)
    logits = jnp.asarray(output.prior_logits)
    return Prediction(logits, _as_column(output.value), seat, reward, discount)


def _as_column(numbers: Float[Array, "B"]) -> Float[Array, "B 1"]:
    return jnp.asarray(numbers)[:, None]
