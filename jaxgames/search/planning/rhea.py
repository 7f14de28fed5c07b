"""Rolling horizon evolution: plans of whole actions evolve, and the first action is played.

Sources: Perez-Liebana et al., "Rolling horizon evolution versus tree search for navigation in
single-player real-time games", GECCO 2013. Perez-Liebana et al., "Tribes: a new turn-based strategy
game for AI research", AIIDE 2020: the player with a single plan that only mutates. Justesen,
Mahlmann and Togelius, "Online evolution for multi-action adversarial games", 2016: online
evolutionary planning, which evolves the rest of the own turn and plays all of it.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames.batching.trees import select_rows
from jaxgames.internal import checks
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.planning import model
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain
from jaxgames.search.planning.planner import (
    AfterstateValue,
    AnytimePlanner,
    PlanFlags,
    PlannerResult,
)


class Individuals(NamedTuple):
    """The plans of each game, each played once from its root (not yet in the first generation)."""

    genes: Int32[Array, "B N length plies"]  # NO_PLY where nothing was played
    gains: Float[Array, "B N players"]  # of all seats, from the root on
    fitness: Float[Array, "B N"]  # gain of the seat that plans
    keeps_turn: Bool[Array, "B N"]  # the same seat acts after the first action


class Evolving(NamedTuple):
    """The carry of a search: the current generation, and the children being played."""

    found: Individuals
    used: Int32[Array, "B"]  # calls spent on earlier children
    genes: Int32[Array, "B C length plies"]  # of the children; drawn genes replace mutated ones
    mutated: Bool[Array, "B C length"]  # genes that are drawn anew
    keeps_turn: Bool[Array, "B C"]  # of the children


class EvolutionRun(NamedTuple):
    """Plans that evolve, between two pieces of the search."""

    state: GameStates
    needs_plan: Bool[Array, "B"]
    before: Float[Array, "B players"]  # values of the roots
    key: PRNGKeyArray
    most: Int32[Array, ""]  # calls
    pieces: Int32[Array, ""]  # made so far
    found: Individuals
    used: Int32[Array, "B"]  # calls


@dataclasses.dataclass(frozen=True)
class Evolution(AnytimePlanner):
    """Evolves plans. A gene is a whole action; a gene that cannot be played is drawn anew.

    With a population of one, a mutated copy replaces the plan if it is at least as good. With more,
    the best `elites` stay, and the others are children of two parents. Each parent is the best of a
    tournament, and each gene of a child comes from one of them.

    The rest of the plan starts the next search of the same turn (shift buffer). All plans of a
    search start from the same determinization and draw their own chance.

    Raises:
        ValueError: for a setting out of range.
    """

    domain: PlannerDomain
    budget: int = 2000  # forward-model calls (completed actions) for one search, at most
    depth: int = 20  # completed actions of a plan, at most
    mutation: float = 0.1  # chance that a gene is drawn anew
    population: int = 1
    elites: int = 1
    tournament: int = 3
    whole_turn: bool = False  # plans end with the own turn, and the best one is played in full
    value: AfterstateValue | None = None  # None: the domain evaluates

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in ("budget", "depth", "population", "elites", "tournament"):
            checks.count(name, getattr(self, name))
        if not 0 <= self.mutation <= 1:
            raise ValueError(f"mutation must be from 0 to 1, got {self.mutation}")
        if self.population == 1 and (self.elites, self.tournament) != (1, 3):
            raise ValueError(
                "elites and tournament need a population of 2 at least, got population=1, "
                f"elites={self.elites}, tournament={self.tournament}; with one, they are 1 and 3"
            )
        if self.population > 1 and self.elites >= self.population:
            raise ValueError(
                f"elites must be less than population={self.population}, got {self.elites}"
            )
        if self.budget < self.generation:
            raise ValueError(
                f"budget={self.budget} must pay for one generation: {self._children} plans of "
                f"depth={self.depth} forward-model calls"
            )

    @property
    def plan_plies(self) -> int:
        """Returns the most plies that are played before the next search."""
        return self.domain.decision_plies * (self.depth if self.whole_turn else 1)

    def first_carry(self, batch_size: int) -> Int32[Array, "B length plies"]:
        """Returns plans without any action."""
        return jnp.full((batch_size, self.depth, self.domain.decision_plies), NO_PLY, jnp.int32)

    def begin(
        self,
        params: Params,
        carry: Int32[Array, "B length plies"],
        state: GameStates,
        needs_plan: Bool[Array, "B"],
        key: PRNGKeyArray,
        most: Int32[Array, ""],
    ) -> EvolutionRun:
        """Returns the plans from the shift buffer, which have not been played yet.

        At least one generation is played, however many calls it takes.
        """
        of_all = (len(carry), self.population)
        found = Individuals(
            jnp.repeat(carry[:, None], self.population, axis=1),
            jnp.zeros((*of_all, self.domain.rules.num_players)),
            jnp.full(of_all, -jnp.inf),
            jnp.zeros(of_all, bool),
        )
        return EvolutionRun(
            state=state,
            needs_plan=needs_plan,
            before=self.evaluate(params, state, jax.vmap(self.domain.rules.to_move)(state)),
            key=key,
            most=jnp.maximum(most, self.generation),
            pieces=jnp.int32(0),
            found=found,
            used=jnp.zeros(len(carry), jnp.int32),
        )

    def with_most(self, calls: int) -> "Evolution":
        """Returns the planner with another budget."""
        return dataclasses.replace(self, budget=max(calls, self.generation))

    def advance(self, params: Params, run: EvolutionRun, rounds: Int32[Array, ""]) -> EvolutionRun:
        """Returns the plans after so many more generations, or some more if plans end early."""
        until = jnp.minimum(run.used + rounds * self.generation, run.most)
        key = jax.random.fold_in(run.key, run.pieces)
        return self._evolve(params, run, until, key)._replace(pieces=run.pieces + 1)

    def finish(self, params: Params, run: EvolutionRun) -> EvolutionRun:
        """Returns the plans after the last generation."""
        return self._evolve(params, run, run.most, run.key)

    def flags(self, run: EvolutionRun) -> PlanFlags:
        """Returns how far the plans are."""
        is_running = run.needs_plan & (run.used + self.generation <= run.most)
        return PlanFlags(is_running, ~run.needs_plan | (run.used > 0), run.used)

    def result(self, run: EvolutionRun) -> PlannerResult:
        """Returns the best plan of each game."""
        found, before, used = run.found, run.before, run.used
        lanes = jnp.arange(len(used))
        best = jax.tree.map(lambda x: x[lanes, found.fitness.argmax(axis=-1)], found)
        if self.whole_turn:
            plies, carry = _joined(best.genes), self.first_carry(len(used))
        else:
            plies = best.genes[:, 0]
            shifted = jnp.pad(best.genes[:, 1:], ((0, 0), (0, 1), (0, 0)), constant_values=NO_PLY)
            carry = jnp.where(best.keeps_turn[:, None, None], shifted, NO_PLY)
        policy = jax.nn.one_hot(plies[:, 0], self.domain.rules.num_actions)
        return PlannerResult(plies, policy, before + best.gains, carry, used)

    def lanes(self, num_games: int) -> int:
        """Returns the number of plans that are played at once in a search of `num_games` games."""
        return num_games * self._children

    @property
    def generation(self) -> int:
        """Returns the most calls that a generation takes."""
        return self._children * self.depth

    @property
    def _children(self) -> int:
        """Returns the number of children of a generation, which are played together."""
        return 1 if self.population == 1 else self.population - self.elites

    def _make_children(
        self, found: Individuals, key: PRNGKeyArray
    ) -> tuple[Int32[Array, "B C length plies"], Bool[Array, "B C length"]]:
        """Returns the genes of the children, and the mask of genes that are drawn anew."""
        mutation_key, parent_key, crossover_key = jax.random.split(key, 3)
        genes = found.genes
        if self.population > 1:
            shape = (len(genes), 2 * self._children, self.tournament)
            rivals = jax.random.randint(parent_key, shape, 0, self.population)
            lanes = jnp.arange(len(genes))[:, None]
            winner = found.fitness[lanes[..., None], rivals].argmax(axis=-1)
            parents = jnp.take_along_axis(rivals, winner[..., None], axis=-1)[..., 0]
            one, other = jnp.split(genes[lanes, parents], 2, axis=1)
            is_of_one = jax.random.bernoulli(crossover_key, 0.5, one.shape[:3])
            genes = jnp.where(is_of_one[..., None], one, other)
        return genes, jax.random.bernoulli(mutation_key, self.mutation, genes.shape[:3])

    def _survivors(self, found: Individuals, children: Individuals) -> Individuals:
        """Returns the next generation."""
        if self.population == 1:
            is_better = (children.fitness >= found.fitness)[:, 0]
            return select_rows(is_better, children, found)
        lanes = jnp.arange(len(found.fitness))[:, None]
        elite = jax.lax.top_k(found.fitness, self.elites)[1]
        return jax.tree.map(
            lambda old, new: jnp.concatenate([old[lanes, elite], new], axis=1), found, children
        )

    def _first_children(
        self, found: Individuals, used: Int32[Array, "B"], key: PRNGKeyArray
    ) -> Evolving:
        genes, mutated = self._make_children(found, key)
        # The plan from the shift buffer is played once without mutation.
        mutated &= (jnp.arange(self._children)[:, None] > 0) | (used > 0)[:, None, None]
        keeps_turn = jnp.zeros((len(used), self._children), bool)
        return Evolving(found, used, genes, mutated, keeps_turn)

    def _evolve(
        self, params: Params, run: EvolutionRun, until: Int32[Array, "*B"], key: PRNGKeyArray
    ) -> EvolutionRun:
        """Plays children and makes new ones while the calls until then pay for a generation.

        A game whose children have all been played starts its next generation at once: no game waits
        for the others.
        """
        state, needs_plan, before, found, used = (
            run.state,
            run.needs_plan,
            run.before,
            run.found,
            run.used,
        )
        rules, num_games, size = self.domain.rules, len(needs_plan), self._children
        birth_key, play_key = jax.random.split(key)
        start = self._first_children(found, used, jax.random.fold_in(birth_key, 0))
        roots = jax.tree.map(lambda x: jnp.repeat(x, size, axis=0), state)
        seat = jax.vmap(rules.to_move)(roots)
        lanes = jnp.arange(len(seat))

        def affords(used: Int32[Array, "B"]) -> Bool[Array, "B"]:
            return needs_plan & (used + self.generation <= until)

        def choose(
            place: model.PlayoutState, words: UInt32[Array, "W"], evolving: Evolving
        ) -> model.Choice:
            at = jnp.minimum(place.calls, self.depth - 1)
            # A gene holds the first decision of an action only; later ones are drawn each time.
            is_first = place.part == 0
            genes = evolving.genes.reshape(len(lanes), self.depth, -1)
            mutated = evolving.mutated.reshape(len(lanes), self.depth)
            redraws = mutated[lanes, at] | ~is_first
            plies = jax.vmap(self.domain.plan_action)(place.games, genes[lanes, at], redraws, words)
            where = jnp.where(is_first, place.calls, self.depth)
            genes = genes.at[lanes, where].set(plies, mode="drop")
            goes_on = jax.vmap(rules.to_move)(place.games) == seat
            is_second = is_first & (place.calls == 1)
            keeps_turn = jnp.where(is_second, goes_on, evolving.keeps_turn.reshape(-1))
            return plies, evolving._replace(
                genes=genes.reshape(evolving.genes.shape),
                keeps_turn=keeps_turn.reshape(num_games, size),
            )

        def in_own_turn(games: GameStates) -> Bool[Array, "W"]:
            return jax.vmap(rules.to_move)(games) == seat

        def renew(
            number: Int32[Array, ""],
            place: model.PlayoutState,
            running: Bool[Array, "W"],
            evolving: Evolving,
        ) -> model.Renewal:
            is_played = ~running.reshape(num_games, size).any(axis=1) & affords(evolving.used)

            def next_generation() -> model.Renewal:
                values = self.evaluate(params, place.games, seat)
                children, calls = self._judged(place, evolving, values, before, seat)
                # A game that ends within its first action counts one call.
                used = evolving.used + jnp.where(is_played, jnp.maximum(calls, 1), 0)
                survivors = self._survivors(evolving.found, children)
                found = select_rows(is_played, survivors, evolving.found)
                born = self._make_children(found, jax.random.fold_in(birth_key, number))
                goes_on = is_played & affords(used)
                genes, mutated = select_rows(goes_on, born, (evolving.genes, evolving.mutated))
                keeps_turn = evolving.keeps_turn & ~goes_on[:, None]
                again = jnp.repeat(goes_on, size)
                zero = jnp.zeros_like(place.calls)
                return (
                    select_rows(again, model.PlayoutState(roots, zero, zero), place),
                    running | again,
                    Evolving(found, used, genes, mutated, keeps_turn),
                )

            return jax.lax.cond(
                is_played.any(), next_generation, lambda: (place, running, evolving)
            )

        _, evolved = model.play(
            self.domain,
            roots,
            jnp.repeat(jnp.where(affords(start.used), self.depth, 0), size),
            choose,
            start,
            play_key,
            lanes,
            in_own_turn if self.whole_turn else None,
            renew,
        )
        return run._replace(found=evolved.found, used=evolved.used)

    def _judged(
        self,
        place: model.PlayoutState,
        evolving: Evolving,
        values: Float[Array, "W players"],
        before: Float[Array, "B players"],
        seat: Int32[Array, "W"],
    ) -> tuple[Individuals, Int32[Array, "B"]]:
        """Returns the children as they were played, and the calls used for each game."""
        shape = evolving.genes.shape[:2]
        calls = place.calls.reshape(shape)
        is_played = jnp.arange(self.depth) < calls[..., None]
        return Individuals(
            genes=jnp.where(is_played[..., None], evolving.genes, NO_PLY),
            gains=values.reshape(*shape, -1) - before[:, None],
            fitness=jnp.take_along_axis(values, seat[:, None], axis=1).reshape(shape),
            keeps_turn=evolving.keeps_turn,
        ), calls.sum(axis=-1)


def _joined(genes: Int32[Array, "B length plies"]) -> Int32[Array, "B all"]:
    """Returns all plies of each plan in order, without gaps."""
    plies = genes.reshape(len(genes), -1)
    order = jnp.argsort(plies == NO_PLY, axis=-1, stable=True)
    return jnp.take_along_axis(plies, order, axis=-1)
