"""Batched searches for every game, on the device: they need `Rules`, no environment.

Games are searched in batches of positions (`GameStates`: every array has a leading axis `B`):

    import jax, jaxgames
    from jaxgames import search as search

    rules = jaxgames.make("onitama").rules
    states = jax.vmap(rules.init)(jax.random.split(jax.random.key(0), 32))
    gumbel = search.gumbel_search(rules, search.Rollout(rules), simulations=64)
    act = jax.jit(gumbel.act)
    decision, memory = act((), gumbel.reset(32), states, jax.random.key(1))

A `Decision` holds `action` `[B]`, `policy` `[B, actions]` (the target for a network) and `values`
`[B, players]` (the expected return of every seat). The first argument of `act` is the parameters of
the evaluator, `()` if it has none.

A search judges positions by an `Evaluator`: `Uniform` knows nothing, `Rollout` plays random
games to the end, `Heuristic` asks a scoring function, `NetworkEvaluator` a network
(`jaxgames.networks.load_evaluator` reads one from a file).

Where no rules are at hand, `ModelSearch` searches with a learned model instead. A program written
for mctx runs with `import jaxgames.search.mctx as mctx`.
"""

from typing import TYPE_CHECKING

from jaxgames.internal.imports import lazy_imports

if TYPE_CHECKING:
    from jaxgames.search.agent import Agent as Agent
    from jaxgames.search.agent import Decision as Decision
    from jaxgames.search.depth_first.search import DepthFirst as DepthFirst
    from jaxgames.search.evaluators.evaluator import Evaluation as Evaluation
    from jaxgames.search.evaluators.evaluator import Evaluator as Evaluator
    from jaxgames.search.evaluators.heuristic import Heuristic as Heuristic
    from jaxgames.search.evaluators.network import NetworkEvaluator as NetworkEvaluator
    from jaxgames.search.evaluators.rollout import Rollout as Rollout
    from jaxgames.search.evaluators.uniform import Uniform as Uniform
    from jaxgames.search.factories import gumbel_search as gumbel_search
    from jaxgames.search.factories import puct_search as puct_search
    from jaxgames.search.minimax import Minimax as Minimax
    from jaxgames.search.tree.gumbel import Gumbel as Gumbel
    from jaxgames.search.tree.model_agent import LearnedSearch as LearnedSearch
    from jaxgames.search.tree.model_agent import ModelSearch as ModelSearch
    from jaxgames.search.tree.model_search import Prediction as Prediction
    from jaxgames.search.tree.puct import Puct as Puct
    from jaxgames.search.tree.search import TreeSearch as TreeSearch
    from jaxgames.search.tree.uct import Uct as Uct

__getattr__, __dir__ = lazy_imports(__name__)
