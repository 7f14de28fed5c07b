"""The compiled program: no copy or rewriting of a stack or table in the loop."""

import jax

import jaxgames
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first.search import DepthFirst
from tests.jaxgames.search.tree import hlo

ENV = jaxgames.make("onitama", deck="all")
BATCH = 256


def test_no_loop_copies_or_rewrites_stacks_tables_or_history():
    score, _ = integer_score_of(ENV)
    search = DepthFirst(ENV.rules, score, 40, table_bits=8, quiescence=4, tactics=tactics_of(ENV))
    state = jax.vmap(ENV.rules.init)(jax.random.split(jax.random.key(0), BATCH))
    progress = jax.eval_shape(search.start, (), state, jax.random.key(0))
    compiled = jax.jit(search.advance, donate_argnums=1).lower((), progress, 1000).compile()
    text = compiled.as_text()
    stack = progress.stack
    large = [stack.words, stack.keys, stack.node, stack.variation, stack.history, stack.killers]
    for array in (*large, progress.table.entries):
        assert f"[{','.join(map(str, array.shape))}]" in text
    smallest = min(array.size for array in large)
    assert smallest == stack.killers.size
    assert hlo.rewritten_in_loops(text, smallest) == []
