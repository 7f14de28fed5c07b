"""`explain`: why a search plays another move than a reader of its numbers expects."""

from collections.abc import Callable, Sequence

from jaxgames.analysis.search_tree import RootMove
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.policy import TreePolicy
from jaxgames.search.tree.puct import Puct


def explain(
    policy: TreePolicy, action: int, moves: Sequence[RootMove], text_of: Callable[[int], str]
) -> str | None:
    """Returns why the played action is not the most visited or most probable one.

    None is returned where it is both, and where the policy of the search is no known one.

    Args:
        policy: how the search decides.
        action: the action that it plays.
        moves: the moves of the root, as `root_moves` orders them.
        text_of: returns the text of an action.
    """
    played = next(move for move in moves if move.action == action)
    visited = max(moves, key=lambda move: move.visits)
    probable = max(moves, key=lambda move: move.policy)
    if isinstance(policy, Gumbel):
        return _of_gumbel(policy, played, probable, moves, text_of)
    if isinstance(policy, Puct) and policy.temperature > 0 and played.visits < visited.visits:
        return (
            f"PUCT drew {text_of(action)} at random, by its share of the visits "
            f"(temperature {policy.temperature:g}); the most visited move is "
            f"{text_of(visited.action)}."
        )
    return None


def _of_gumbel(
    policy: Gumbel,
    played: RootMove,
    probable: RootMove,
    moves: Sequence[RootMove],
    text_of: Callable[[int], str],
) -> str | None:
    if played.action == probable.action:
        return None
    finalists = sum(move.visits == played.visits for move in moves)
    name, other = text_of(played.action), text_of(probable.action)
    noise = "Gumbel noise, " if policy.gumbel_scale > 0 else ""
    if probable.visits == played.visits:
        # At scale 0, a tiny noise is left, which orders moves of equal score.
        reason = (
            f"exploration noise of scale {policy.gumbel_scale:g} preferred it"
            if policy.gumbel_scale > 0
            else "their scores are equal, and chance decides"
        )
        return (
            f"Gumbel plays {name} although {other} is more probable in the improved policy: "
            f"both have {played.visits} visits, and {reason}."
        )
    return (
        f"Gumbel plays {name} although {other} is more probable in the improved policy: it plays "
        f"the move with the greatest sum of {noise}log prior and scaled value among the "
        f"{finalists} with the most visits ({played.visits}). {other} has {probable.visits}, so "
        "its value rests on fewer simulations."
    )
