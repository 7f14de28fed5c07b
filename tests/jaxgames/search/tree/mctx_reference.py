"""The same searches by mctx, over all actions of the game."""

import dataclasses
from typing import Any
from unittest import mock

import jax
import mctx

from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct


@dataclasses.dataclass(frozen=True)
class MctxPuct(MctxGumbel):
    """AlphaZero's search; the root's noise is drawn by our policy."""

    policy: Puct = dataclasses.field(default_factory=Puct)

    def search(self, params, state, key):
        eval_key, search_key = jax.random.split(key)
        root = self._look_at(params, state, eval_key)
        logits, _ = self.policy.prepare(root.logits, root.filled, search_key)
        output = mctx.muzero_policy(
            params=params,
            rng_key=search_key,
            root=mctx.RootFnOutput(
                prior_logits=logits, value=root.value, embedding=(state, root.action)
            ),
            recurrent_fn=self._recurrent,
            num_simulations=self.simulations,
            invalid_actions=~root.filled,
            dirichlet_fraction=0.0,
            temperature=self.policy.temperature,
        )
        return output, root


def reference(rules: Any, evaluator: Any, policy: Gumbel | Puct, simulations: int) -> MctxGumbel:
    """Returns the search of mctx that should equal ours."""
    make = MctxPuct if isinstance(policy, Puct) else MctxGumbel
    return make(rules, evaluator, policy, simulations, max_children=rules.num_actions)


def decide(search: MctxGumbel, state: Any, key: Any) -> Any:
    """Returns the decision of a search, and the visits of the root's actions."""
    found = search.search((), state, key)
    with mock.patch.object(type(search), "search", return_value=found):
        decision, _ = search.act((), (), state, key)
    return decision, found[0].search_tree.summary().visit_counts
