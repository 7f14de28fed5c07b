"""CMA-ES in the place of the paper's scheme, on the same number of games.

A normal distribution over the genes replaces crossover and mutation: its mean and covariance follow
the more successful half of each generation (Hansen, "The CMA evolution strategy: a tutorial",
arXiv:1604.00772; here as implemented by evosax). Fitness is the rank by wins in the same round
robin, the frozen player included.

The search runs in units of the initial population: the origin is its mean, and one unit is its
standard deviation in a gene. So both methods start from the same knowledge, and genes of different
size are treated alike.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from evosax.algorithms import CMA_ES
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from papers.murus_gallicus.evolution.scheme import FROZEN
from papers.murus_gallicus.evolution.tunable import Group


class CmaState(NamedTuple):
    """The distribution, and the points it drew last."""

    strategy: Any
    points: Float[Array, "candidates genes"]


class CmaEs:
    """CMA-ES as a `Method`; all individuals but the frozen one are drawn from its distribution."""

    def __init__(self, group: Group):
        """Takes the tuned parameters; the population has the size of the initial one."""
        others = np.delete(np.asarray(group.population, np.float32), group.frozen, axis=0)
        self._frozen = jnp.asarray(group.population[group.frozen], jnp.int32)
        self._origin = jnp.asarray(others.mean(axis=0))
        # A uniform offset of up to `spread` has a variance of a third of its square.
        variance = others.var(axis=0) + group.spread**2 / 3
        self._unit = jnp.asarray(np.maximum(np.sqrt(variance), 1.0))
        self._limit = group.limit
        self._strategy = CMA_ES(population_size=len(others), solution=jnp.zeros(others.shape[1]))
        self._params = self._strategy.default_params

    def init(self, key: PRNGKeyArray) -> CmaState:
        """Returns the distribution of the initial population."""
        count, genes = self._strategy.population_size, self._strategy.num_dims
        state = self._strategy.init(key, jnp.zeros(genes), self._params)
        # The library starts its counter as a Python number; a saved state needs arrays.
        return CmaState(jax.tree.map(jnp.asarray, state), jnp.zeros((count, genes)))

    def propose(
        self, state: CmaState, generation: Int32[Array, ""], key: PRNGKeyArray
    ) -> tuple[Int32[Array, "individuals genes"], CmaState]:
        """Draws individuals from the distribution."""
        del generation
        points, strategy = self._strategy.ask(key, state.strategy, self._params)
        genomes = jnp.insert(self._genomes(points), FROZEN, self._frozen, axis=0)
        return genomes, CmaState(strategy, points)

    def update(
        self,
        state: CmaState,
        genomes: Int32[Array, "individuals genes"],
        wins: Int32[Array, "individuals"],
    ) -> CmaState:
        """Moves the distribution towards the individuals with more wins."""
        del genomes
        losses = -jnp.delete(wins, FROZEN).astype(jnp.float32)  # the library minimises
        unused_key = jax.random.key(0)  # CMA-ES draws nothing here
        strategy, _ = self._strategy.tell(
            unused_key, state.points, losses, state.strategy, self._params
        )
        return state._replace(strategy=strategy)

    def champion(self, state: CmaState) -> Int32[Array, "genes"]:
        """Returns the mean of the distribution."""
        return self._genomes(state.strategy.mean)

    def _genomes(self, points: Float[Array, "*some genes"]) -> Int32[Array, "*some genes"]:
        genomes = jnp.round(self._origin + self._unit * points)
        return jnp.clip(genomes, -self._limit, self._limit).astype(jnp.int32)
