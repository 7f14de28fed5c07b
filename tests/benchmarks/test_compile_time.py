"""The size of the compiled programs has a budget: it, not the machine, decides compile times."""

import jax
import jax.numpy as jnp
import pytest

from benchmarks import compile_time

BUDGET = {  # equations of init + step + observe
    "murus_gallicus": 3600,
    "onitama": 4500,
    "onitama_report": 1500,
    "terra_mystica": 19_500,
    "tribes": 18_000,
}


@pytest.mark.parametrize(("game", "budget"), BUDGET.items())
def test_program_size_stays_in_its_budget(game, budget):
    functions = ("init", "step", "observe")
    programs = [compile_time.traced(game, function, batch=8) for function in functions]
    assert sum(compile_time.count_equations(p.jaxpr.jaxpr) for p in programs) <= budget


def test_equations_of_inner_programs_are_counted():
    def loop(x):
        return jax.lax.fori_loop(0, 3, lambda i, y: jnp.sin(y) + y * 2, x)

    flat = jax.make_jaxpr(lambda y: jnp.sin(y) + y * 2)(1.0)
    assert compile_time.count_equations(flat.jaxpr) == 3
    assert compile_time.count_equations(jax.make_jaxpr(loop)(1.0).jaxpr) > 3
