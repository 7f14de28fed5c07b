"""A likely position that fits what a seat knows, for searches that evaluate it for other seats.

`knowledge.py` leaves out hidden facts, as the reference does. A search that evaluates such a
position from the view of another tribe finds that tribe without technologies and inhabitants, and
wrongly takes it for lost. So `guess` draws some of them. What is in the fog stays hidden.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.boards import bits
from jaxgames.tribes.engine import knowledge, research
from jaxgames.tribes.engine.config import Number
from jaxgames.tribes.engine.queries import needed_population
from jaxgames.tribes.state import NO_TILE, TribesState
from jaxgames.tribes.tables.tribes import FIRST_TECHNOLOGY

TICKS_A_TECHNOLOGY = 2
MOST_STARS = 4  # that a tribe usually keeps for its next turn


def guess(state: TribesState, seat: Number, key: PRNGKeyArray) -> TribesState:
    """Returns the position as a seat knows it, with a draw of possessions of the other tribes.

    Each other tribe has learnt one technology for every two turns, and holds a few stars. Its
    cities in sight have some of the inhabitants that the next level needs.
    """
    technology_key, star_key, population_key = jax.random.split(key, 3)
    known = knowledge.determinize(state, seat)
    tribes, cities = known.tribes, known.cities
    is_other = jnp.arange(len(tribes.tribe_ids)) != seat
    first = bits.single(jnp.asarray(FIRST_TECHNOLOGY)[tribes.tribe_ids])
    technologies = jnp.where(is_other, first, tribes.technologies)
    stars = jax.random.randint(star_key, tribes.stars.shape, 0, MOST_STARS + 1)
    theirs = (cities.tribe >= 0) & (cities.tribe != seat) & (cities.tile != NO_TILE)
    population = jax.random.randint(
        population_key, cities.population.shape, 0, needed_population(cities)
    )
    return known.replace(
        tribes=tribes.replace(
            technologies=learned(technologies, is_other, state.tick, technology_key),
            stars=jnp.where(is_other, stars, tribes.stars).astype(tribes.stars.dtype),
        ),
        cities=cities.replace(
            population=jnp.where(theirs, population, cities.population).astype(
                cities.population.dtype
            )
        ),
    )


def learned(
    known: UInt32[Array, "P"],
    learns: Bool[Array, "P"],
    tick: Int32[Array, ""],
    key: PRNGKeyArray,
) -> UInt32[Array, "P"]:
    """Returns the technologies of each tribe, as bits, after some tribes have learnt more.

    A tribe in `learns` learns one technology for every two turns. Each is drawn from the
    technologies that the tribe can research next.
    """

    def learn(number: Int32[Array, ""], known: UInt32[Array, "P"]) -> UInt32[Array, "P"]:
        words = sampling.random_words(jax.random.fold_in(key, number), len(known))
        next_ones = jax.vmap(research.researchable)(known)
        drawn = bits.single(jax.vmap(sampling.sample_packed)(next_ones[:, None], words))
        return known | jnp.where(learns & (next_ones != 0), drawn, np.uint32(0))

    return jax.lax.fori_loop(0, tick // TICKS_A_TECHNOLOGY, learn, known)
