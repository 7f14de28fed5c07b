"""Limits of seconds and nodes: which agents take them, and what an agent becomes that does."""

import dataclasses
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from jaxgames.internal import checks, device_kind
from jaxgames.players import spec
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.network import PriorPolicy
from jaxgames.players.opening_book.player import BookThen
from jaxgames.players.real_time import RealTime
from jaxgames.search.agent import Agent
from jaxgames.search.minimax import Minimax
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.planner import AnytimePlanner
from jaxgames.search.real_time.pieces import Limit
from jaxgames.search.tree.model_agent import LearnedSearch
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.side_by_side import SideBySide, can_be_side_by_side

MOST_SIMULATIONS = 2**14  # that fit into the tree of one decision
MOST_DEPTH = 32  # plies of a depth-first search
MOST_KEPT = 128  # actions of a node in trees that are kept: with 40, to keep one takes 30 ms


@runtime_checkable
class Timed(Protocol):
    """An agent that keeps limits by itself."""

    def within(self, limit: Limit) -> Agent:
        """Returns this agent with other limits."""
        ...


def limited(
    agent: Agent,
    limit: Limit,
    most: int | None = None,
    depth: int | None = None,
    budget: int | None = None,
) -> Agent:
    """Returns an agent that searches within a limit.

    An agent that only looks at what its actions lead to stays as it is: it decides at once.

    Args:
        agent: the agent.
        limit: when a search ends.
        most: the most simulations of a tree search; None: as many as fit into its tree.
        depth: the greatest depth of a depth-first search; None: any that is reached.
        budget: the most forward-model calls of a planner; None: any number.

    Raises:
        ValueError: for an agent whose search cannot be stopped, one that cannot ponder and is asked
            to, or pondering without a limit (a `Timed` agent has one).
    """
    if isinstance(agent, Timed):
        return agent.within(limit)
    if limit == Limit(ponder=True):
        raise ValueError("ponder needs seconds or nodes, as in seconds=1,ponder=true")
    if limit.ponder:
        check_ponders(agent)
    if isinstance(agent, BookThen):
        return dataclasses.replace(agent, agent=limited(agent.agent, limit))
    if isinstance(agent, TreeSearch) and takes_limits(agent):
        size = MOST_SIMULATIONS if most is None else most
        reuse = agent.reuse or limit.ponder or keeps_tree(agent)
        agent = dataclasses.replace(agent, simulations=size, stop_decided=True, reuse=reuse)
        if device_kind.is_cpu() or not can_be_side_by_side(agent):
            return RealTime(agent, limit)
        return RealTime(SideBySide(agent), limit)
    if isinstance(agent, DepthFirstPlayer):
        search = dataclasses.replace(agent.search, max_depth=depth or MOST_DEPTH)
        return RealTime(dataclasses.replace(agent, search=search), limit)
    if isinstance(agent, AnytimePlanner):
        return RealTime(agent.with_most(budget or checks.MOST_COUNT), limit)
    if isinstance(agent, OneStep | PriorPolicy):
        return agent
    raise ValueError(
        f"{type(agent).__name__} takes no seconds or nodes: only tree searches, depth-first "
        "searches and planners do"
    )


def keeps_tree(agent: TreeSearch) -> bool:
    """Returns whether an agent keeps its tree between moves in real time, without being asked to.

    Accelerators simulate the actions of a new tree side by side instead.
    """
    return device_kind.is_cpu() and not agent.is_open_loop and agent.slots <= MOST_KEPT


def check_ponders(agent: Agent) -> None:
    """Raises a `ValueError` unless an agent can use what it finds in the opponent's time."""
    if isinstance(agent, TreeSearch):
        rules = agent.rules
        if agent.is_open_loop:
            raise ValueError(
                "ponder=true needs a tree whose nodes stand for states, and the game has chance or "
                "hidden information: leave it out"
            )
    elif isinstance(agent, DepthFirstPlayer):
        rules = agent.search.rules
        if agent.search.table_bits is None:
            raise ValueError(
                "ponder=true needs a table, which is kept between moves: add table=16, or leave "
                "it out"
            )
    else:
        raise ValueError(
            f"ponder=true: {type(agent).__name__} keeps no tree and no table between moves; only "
            "tree searches and depth-first searches with a table ponder"
        )
    if rules.num_players != 2:
        raise ValueError(
            f"ponder=true needs one opponent, and the game has {rules.num_players} seats: leave it "
            "out"
        )


def limit_of(fields: Mapping[str, str]) -> Limit:
    """Returns the limit that fields of a spec give.

    Raises:
        ValueError: for another field, or a value out of range.
    """
    limit = Limit(**spec.arguments(spec.Spec("limit", fields), Limit))
    if not limit.seconds > 0:
        raise ValueError(f"seconds must be more than 0, got {limit.seconds}")
    if limit.nodes is not None:
        checks.count("nodes", limit.nodes)
    return limit


def takes_limits(agent: Agent) -> bool:
    """Returns whether the search of an agent can be stopped at any time."""
    if isinstance(agent, TreeSearch):
        return agent.budget is None
    if isinstance(agent, BookThen):
        return takes_limits(agent.agent)
    return isinstance(agent, DepthFirstPlayer | AnytimePlanner | Timed)


def check_needs_no_limit(agent: Agent) -> None:
    """Raises a `ValueError` for an agent whose search takes its time, whatever the limit is."""
    from jaxgames.search.mctx_adapter import MctxGumbel  # imports mctx, which few players need

    if isinstance(agent, BookThen):
        check_needs_no_limit(agent.agent)
    elif isinstance(agent, TreeSearch | Minimax | MctxGumbel | LearnedSearch):
        raise ValueError(
            f"{type(agent).__name__} takes no seconds, so it would search for as long as it likes: "
            "choose a search that can be stopped, such as negascout or gumbel, or give a time to "
            "the others alone, as in best:seconds=1"
        )
