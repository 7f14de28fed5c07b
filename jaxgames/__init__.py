"""Strategy board games as pure, jit-compiled JAX state transitions.

import jax, jaxgames
env = jaxgames.make("onitama")
state = jax.vmap(env.init)(jax.random.split(jax.random.key(0), 1024))
"""

__version__ = "0.1.0"

from jaxgames.env import Env, State, random_actions
from jaxgames.registry import available, make, register
from jaxgames.rules import Rules, Symmetry
from jaxgames.sampling import sample_mask, sample_packed

__all__ = [
    "Env",
    "Rules",
    "State",
    "Symmetry",
    "available",
    "make",
    "random_actions",
    "register",
    "sample_mask",
    "sample_packed",
]
