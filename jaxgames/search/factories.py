"""The searches that play with a network, by name: which tree they use and which policy."""

from typing import Any, Literal

from jaxgames.rules import Rules
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch

Engine = Literal["tree", "mctx"]


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
) -> TreeSearch | MctxGumbel:
    """Returns Gumbel AlphaZero, on our own tree or on that of mctx.

    Raises:
        ValueError: for a setting out of range, or one that the engine or the game does not allow.
    """
    if engine == "tree":
        policy = Gumbel(max_considered=max_considered, gumbel_scale=gumbel_scale)
        return TreeSearch(
            rules, evaluator, policy, simulations, max_children=max_children, reuse=reuse
        )
    if engine != "mctx":
        raise ValueError(f"engine must be tree or mctx, got {engine!r}")
    if reuse:
        raise ValueError("mctx keeps no subtree: choose engine=tree, or reuse=false")
    return MctxGumbel(rules, evaluator, simulations, max_considered, gumbel_scale, max_children)


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
) -> TreeSearch:
    """Returns AlphaZero's search.

    Raises:
        ValueError: for a setting out of range, or one that the game does not allow.
    """
    policy = Puct(dirichlet_fraction, dirichlet_alpha, temperature, c_init)
    return TreeSearch(rules, evaluator, policy, simulations, max_children=max_children, reuse=reuse)
