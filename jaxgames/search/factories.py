"""Tree searches from their settings: `tree_search` takes objects, the others single settings."""

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from jaxgames.rules import Rules
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch

if TYPE_CHECKING:
    from jaxgames.search.mctx_adapter import MctxGumbel

Engine = Literal["tree", "mctx"]


@dataclasses.dataclass(frozen=True)
class TreeSettings:
    """The settings of a tree search that do not depend on its policy; see `TreeSearch`."""

    simulations: int = 32
    max_children: int | None = None
    reuse: bool = False
    stop_decided: bool = False


def tree_search(
    rules: Rules[Any],
    evaluator: Evaluator,
    policy: Gumbel | Puct,
    settings: TreeSettings,
    engine: Engine = "tree",
) -> "TreeSearch | MctxGumbel":
    """Returns a search with a policy, on the tree of this library or on that of mctx.

    Raises:
        ValueError: for a setting out of range, or one that the engine or the game does not allow.
    """
    if engine == "tree":
        return TreeSearch(rules, evaluator, policy, **dataclasses.asdict(settings))
    if engine != "mctx":
        raise ValueError(f"engine must be tree or mctx, got {engine!r}")
    if settings.stop_decided:
        raise ValueError("mctx makes all simulations: choose engine=tree, or stop_decided=false")
    if settings.reuse:
        raise ValueError("mctx keeps no subtree: choose engine=tree, or reuse=false")
    try:
        from jaxgames.search.mctx_adapter import MctxGumbel
    except ModuleNotFoundError as error:
        raise ValueError(
            f"engine=mctx needs the package mctx ({error}): pip install 'jaxgames[mctx]'"
        ) from error
    assert isinstance(policy, Gumbel), "the adapter has no other policy"
    return MctxGumbel(rules, evaluator, policy, settings.simulations, settings.max_children)


def gumbel_search(
    rules: Rules[Any],
    evaluator: Evaluator,
    *,
    engine: Engine = "tree",
    simulations: int = 32,
    max_considered: int = 16,
    gumbel_scale: float = 1.0,
    max_children: int | None = None,
    reuse: bool = False,
    stop_decided: bool = False,
    rescale_values: bool = True,
    value_scale: float = 0.1,
) -> "TreeSearch | MctxGumbel":
    """Returns Gumbel MuZero, on the tree of this library or on that of mctx.

    Args:
        rules: the game.
        evaluator: gives logits `[B, actions]` and values `[B, players]` for positions.
        engine: `tree`, or `mctx` (the reference, from the extra `mctx`).
        simulations: positions evaluated below the root for one decision.
        max_considered: root actions that sequential halving starts with.
        gumbel_scale: exploration noise at the root; 0 plays the best action found.
        max_children: most actions that a node keeps, the most probable ones; None: all.
        reuse: whether the subtree of the actions made is kept from decision to decision.
        stop_decided: whether a position with one legal action is left unsearched; its values are
            then the evaluator's. A batch ends when the last of its games is decided.
        rescale_values: whether values are mapped to 0 for the worst action of a node and 1 for the
            best. If not, a value counts by its size: better where the values of good actions differ
            by less than the evaluator errs.
        value_scale: weight of the values against the prior, the paper's c_scale.

    Raises:
        ValueError: for a setting out of range, or one that the engine or the game does not allow.
    """
    policy = Gumbel(max_considered, gumbel_scale, value_scale, rescale_values=rescale_values)
    settings = TreeSettings(simulations, max_children, reuse, stop_decided)
    return tree_search(rules, evaluator, policy, settings, engine)


def puct_search(
    rules: Rules[Any],
    evaluator: Evaluator,
    *,
    simulations: int = 32,
    c_init: float = 1.25,
    dirichlet_fraction: float = 0.25,
    dirichlet_alpha: float = 0.3,
    temperature: float = 0.0,
    max_children: int | None = None,
    reuse: bool = False,
    stop_decided: bool = False,
) -> TreeSearch:
    """Returns AlphaZero's search.

    Args:
        rules: the game.
        evaluator: gives logits `[B, actions]` and values `[B, players]` for positions.
        simulations: positions evaluated below the root for one decision.
        c_init: weight of exploration against the values.
        dirichlet_fraction: share of noise in the prior at the root; 0 for play in earnest.
        dirichlet_alpha: concentration of the noise; about 10 by the number of legal actions.
        temperature: 0 plays the most visited action, 1 draws by the visits.
        max_children: most actions that a node keeps, the most probable ones; None: all.
        reuse: whether the subtree of the actions made is kept from decision to decision.
        stop_decided: whether a search ends when its action can no longer change: with one legal
            action, or without `temperature` also when no action can catch up with the most visited
            one. The policy is that of the visits until then. A batch ends with its last game.

    Raises:
        ValueError: for a setting out of range, or one that the game does not allow.
    """
    policy = Puct(dirichlet_fraction, dirichlet_alpha, temperature, c_init)
    settings = TreeSettings(simulations, max_children, reuse, stop_decided)
    return TreeSearch(rules, evaluator, policy, **dataclasses.asdict(settings))
