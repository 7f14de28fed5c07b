"""`Method`: how the players of a generation are proposed, and what is learned from their games."""

from typing import Any, Protocol

from jaxtyping import Array, Int32, PRNGKeyArray

from papers.murus_gallicus.evolution.config import EvolutionConfig
from papers.murus_gallicus.evolution.scheme import Scheme
from papers.murus_gallicus.evolution.tunable import Group

State = Any


class Method(Protocol):
    """Evolves one population, of which the frozen player is always a member.

    Pure functions of arrays, so that they can be compiled with the games and run for many seeds.
    """

    def init(self, key: PRNGKeyArray) -> State:
        """Returns the state before the first generation."""
        ...

    def propose(
        self, state: State, generation: Int32[Array, ""], key: PRNGKeyArray
    ) -> tuple[Int32[Array, "individuals genes"], State]:
        """Returns the individuals that play next; the frozen one is in place `scheme.FROZEN`."""
        ...

    def update(
        self,
        state: State,
        genomes: Int32[Array, "individuals genes"],
        wins: Int32[Array, "individuals"],
    ) -> State:
        """Returns the state after the games of the proposed individuals."""
        ...

    def champion(self, state: State) -> Int32[Array, "genes"]:
        """Returns the individual that is the result if the run ends now."""
        ...


def make_method(config: EvolutionConfig, group: Group) -> Method:
    """Returns the method that the settings ask for.

    Raises:
        ValueError: if the package it needs is not installed.
    """
    if config.method == "scheme":
        return Scheme(config.scheme, group)
    try:
        from papers.murus_gallicus.evolution.cma import CmaEs
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "evosax":
            raise
        raise ValueError(
            "method=cma_es needs evosax: pip install -e '.[train,evolution]'"
        ) from error
    return CmaEs(group)
