"""The paper's evolutionary scheme: elite, selection by tournaments, crossover, mutation.

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020).
Place 0 of a population belongs to the elite, place 1 to the frozen player; the others change:

- With the chance of crossover an individual gives way to the mean of two parents. Otherwise it
  stays, unless it was hopeless: then a changed copy of the best takes its place.
- Then, with the chance of mutation, one of its values (or each) moves by a random offset.

With `rate_scope="generation"` one draw decides whether all of them cross, and one whether all
mutate; parents, values and offsets are always drawn for each individual.

The paper does not say what becomes of an individual without crossover. Our reading is that it
stays: if it became a copy of a selected parent, no individual with hardly a win would be left to
replace.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from papers.murus_gallicus.evolution.config import SchemeConfig
from papers.murus_gallicus.evolution.tunable import Group

ELITE, FROZEN, FIRST_CHILD = 0, 1, 2
REDRAWN_FROM, REDRAWN_TO = -1, 10  # the program's range of redrawn table entries


class Population(NamedTuple):
    """The individuals of a generation and their results."""

    genomes: Int32[Array, "individuals genes"]
    wins: Int32[Array, "individuals"]


class Scheme:
    """The paper's scheme as a `Method` (see `run.py`)."""

    def __init__(self, config: SchemeConfig, group: Group):
        """Takes the settings, and the group of parameters that they apply to."""
        self._config = config
        self._group = group

    def init(self, key: PRNGKeyArray) -> Population:
        """Returns the first generation, which has not played yet."""
        genomes = initial_genomes(self._group, key)
        return Population(genomes, jnp.zeros(len(genomes), jnp.int32))

    def propose(
        self, state: Population, generation: Int32[Array, ""], key: PRNGKeyArray
    ) -> tuple[Int32[Array, "individuals genes"], Population]:
        """Returns the individuals of a generation: 0 is the initial one."""
        following = next_genomes(self._config, self._group.limit, state, generation, key)
        return jnp.where(generation == 0, state.genomes, following), state

    def update(
        self,
        state: Population,
        genomes: Int32[Array, "individuals genes"],
        wins: Int32[Array, "individuals"],
    ) -> Population:
        """Returns the individuals with their wins."""
        del state
        return Population(genomes, wins)

    def champion(self, state: Population) -> Int32[Array, "genes"]:
        """Returns the best individual, the frozen one excluded."""
        return state.genomes[elite_of(state.wins)]


def initial_genomes(group: Group, key: PRNGKeyArray) -> Int32[Array, "individuals genes"]:
    """Returns the players to start from, the frozen one in its place, the others spread out."""
    others = jnp.delete(jnp.asarray(group.population, jnp.int32), group.frozen, axis=0)
    offsets = _offsets(key, others.shape, jnp.int32(group.spread))
    others = jnp.clip(others + offsets, -group.limit, group.limit)
    frozen = jnp.asarray(group.population[group.frozen], jnp.int32)
    return jnp.insert(others, FROZEN, frozen, axis=0)


def elite_of(wins: Int32[Array, "individuals"]) -> Int32[Array, ""]:
    """Returns the individual with most wins, the frozen one excluded; the first of equal ones."""
    is_frozen = jnp.arange(wins.shape[0]) == FROZEN
    return jnp.where(is_frozen, -1, wins).argmax().astype(jnp.int32)


def next_genomes(
    config: SchemeConfig,
    limit: int,
    population: Population,
    generation: Int32[Array, ""],
    key: PRNGKeyArray,
) -> Int32[Array, "individuals genes"]:
    """Returns the individuals of generation `generation`, made from the one before it."""
    genomes, wins = population
    children = genomes[FIRST_CHILD:]
    phase = (generation >= jnp.array(config.phases)).sum() - 1
    copy_key, cross_key, parent_key, mutate_key, change_key = jax.random.split(key, 5)

    offsets = _offsets(copy_key, children.shape, jnp.int32(config.hopeless_offset))
    is_hopeless = wins[FIRST_CHILD:] <= config.hopeless_wins
    children = jnp.where(is_hopeless[:, None], genomes[wins.argmax()] + offsets, children)

    crossover_rate = jnp.array(config.crossover_rates)[phase]
    parents = select_parents(wins, config.tournament, len(children), parent_key)
    is_crossed = _draw(cross_key, crossover_rate, config.rate_scope, len(children))
    children = jnp.where(is_crossed[:, None], integer_mean(genomes[parents]), children)

    bound = jnp.array(config.mutation_offsets)[phase]
    is_mutated = _draw(mutate_key, config.mutation_rate, config.rate_scope, len(children))
    mutated = mutate(children, config.mutation, bound, change_key)
    children = jnp.where(is_mutated[:, None], mutated, children)

    children = jnp.clip(children, -limit, limit)
    first = jnp.stack([genomes[elite_of(wins)], genomes[FROZEN]])
    return jnp.concatenate([first, children])


def selection_chances(wins: Int32[Array, "individuals"], size: int) -> Float[Array, "individuals"]:
    """Returns the chance of each individual to win a tournament of `size` drawn with replacement.

    The best of the drawn individuals wins; equally good ones win with the same chance. The chance
    that the best is at most as good as `i` is the chance that all drawn ones are.
    """
    count = wins.shape[0]
    below = (wins[None, :] < wins[:, None]).sum(axis=1)
    equal = (wins[None, :] == wins[:, None]).sum(axis=1)
    return (((below + equal) / count) ** size - (below / count) ** size) / equal


def select_parents(
    wins: Int32[Array, "individuals"], size: int, pairs: int, key: PRNGKeyArray
) -> Int32[Array, "pairs 2"]:
    """Returns pairs of two different parents, each the winner of a tournament of all individuals.

    The second is drawn without the first. The other chances keep their proportions, as if it were
    drawn again as long as it equals the first.
    """
    first_key, second_key = jax.random.split(key)
    logits = jnp.log(selection_chances(wins, size))
    first = jax.random.categorical(first_key, logits, shape=(pairs,))
    is_first = jnp.arange(wins.shape[0]) == first[:, None]
    second = jax.random.categorical(second_key, jnp.where(is_first, -jnp.inf, logits))
    return jnp.stack([first, second], axis=1).astype(jnp.int32)


def integer_mean(parents: Int32[Array, "pairs 2 genes"]) -> Int32[Array, "pairs genes"]:
    """Returns the mean of each pair, rounded down."""
    return parents.sum(axis=1) // 2


def mutate(
    genomes: Int32[Array, "children genes"],
    kind: str,
    bound: Int32[Array, ""],
    key: PRNGKeyArray,
) -> Int32[Array, "children genes"]:
    """Returns the individuals with one value or all moved by up to `bound`, or all redrawn."""
    gene_key, offset_key = jax.random.split(key)
    if kind == "redraw":
        return jax.random.randint(offset_key, genomes.shape, REDRAWN_FROM, REDRAWN_TO + 1)
    offsets = _offsets(offset_key, genomes.shape, bound)
    if kind == "one":
        chosen = jax.random.randint(gene_key, genomes.shape[:1], 0, genomes.shape[1])
        offsets = jnp.where(jnp.arange(genomes.shape[1]) == chosen[:, None], offsets, 0)
    return genomes + offsets


def _offsets(
    key: PRNGKeyArray, shape: tuple[int, ...], bound: Int32[Array, ""]
) -> Int32[Array, "children genes"]:
    """Returns uniform whole numbers from `-bound` to `bound`."""
    return jax.random.randint(key, shape, -bound, bound + 1)


def _draw(
    key: PRNGKeyArray, rate: Float[Array, ""] | float, scope: str, count: int
) -> Bool[Array, "children"]:
    """Returns a mask of the individuals drawn with chance `rate`: one draw for all, or one each."""
    draws = jax.random.uniform(key, (1 if scope == "generation" else count,))
    return jnp.broadcast_to(draws < rate, (count,))
