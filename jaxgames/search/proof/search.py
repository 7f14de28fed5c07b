"""Proof-number search: who wins, proved without any evaluation.

Source: Allis, van der Meulen and van den Herik, "Proof-number search", 1994.

A goal is "the attacker wins". Its tree grows at the most-proving node: the open position whose
decision brings both a proof and a disproof of the goal nearest. A position of a game with draws has
two goals, one for each seat as attacker. It is won if the seat to move wins, lost if the other seat
wins, and drawn if both goals are disproved.

The first numbers of a new position count the moves of one seat: the more moves a seat has, the
harder it is to prove that it loses. So positions are tried first in which a seat is short of moves.
Without this, endings of Murus Gallicus took three times as many positions.

All goals of a batch share one bounded loop. In each round, every open goal descends to one leaf,
adds all its children and backs their numbers up. Trees store no states: states are played again
from the root. A position that is reached in two ways is two nodes.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames import jax_modes
from jaxgames.batches import select_rows
from jaxgames.boards import bits
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import GameStates
from jaxgames.search.proof import proof_tree
from jaxgames.search.proof.proof_tree import (
    DISPROOF,
    PROOF,
    ROOT,
    SETTLED,
    ProofTree,
)

NO_ACTION = -1
_PIECE = 16  # children that are added at once


class ProofResult(NamedTuple):
    """The results of a batch of goals."""

    is_proved: Bool[Array, "Q"]  # the attacker wins
    is_disproved: Bool[Array, "Q"]  # the attacker cannot win; if neither holds, nodes ran out
    action: Int32[Array, "Q"]  # best for the seat to move; meaningful if its side is proved
    nodes: Int32[Array, "Q"]  # positions in the tree, the root included


class SolveResult(NamedTuple):
    """The exact values of a batch of positions."""

    value: Int32[Array, "B"]  # for the seat to move: 1 win, 0 draw, -1 loss; 0 if not known
    is_known: Bool[Array, "B"]
    action: Int32[Array, "B"]
    """A move that keeps the value. Any move if the position is lost or its value unknown, and
    NO_ACTION if the game is over."""
    nodes: Int32[Array, "B"]  # positions in both trees


class _Progress(NamedTuple):
    """The variables of the loop."""

    tree: ProofTree
    is_full: Bool[Array, "Q"]  # there was no room for the next children


@dataclasses.dataclass(frozen=True)
class ProofSearch:
    """Solves positions of games of two seats without chance, which end in win, loss or draw.

    A tree takes 29 bytes a node.

    Raises:
        ValueError: for a setting out of range, or a game of another kind.
    """

    rules: Rules[Any]
    nodes: int = 2**16  # most positions in the tree of one goal
    max_active: int | None = None  # goals that take part in one round; None: all of them

    def __post_init__(self) -> None:
        """Checks the settings and the game."""
        rules = self.rules
        if rules.num_players != 2:
            raise ValueError(f"proof-number search needs two seats, not {rules.num_players}")
        if rules.stochastic or not rules.perfect_information:
            raise ValueError("proof-number search needs a game without chance and hidden state")
        if not 2 <= self.nodes < 2**30:
            raise ValueError(f"nodes must be from 2 to 2**30 - 1, got {self.nodes}")
        if self.max_active is not None and self.max_active < 1:
            raise ValueError(f"max_active must be at least 1 or None, got {self.max_active}")

    @jax_modes.standard
    def solve(self, state: GameStates) -> SolveResult:
        """Returns the exact value of each position of a batch, where `nodes` suffice to find it."""
        seat = jax.vmap(self.rules.to_move)(state)
        group = jnp.repeat(jnp.arange(len(seat)), 2)
        attacker = jnp.stack([seat, 1 - seat], axis=1).reshape(-1)
        states = jax.tree.map(lambda x: x[group], state)
        result = self._search(states, attacker, jnp.full_like(group, self.rules.max_steps), group)
        own, other = (jax.tree.map(lambda x, i=i: x[i::2], result) for i in (0, 1))
        is_draw = own.is_disproved & other.is_disproved
        keeps_draw = other.is_disproved & ~own.is_proved
        return SolveResult(
            value=own.is_proved.astype(jnp.int32) - other.is_proved,
            is_known=own.is_proved | other.is_proved | is_draw,
            action=jnp.where(keeps_draw, other.action, own.action),
            nodes=own.nodes + other.nodes,
        )

    @jax_modes.standard
    def prove(
        self, state: GameStates, attacker: Int32[Array, "B"], plies: Int32[Array, "B"]
    ) -> ProofResult:
        """Returns the proof or disproof that the attacker wins each game within `plies`."""
        return self._search(state, attacker, plies, jnp.arange(len(attacker)))

    def _search(
        self,
        state: GameStates,
        attacker: Int32[Array, "Q"],
        plies: Int32[Array, "Q"],
        group: Int32[Array, "Q"],
    ) -> ProofResult:
        """Returns the results of goals. A group of goals is finished once one of them is proved."""
        size = len(attacker)
        lanes = jnp.arange(size)
        root = jnp.full_like(lanes, ROOT)
        numbers, attacks = self._judge(state, attacker, plies == 0)
        tree = proof_tree.empty(size, self.nodes, self.rules.num_actions)
        tree = tree.replace(
            numbers=proof_tree.put(tree.numbers, lanes, root, numbers),
            attacks=proof_tree.put(tree.attacks, lanes, root, attacks),
        )

        def is_open(progress: _Progress) -> Bool[Array, "Q"]:
            numbers = progress.tree.numbers[:, ROOT]
            proved = jnp.zeros(size, bool).at[group].max(numbers[:, DISPROOF] == SETTLED)
            return (numbers < SETTLED).all(axis=-1) & ~progress.is_full & ~proved[group]

        def one_round(progress: _Progress) -> _Progress:
            # Lower lanes first, so that the memory of the same trees is read again.
            order = jnp.where(is_open(progress), size - lanes, 0)
            most, chosen = jax.lax.top_k(order, min(size, self.max_active or size))
            return self._grow(progress, chosen, most > 0, state, attacker, plies)

        tree, _ = jax.lax.while_loop(
            lambda progress: is_open(progress).any(),
            one_round,
            _Progress(tree, jnp.zeros(size, bool)),
        )
        numbers = tree.numbers[:, ROOT]
        has_moves = tree.children[:, ROOT] > 0
        action = tree.action[lanes, tree.best[:, ROOT]].astype(jnp.int32)
        first = jax.vmap(self.rules.legal_actions)(state).argmax(axis=-1).astype(jnp.int32)
        action = jnp.where(has_moves, action, first)
        return ProofResult(
            is_proved=numbers[:, DISPROOF] == SETTLED,
            is_disproved=numbers[:, PROOF] == SETTLED,
            action=jnp.where(jax.vmap(self.rules.is_over)(state), NO_ACTION, action),
            nodes=tree.used,
        )

    def _grow(
        self,
        progress: _Progress,
        lanes: Int32[Array, "W"],
        runs: Bool[Array, "W"],
        states: GameStates,
        attacker: Int32[Array, "Q"],
        plies: Int32[Array, "Q"],
    ) -> _Progress:
        """Returns the trees with one leaf expanded in each lane, and the numbers backed up."""
        tree, is_full = progress
        rules, nowhere = self.rules, len(is_full)
        state = jax.tree.map(lambda x: x[lanes], states)
        node, level, state = self._descend(tree, lanes, runs, state)
        words = jax.vmap(rules.packed_legal_actions)(state)
        count = jnp.where(runs, bits.count(words).sum(axis=-1), 0)
        first = tree.used[lanes]
        has_room = first + count <= self.nodes
        is_full = is_full.at[jnp.where(runs & ~has_room, lanes, nowhere)].set(True, mode="drop")
        runs = runs & has_room
        at = jnp.where(runs, lanes, nowhere)
        is_last = (level + 1 == plies[lanes])[:, None]

        def one_piece(
            carry: tuple[Int32[Array, ""], ProofTree],
        ) -> tuple[Int32[Array, ""], ProofTree]:
            start, tree = carry
            slot = jnp.broadcast_to(start + jnp.arange(_PIECE), (len(lanes), _PIECE))
            action = jnp.where(slot < count[:, None], action_slots.action_at(words, slot), 0)
            after = jax.vmap(jax.vmap(lambda s, a: rules.step(s, a, None), (None, 0)))(
                state, action
            )
            numbers, attacks = jax.vmap(self._judge, (1, None, 1), 1)(
                after, attacker[lanes], jnp.broadcast_to(is_last, slot.shape)
            )
            row = jnp.where(slot < count[:, None], at[:, None], nowhere)
            place = first[:, None] + slot

            def write(array: Array, rows: Array) -> Array:
                rows = rows.astype(array.dtype)
                return array.at[row, place].set(rows, mode="drop", unique_indices=True)

            tree = tree.replace(
                numbers=write(tree.numbers, numbers),
                attacks=write(tree.attacks, attacks),
                action=write(tree.action, action),
                parent=write(tree.parent, jnp.broadcast_to(node[:, None], slot.shape)),
            )
            return start + _PIECE, tree

        _, tree = jax.lax.while_loop(
            lambda carry: carry[0] < jnp.where(runs, count, 0).max(),
            one_piece,
            (jnp.int32(0), tree),
        )
        tree = tree.replace(
            first=proof_tree.put(tree.first, at, node, first),
            children=proof_tree.put(tree.children, at, node, count),
            used=tree.used.at[at].add(count, mode="drop", unique_indices=True),
        )
        tree = proof_tree.back_up(tree, lanes, runs, node, rules.max_legal_actions)
        return _Progress(tree, is_full)

    def _descend(
        self, tree: ProofTree, lanes: Int32[Array, "W"], runs: Bool[Array, "W"], state: GameStates
    ) -> tuple[Int32[Array, "W"], Int32[Array, "W"], GameStates]:
        """Returns the most-proving node, its distance from the root, and its state."""

        def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
            node, level, state, goes_on = carry
            node = jnp.where(goes_on, tree.best[lanes, node], node)
            action = tree.action[lanes, node].astype(jnp.int32)
            moved = jax.vmap(lambda s, a: self.rules.step(s, a, None))(state, action)
            state = select_rows(goes_on, moved, state)
            level = level + goes_on
            return node, level, state, goes_on & (tree.children[lanes, node] > 0)

        root = jnp.full_like(lanes, ROOT)
        goes_on = runs & (tree.children[lanes, root] > 0)
        node, level, state, _ = jax.lax.while_loop(
            lambda carry: carry[-1].any(), one_level, (root, jnp.zeros_like(lanes), state, goes_on)
        )
        return node, level, state

    def _judge(
        self, state: GameStates, attacker: Int32[Array, "W"], is_last: Bool[Array, "W"]
    ) -> tuple[Int32[Array, "W 2"], Bool[Array, "W"]]:
        """Returns the numbers of new nodes, and the mask of nodes where the attacker is to move.

        A game that is still going on after the last ply counts as not won.
        """
        rules = self.rules
        is_over = jax.vmap(rules.is_over)(state) | is_last
        returns = jax.vmap(rules.returns)(state)
        is_won = jnp.take_along_axis(returns, attacker[:, None], axis=1)[:, 0] > 0
        attacks = jax.vmap(rules.to_move)(state) == attacker
        moves = bits.count(jax.vmap(rules.packed_legal_actions)(state)).sum(axis=-1)
        proof = jnp.where(is_over, jnp.where(is_won, 0, SETTLED), jnp.where(attacks, 1, moves))
        disproof = jnp.where(is_over, jnp.where(is_won, SETTLED, 0), jnp.where(attacks, moves, 1))
        return jnp.stack([proof, disproof], axis=-1), attacks
