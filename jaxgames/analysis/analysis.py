"""`analyse`: the values, best moves and variations that an agent finds in a position.

Tree searches show the visits, value, prior and variation of each move. Depth-first searches show
one move with its score and variation. Of any other agent its policy and its values are shown.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

import jaxgames
from jaxgames.analysis import explanation, search_tree, tables
from jaxgames.analysis.notation import Notation
from jaxgames.batching import trees
from jaxgames.env import Env
from jaxgames.internal import compilation_cache
from jaxgames.internal.messages import title
from jaxgames.internal.program_cache import cached_jit
from jaxgames.players import registry
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.player import Player, as_key
from jaxgames.players.real_time import DepthFirstDecision, Moment, RealTime
from jaxgames.search.agent import Agent, Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirstResult
from jaxgames.search.tree.search import TreeSearch
from jaxgames.state import State


@dataclasses.dataclass(frozen=True)
class MoveAnalysis:
    """One move. A field is None where the agent does not compute it."""

    action: int
    move: str
    visits: int | None = None
    value: float | None = None
    """The expected return of the seat to move."""
    prior: float | None = None
    """The probability before the search."""
    policy: float | None = None
    """The probability that the agent's decision gives the move."""
    variation: tuple[str, ...] = ()
    """The moves that the agent expects, beginning with this one."""


@dataclasses.dataclass(frozen=True)
class Analysis:
    """The analysis of one position. A field is None where the agent does not compute it."""

    seat: int
    """The seat to move."""
    action: int
    """The action that the agent plays."""
    move: str
    """The text of that action."""
    moves: tuple[MoveAnalysis, ...]
    """The best moves, best first."""
    values: tuple[float, ...] | None = None
    """The expected return of each seat."""
    visits: int | None = None
    """The visits of the root: 1 and the simulations."""
    score: int | None = None
    """The score of a depth-first search for the seat to move; its units are those of the game."""
    depth: int | None = None
    """The plies of the deepest finished depth-first search."""
    explanation: str | None = None
    """Why the played move is another than the most visited or most probable one."""

    def _repr_html_(self) -> str:
        lines = filter(None, (tables.summary(self), self.explanation))
        return tables.best_moves(self).as_html(*lines)


def analyse(
    env: Env[Any] | str,
    state: State[Any] | str,
    player: str | Player | Agent = "best",
    top: int = 5,
    key: PRNGKeyArray | None = None,
) -> Analysis:
    """Returns how a player judges a position (host side).

    Args:
        env: the game, or its id.
        state: one game in progress (no batch axis), or the text of a position. With hidden
            information, only what the seat to move may know enters the result, as far as the player
            itself respects it.
        player: a spec such as `"minimax:depth=2"`, a player made by `jaxgames.player`, or an agent
            of your own.
        top: the most moves that are listed.
        key: decides all chance of the search; None: `jax.random.key(0)`.

    Raises:
        ValueError: for a game that is over, a text that is no position, a player that cannot play
            the game, or `top` below 1.
    """
    env = jaxgames.make(env) if isinstance(env, str) else env
    state = jax.device_get(env.text_to_state(state)) if isinstance(state, str) else state
    player = registry.player(player, env)
    return analyse_batch(env, [state], player, top, key)[0]


def analyse_batch(
    env: Env[Any],
    states: Sequence[State[Any]],
    player: Player,
    top: int = 5,
    key: PRNGKeyArray | None = None,
) -> list[Analysis]:
    """Returns what `analyse` does for many positions, which are searched together.

    The batch is filled up to a power of two, so that few batch sizes are compiled.

    Raises:
        ValueError: as `analyse`, or for no position.
    """
    if top < 1:
        raise ValueError(f"top must be at least 1, got {top}")
    if not states:
        raise ValueError("expected at least one position, got none")
    games = [env.on_host(state, "analyse") for state in states]
    if any(state.terminated or state.truncated for state in states):
        raise ValueError("the game is over, there is nothing to analyse")
    key = as_key(0 if key is None else key)
    size = 1 << (len(states) - 1).bit_length()
    games += games[-1:] * (size - len(games))
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *games)
    texts = [Notation(env, state, key) for state in states]
    agent = player.agent
    purpose = compilation_cache.purpose(f"the analysis of {player.name} in {title(env.id)}")
    if isinstance(agent, TreeSearch):
        with purpose:
            simulations = np.full(size, agent.total, np.int32)
            found, _ = search_tree.run(
                agent, player.params, agent.reset(size), batch, key, simulations
            )
        found = jax.device_get(found)
        return [of_tree(agent, at(found, i), text, top) for i, text in enumerate(texts)]
    if isinstance(agent, DepthFirstPlayer):
        with purpose:
            decision, result = jax.device_get(_search_depth_first(agent, player.params, batch, key))
        return [
            of_depth_first(agent, at(decision, i), at(result, i), text)
            for i, text in enumerate(texts)
        ]
    if isinstance(agent, RealTime):
        with purpose:
            return [
                _in_real_time(agent, player.params, trees.stack([game]), text, top, key)
                for game, text in zip(games, texts, strict=False)
            ]
    with purpose:
        decision = jax.device_get(player.act(agent.reset(size), batch, key)[0])
    return [of_decision(agent, at(decision, i), text, top) for i, text in enumerate(texts)]


def _in_real_time(
    agent: RealTime,
    params: Params,
    state: GameStates,
    text: Notation,
    top: int,
    key: PRNGKeyArray,
) -> Analysis:
    moment = agent.last_moment(params, agent.reset(1), state, key)
    decision = at(jax.device_get(moment.decide()[0]), 0)
    return of_moment(moment, decision, text, top)


def of_moment(moment: Moment, decision: Decision, text: Notation, top: int) -> Analysis:
    """Returns the analysis of one position by a search in real time, as far as it is.

    Args:
        moment: the search.
        decision: what is played, on the host; the action of the search itself, or another one if
            only hidden facts make that one illegal.
        text: the notation of the position.
        top: the most moves that are listed.
    """
    pieces, action = moment.pieces, int(decision.action)
    if isinstance(pieces, DepthFirstDecision):
        result = at(jax.device_get(pieces.result()._replace(table=None)), 0)
        if action != int(result.action):
            result = result._replace(variation=np.array([action]))
        return of_depth_first(pieces.agent, decision, result, text)
    if not isinstance(pieces.agent, TreeSearch):
        return of_decision(pieces.agent, decision, text, top)
    found = at(jax.device_get(search_tree.of_run(pieces.agent, pieces.run, pieces.key)), 0)
    shown = of_tree(pieces.agent, found._replace(action=decision.action), text, top)
    # Where another action is played, the search is not the reason.
    return shown if action == int(found.action) else dataclasses.replace(shown, explanation=None)


def of_tree(
    search: TreeSearch, found: search_tree.TreeFindings, text: Notation, top: int
) -> Analysis:
    """Returns the analysis of one position by a tree search; all values are on the host."""
    moves = search_tree.root_moves(found, text.seat, text.legal)
    shown = tuple(
        MoveAnalysis(
            action=move.action,
            move=text.of(move.action),
            visits=move.visits,
            value=move.value,
            prior=move.prior,
            policy=move.policy,
            variation=text.variation((move.action, *move.replies)),
        )
        for move in moves[:top]
    )
    action = int(found.action)
    return Analysis(
        seat=text.seat,
        action=action,
        move=text.of(action),
        moves=shown,
        values=tuple(found.values[search_tree.ROOT].tolist()),
        visits=int(found.visits[search_tree.ROOT]),
        explanation=explanation.explain(search.policy, action, moves, text.of),
    )


def of_depth_first(
    agent: DepthFirstPlayer, decision: Decision, result: DepthFirstResult, text: Notation
) -> Analysis:
    """Returns the analysis of one position by a depth-first search; all values are on the host."""
    action = int(decision.action)
    plan = result.variation[result.variation >= 0].tolist() or [action]
    has_values = agent.scores_are_returns or decision.values.any()
    value = float(decision.values[text.seat]) if has_values else None
    move = MoveAnalysis(
        action, text.of(action), value=value, policy=1.0, variation=text.variation(plan)
    )
    return Analysis(
        seat=text.seat,
        action=action,
        move=move.move,
        moves=(move,),
        values=tuple(decision.values.tolist()) if has_values else None,
        score=int(result.value),
        depth=int(result.depth),
    )


def of_decision(agent: Agent, decision: Decision, text: Notation, top: int) -> Analysis:
    """Returns the analysis of one position by any other agent; all values are on the host.

    An agent says by its attribute `evaluates` that its values count even if all of them are zero,
    and by `shows_prior` that its policy is a prior. Agents need neither attribute.
    """
    action = int(decision.action)
    shows_prior = getattr(agent, "shows_prior", False)
    is_other = np.arange(len(decision.policy)) != action  # of equal moves, the played one is first
    order = np.lexsort((is_other, -decision.policy))[:top]
    moves = tuple(
        MoveAnalysis(
            listed,
            text.of(listed),
            prior=float(decision.policy[listed]) if shows_prior else None,
            policy=float(decision.policy[listed]),
            variation=(text.of(listed),),
        )
        for listed in order.tolist()
        if text.legal[listed] and decision.policy[listed] > 0
    )
    # Agents that do not evaluate give zeros.
    evaluates = getattr(agent, "evaluates", False) or decision.values.any()
    return Analysis(
        seat=text.seat,
        action=action,
        move=text.of(action),
        moves=moves,
        values=tuple(decision.values.tolist()) if evaluates else None,
    )


@functools.partial(cached_jit.jit, static_argnames="agent")
def _search_depth_first(
    agent: DepthFirstPlayer, params: Params, state: GameStates, key: PRNGKeyArray
) -> tuple[Decision, DepthFirstResult]:
    size = len(jax.tree.leaves(state)[0])
    decision, result, _ = agent.decide(params, agent.reset(size), state, key)
    return decision, result._replace(table=None)


def at(batch: Any, index: int) -> Any:
    """Returns one of a batch."""
    return jax.tree.map(lambda x: x[index], batch)
