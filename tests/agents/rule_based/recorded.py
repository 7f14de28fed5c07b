"""What the rule-based agent of the recorded games of Tribes played, and what ours would play."""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from agents.rule_based.tribes.agent import RuleBased
from benchmarks.golden import batches, tribes_replay
from benchmarks.golden.tribes_actions import GLOBAL
from benchmarks.golden.tribes_script import Script

RULE_BASED = "RB"
LANES = 64


class Seen(NamedTuple):
    """One decision of a recorded rule-based agent."""

    script: Script
    decision: int
    is_best: bool  # the recorded action is among those that ours scores highest
    num_best: int
    num_legal: int


@functools.partial(jax.jit, static_argnums=0)
def best(agent: RuleBased, states: Any) -> Any:
    return agent.best(states)


def decisions(scripts: list[Script]) -> Iterator[Seen]:
    """Yields all decisions of rule-based agents in games with the same rules."""
    rows = [
        (script, number)
        for script in scripts
        for number, line in enumerate(script.decisions)
        if script.head["agents"][line["p"]] == RULE_BASED
    ]
    if not rows:
        return
    agent = RuleBased(tribes_replay.rules_of(scripts[0].head))
    for part in batches.slices(len(rows), LANES):
        chosen = rows[part]
        states = batches.stack([batches.take(script.states, number) for script, number in chosen])
        lanes = np.minimum(np.arange(LANES), len(chosen) - 1)
        deeds, of_tribe = jax.device_get(best(agent, batches.take(states, lanes)))
        for lane, (script, number) in enumerate(chosen):
            tile, deed = script.choices[number]
            is_best = of_tribe[lane, deed] if tile == GLOBAL else deeds[lane, tile, deed]
            count = int(deeds[lane].sum() + of_tribe[lane].sum())
            yield Seen(script, number, bool(is_best), count, script.decisions[number]["n"])
