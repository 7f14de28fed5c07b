"""Monte Carlo tree search: UCT on the batched tree, by random playouts or by an evaluator."""

from typing import Any, Literal

from jaxgames.env import Env
from jaxgames.players.knowledge import score_of
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.evaluators.heuristic import Heuristic
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.uniform import Shuffled
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct


def make_mcts(
    env: Env[Any],
    *,
    simulations: int = 200,
    c: float = 1.4,
    evaluator: Literal["rollout", "heuristic"] = "rollout",
    rollouts: int = 1,
    reuse: bool = False,
) -> tuple[TreeSearch, Params]:
    """Returns UCT, which plays every game. Each simulation evaluates one new position.

    Args:
        env: the game.
        simulations: positions added to the tree for one decision.
        c: weight of exploration in UCB1, for values as gains in [0, 1].
        evaluator: random games to the end, or the game's heuristic.
        rollouts: random games from each position.
        reuse: whether the subtree below the played moves is kept.

    Raises:
        ValueError: for a setting out of range, or one that does not fit the game or evaluator.
    """
    if evaluator == "heuristic" and rollouts != 1:
        raise ValueError(f"evaluator=heuristic plays no rollouts, got rollouts={rollouts}")
    judge: Evaluator = Rollout(env.rules, rollouts)
    if evaluator == "heuristic":
        judge = Heuristic(env.rules, score_of(env))
    search = TreeSearch(env.rules, Shuffled(env.rules, judge), Uct(c), simulations, reuse=reuse)
    return search, ()
