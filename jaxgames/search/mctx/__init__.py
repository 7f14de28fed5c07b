"""The interface of mctx on the tree of this library: `import jaxgames.search.mctx as mctx`.

A program written for [mctx](https://github.com/google-deepmind/mctx) runs unchanged, but for what
is listed below. Names, arguments, defaults, results and random numbers are those of mctx 0.0.71;
time and memory grow in proportion to the number of simulations. What is different:

* `search_tree` computes its fields by action when they are read; `children_prior_logits` adds up to
  1 as probabilities at each node, -60000 stands for minus infinity, and it has no `replace`.
* A q-transform or a selection function of the caller's own sees the node that it selects at, as a
  tree whose only node has the index 0, and no other node: one that scales by the least and the
  greatest of all `node_values` gets those of one node, without an error.
* Of roots without any finite prior logit, the choice may be another.
* Below the root, an action of probability 0 is never selected.
* Values and priors are kept in at least 32 bits.
* `RecurrentFnOutput` may leave out rewards or discounts: None.
"""

from jaxgames.search.mctx.action_selection import (
    gumbel_muzero_interior_action_selection,
    gumbel_muzero_root_action_selection,
    muzero_action_selection,
)
from jaxgames.search.mctx.base import (
    ChanceRecurrentFnOutput,
    DecisionRecurrentFnOutput,
    GumbelMuZeroExtraData,
    InteriorActionSelectionFn,
    LoopFn,
    PolicyOutput,
    RecurrentFn,
    RecurrentFnOutput,
    RecurrentState,
    RootActionSelectionFn,
    RootFnOutput,
)
from jaxgames.search.mctx.policies import gumbel_muzero_policy, muzero_policy
from jaxgames.search.mctx.qtransforms import (
    qtransform_by_min_max,
    qtransform_by_parent_and_siblings,
    qtransform_completed_by_mix_value,
)
from jaxgames.search.mctx.search import search
from jaxgames.search.mctx.search_tree import Tree
from jaxgames.search.mctx.stochastic import stochastic_muzero_policy

__all__ = [
    "ChanceRecurrentFnOutput",
    "DecisionRecurrentFnOutput",
    "GumbelMuZeroExtraData",
    "InteriorActionSelectionFn",
    "LoopFn",
    "PolicyOutput",
    "RecurrentFn",
    "RecurrentFnOutput",
    "RecurrentState",
    "RootActionSelectionFn",
    "RootFnOutput",
    "Tree",
    "gumbel_muzero_interior_action_selection",
    "gumbel_muzero_policy",
    "gumbel_muzero_root_action_selection",
    "muzero_action_selection",
    "muzero_policy",
    "qtransform_by_min_max",
    "qtransform_by_parent_and_siblings",
    "qtransform_completed_by_mix_value",
    "search",
    "stochastic_muzero_policy",
]
