"""A tree search between two pieces of its work, and when it is finished."""

from typing import Any, NamedTuple

from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames.search.agent import GameStates
from jaxgames.search.tree import backup
from jaxgames.search.tree.arrays import Trees
from jaxgames.search.tree.policy import Root
from jaxgames.search.tree.reuse import KeptRoots


class SearchProgress(NamedTuple):
    """The variables of the loop over simulations."""

    tree: Trees
    root: Root
    waits: Bool[Array, "B"]  # roots that are not evaluated yet
    left: Int32[Array, "B"]  # budget still to spend: without `cost`, simulations still to come
    lists: backup.Lists  # scratch space: its content is not kept


class SearchKeys(NamedTuple):
    """The keys of the simulations."""

    root: PRNGKeyArray  # evaluations of roots
    chance: PRNGKeyArray
    leaf: PRNGKeyArray  # evaluations of leaves


class SearchInputs(NamedTuple):
    """What all simulations of a search share."""

    determinizations: GameStates  # of each root, in front; roots are evaluated in the first one
    drawn: Any  # random numbers of the policy
    kept: KeptRoots | None  # None: the search keeps no trees
    budget: Int32[Array, "B"]
    schedule: Int32[Array, "B"] | None  # simulations that the policy plans with; None: the setting
    root_edge: Int32[Array, "B"] | None
    """The place, in the order of the root, of the action that all simulations of a lane take there;
    None: the policy selects it."""
    keys: SearchKeys


class SearchRun(NamedTuple):
    """A search that has begun, between two pieces of its work."""

    inputs: SearchInputs
    progress: SearchProgress
    rounds: Int32[Array, ""]  # made so far: the roots, then one for each simulation
    visits_before: Int32[Array, "B"]


class RunFlags(NamedTuple):
    """How far a search is; few numbers, which a host may read between two pieces."""

    is_running: Bool[Array, "B"]
    waits: Bool[Array, "B"]  # roots that are not evaluated yet
    made: Int32[Array, "B"]  # simulations
    settled_for: Int32[Array, "B"]
    """How many further simulations cannot change the action, at least."""


class TreeSearchResult(NamedTuple):
    """A finished search, before the policy decides."""

    tree: Trees
    root: Root
    simulations: Int32[Array, "B"]  # made in this search
