"""Depth-first search of two-seat games for a whole batch in one loop: NegaMax and its refinements.

Sources: alpha-beta in its fail-soft form (Fishburn, "Another optimization of alpha-beta search",
1983); principal variation search or NegaScout (Marsland and Campbell 1982, Reinefeld 1983); the
transposition table with Zobrist hashing; iterative deepening (Slate and Atkin, 1977); quiescence.

Every lane has its own stack, table and place in its own tree. One turn of the loop makes one move
in every lane: the position it leads to is scored where it is the last one looked ahead, otherwise
entered; nodes that are finished hand their value to their parent. Positions that are entered need
their moves listed, which costs most and is needed least often, so only a part of the lanes may do
so in one turn; the others wait. A result does not depend on that.

A win counts `WIN` less one for each ply from the root, so the faster win is better and the slower
loss too; a draw 0, other positions what the score says. Outcomes count by their sign.
"""

import dataclasses
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, PRNGKeyArray, UInt32

from agents.agent import Decision, GameStates, Params
from agents.batches import select_rows
from agents.evaluators.integer_score import MAX_SCORE, IntegerScore
from agents.search import candidates
from agents.search.depth_first import ordering, table as tables, zobrist
from agents.search.depth_first.frames import (
    INFINITY,
    NO_ACTION,
    WIN,
    Iterations,
    Node,
    Progress,
    Stack,
    Statistics,
    empty_node,
    empty_stack,
    pack_node,
    select,
    unpack_node,
)
from agents.search.depth_first.table import EXACT, LOWER, UPPER, Entry, Table
from agents.search.tree import packing
from jaxgames import sampling
from jaxgames.rules import Rules

Pruning = Literal["none", "alpha_beta", "pvs"]
MAX_DEPTH = 64
MAX_TABLE_BITS = 24
# In larger batches, one lane in so many may enter a position in a turn.
_LANES_TO_ENTER = 4
_SMALL_BATCH = 64


class Found(NamedTuple):
    """The result of a search: that of the deepest finished iteration in each lane.

    Of a lane without a finished iteration the action is -1, and the depth 0.
    """

    action: Int32[Array, "B"]
    value: Int32[Array, "B"]
    """Value for the seat to move: a score, or beyond `MAX_SCORE` a win, `WIN` less the plies."""
    variation: Int16[Array, "B depth"]
    """The principal variation, then -1. It ends early where a value came from the table."""
    depth: Int32[Array, "B"]
    """Plies looked ahead."""
    iterations: Iterations
    statistics: Statistics
    table: Table | None


class _Child(NamedTuple):
    """The positions that the lanes look at in one turn."""

    words: UInt32[Array, "B words"]
    game: GameStates
    level: Int32[Array, "B"]
    action: Int32[Array, "B"]
    key: Int32[Array, "B"]
    alpha: Int32[Array, "B"]
    beta: Int32[Array, "B"]
    is_null: Bool[Array, "B"]
    negates: Bool[Array, "B"]
    value: Int32[Array, "B"]  # outcome or static score, for the seat to move there
    left: Int32[Array, "B"]  # plies still to look ahead


class _Entered(NamedTuple):
    """What became of the positions that had to be entered."""

    was_tried: Bool[Array, "B"]  # the others wait
    has_value: Bool[Array, "B"]  # no need to enter: the table knows it, or it is quiet
    value: Int32[Array, "B"]
    is_exact: Bool[Array, "B"]
    node: Node
    stack: Stack
    statistics: Statistics


@dataclasses.dataclass(frozen=True)
class DepthFirst:
    """Searches to a fixed depth, by iterative deepening.

    Raises:
        ValueError: for a game or a setting that the search does not allow.
    """

    rules: Rules[Any]
    score: IntegerScore
    max_depth: int = 3  # plies looked ahead at most, the own move included
    pruning: Pruning = "pvs"
    table_bits: int | None = None  # a table of 2^bits entries for each lane; None: no table
    quiescence: int = 0  # further plies of noisy moves; needs tactics
    tactics: ordering.Tactics | None = None
    deepening: bool = True  # whether to search depth 1, 2, ... before the depth asked for

    def __post_init__(self) -> None:
        """Refuses what the search would misjudge."""
        if self.rules.num_players != 2:
            raise ValueError(
                f"a depth-first search needs two seats, this game has {self.rules.num_players}"
            )
        if self.rules.stochastic or not self.rules.perfect_information:
            raise ValueError("a depth-first search needs a game without chance and hidden moves")
        if not 1 <= self.max_depth <= MAX_DEPTH:
            raise ValueError(f"depth must be from 1 to {MAX_DEPTH} plies, got {self.max_depth}")
        if self.pruning not in ("none", "alpha_beta", "pvs"):
            raise ValueError(f"pruning must be none, alpha_beta or pvs, got {self.pruning!r}")
        if self.table_bits is not None and not 1 <= self.table_bits <= MAX_TABLE_BITS:
            raise ValueError(
                f"table must be from 1 to {MAX_TABLE_BITS} bits, got {self.table_bits}"
            )
        if not 0 <= self.quiescence <= MAX_DEPTH:
            raise ValueError(
                f"quiescence must be from 0 to {MAX_DEPTH} plies, got {self.quiescence}"
            )
        if self.quiescence and self.tactics is None:
            raise ValueError("quiescence needs a game whose noisy moves are known (tactics)")
        if self.rules.num_actions >= 2**15:
            raise ValueError(
                f"a depth-first search numbers actions with 15 bits, got {self.rules.num_actions}"
            )

    @property
    def levels(self) -> int:
        """Levels of a stack: every position that is entered has one."""
        return self.max_depth + self.quiescence

    # ------------------------------------------------------------------ as an agent

    def reset(self, batch_size: int) -> Table | tuple[()]:
        """Returns the memory: empty tables, or nothing."""
        if self.table_bits is None:
            return ()
        return tables.empty(batch_size, self.table_bits)

    def act(
        self, params: Params, memory: Any, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Any]:
        """Returns the best move found; of equal ones, which is left to chance."""
        found = self.search(params, state, key, table=None if self.table_bits is None else memory)
        to_move = jax.vmap(self.rules.to_move)(state)
        # Scores have a unit of their own, so only the certain results are given as values.
        value = jnp.sign(found.value) * (jnp.abs(found.value) > MAX_SCORE)
        values = jnp.where(jnp.arange(2) == to_move[:, None], value[:, None], -value[:, None])
        action = jnp.maximum(found.action, 0)
        policy = jax.nn.one_hot(found.action, self.rules.num_actions)
        memory = () if found.table is None else found.table
        return Decision(action, policy, values.astype(jnp.float32)), memory

    # ------------------------------------------------------------------ a whole search

    def search(
        self,
        params: Params,
        state: GameStates,
        key: PRNGKeyArray,
        depth: Int32[Array, "B"] | None = None,
        table: Table | None = None,
    ) -> Found:
        """Searches every position of a batch; those that are over cost nothing.

        `params` go to the score and have a leading axis of lanes. `depth` is the depth of each
        lane, from 1 to `max_depth`. A table of an earlier search is used and returned.
        """
        progress = self.start(params, state, key, depth, table)
        return self.found(self.advance(params, progress, np.iinfo(np.int32).max))

    def start(
        self,
        params: Params,
        state: GameStates,
        key: PRNGKeyArray,
        depth: Int32[Array, "B"] | None = None,
        table: Table | None = None,
    ) -> Progress:
        """Returns a search that `advance` carries on."""
        is_active = ~jax.vmap(self.rules.is_over)(state)
        batch_size = is_active.shape[0]
        target = jnp.full(batch_size, self.max_depth) if depth is None else depth
        target = jnp.clip(target, 1, self.max_depth).astype(jnp.int32)
        rules = self.rules
        if table is None and self.table_bits is not None:
            table = tables.empty(batch_size, self.table_bits)
        zeros = jnp.zeros(batch_size, jnp.int32)
        unknown = jnp.full((batch_size, self.max_depth), NO_ACTION, jnp.int16)
        counts = jnp.zeros((batch_size, self.max_depth), jnp.int32)
        return Progress(
            stack=empty_stack(
                packing.pack(state),
                self.levels,
                rules.max_legal_actions,
                rules.num_actions,
                self.max_depth,
            ),
            node=empty_node(batch_size),
            level=jnp.full(batch_size, -1),
            is_active=is_active,
            depth=jnp.ones_like(target) if self.deepening else target,
            target=target,
            table=None if table is None else tables.aged(table),
            salt=zobrist.salt(params, batch_size),
            noise=sampling.random_words(key, batch_size),
            statistics=Statistics(*(zeros for _ in Statistics._fields)),
            iterations=Iterations(counts, counts),
            finished=zeros,
            action=jnp.full(batch_size, NO_ACTION),
            value=zeros,
            variation=unknown,
        )

    def advance(self, params: Params, progress: Progress, steps: int | Array) -> Progress:
        """Carries a search on for at most `steps` turns of the loop."""
        like = jax.eval_shape(self.rules.init, jax.random.key(0))

        def goes_on(carry: tuple[Progress, Int32[Array, ""]]) -> Bool[Array, ""]:
            return carry[0].is_active.any() & (carry[1] < steps)

        def turn(
            carry: tuple[Progress, Int32[Array, ""]],
        ) -> tuple[Progress, Int32[Array, ""]]:
            return self._turn(params, carry[0], like), carry[1] + 1

        return jax.lax.while_loop(goes_on, turn, (progress, jnp.int32(0)))[0]

    def found(self, progress: Progress) -> Found:
        """Returns what a search has found so far."""
        return Found(
            action=progress.action,
            value=progress.value,
            variation=progress.variation,
            depth=progress.finished,
            iterations=progress.iterations,
            statistics=progress.statistics,
            table=progress.table,
        )

    # ------------------------------------------------------------------ one turn of the loop

    def _turn(self, params: Params, s: Progress, like: Any) -> Progress:
        """Makes a move in each lane, and hands on the value of a node that is finished."""
        lane = jnp.arange(s.level.shape[0])
        row = lane * self.levels + jnp.maximum(s.level, 0)
        begins = s.level < 0
        opens = s.is_active & (begins | ~s.node.is_finished)

        child = self._child(params, s, row, like)
        is_over = jax.vmap(self.rules.is_over)(child.game)
        horizon = -self.quiescence if self.quiescence else 0
        is_leaf = ~begins & (is_over | (child.left <= horizon))
        entered = self._enter(s, child, opens & ~is_leaf, lane)

        has_value = opens & (is_leaf | entered.has_value)
        value = jnp.where(is_leaf, child.value, entered.value)
        is_exact = is_leaf | entered.is_exact
        enters = opens & ~is_leaf & entered.was_tried & ~entered.has_value

        # The node at hand: it gets the child's value, or is kept on the stack meanwhile.
        node, improves = _with_value(
            s.node, child, jnp.where(child.negates, -value, value), has_value, is_exact
        )
        node = node._replace(last=jnp.where(enters & ~begins, child.key, node.last))
        stack = entered.stack
        kept = jnp.where(enters & ~begins, row, stack.node.shape[0])
        stack = stack._replace(node=stack.node.at[kept].set(pack_node(node), mode="drop"))
        line = stack.variation[row]
        line = jnp.where(improves[:, None], _line_of(child.action, self.max_depth), line)

        # A node that is finished hands its value to its parent, which is at hand next.
        closes = s.is_active & ~begins & ~enters & node.is_finished
        parent = unpack_node(stack.node[jnp.maximum(row - 1, 0)])
        has_parent = closes & (s.level > 0)
        above, improves_above = _returned(parent, node, has_parent, self.rules.num_actions)
        line_above = jnp.concatenate(
            [above.best_action.astype(jnp.int16)[:, None], line[:, :-1]], axis=1
        )
        written = jnp.where(improves & ~closes, row, stack.variation.shape[0])
        written = jnp.where(improves_above, row - 1, written)
        stack = stack._replace(
            variation=stack.variation.at[written].set(
                jnp.where(improves_above[:, None], line_above, line), mode="drop"
            )
        )
        left = s.depth - s.level  # plies looked ahead from the node at hand
        stack = self._learn(stack, s, node, row, closes & (node.best >= node.beta) & (left > 0))
        table, stores = self._store(s, node, lane, left, closes & (left > 0))

        statistics = entered.statistics._replace(
            nodes=s.statistics.nodes + ((has_value | enters) & ~begins),
            stores=s.statistics.stores + stores,
        )
        s = s._replace(
            stack=stack,
            node=select(has_parent, above, select(enters, entered.node, node)),
            level=s.level + enters - closes,
            table=table,
            statistics=statistics,
        )
        return _finish_iteration(s, node, line, closes & (s.level < 0))

    def _child(self, params: Params, s: Progress, row: Int32[Array, "B"], like: Any) -> _Child:
        """Returns the position after the next move of the node at hand; the root to begin with."""
        node, begins = s.node, s.level < 0
        keys = s.stack.keys[row]
        key = jnp.where(keys < node.last[:, None], keys, 0).max(axis=1)
        key = jnp.where(node.again == 1, node.last, key)
        action = ordering.action_of(key, self.rules.num_actions)
        action = jnp.where(begins, 0, action)
        games = packing.unpack(s.stack.words[row], like)
        moved = jax.vmap(lambda game, move: self.rules.step(game, move, None))(games, action)
        moved = select_rows(begins, games, moved)

        to_move = jax.vmap(self.rules.to_move)
        seat = to_move(moved)
        negates = seat != to_move(games)
        level = s.level + 1
        lower, upper = node.lower, node.beta
        is_null = jnp.zeros_like(begins)
        if self.pruning == "pvs":
            is_null = (node.last != ordering.FIRST) & (node.again == 0) & (upper - lower > 1)
            upper = jnp.where(is_null, lower + 1, upper)
        alpha = jnp.where(negates, -upper, lower)
        beta = jnp.where(negates, -lower, upper)
        if self.pruning != "none":
            beta = jnp.minimum(beta, WIN - level - 1)  # to win with the next move is the best
        full = begins | (self.pruning == "none")
        won = jnp.sign(jax.vmap(self.rules.returns)(moved)[jnp.arange(len(seat)), seat])
        static = jax.vmap(self.score)(params, moved)
        is_over = jax.vmap(self.rules.is_over)(moved)
        outcome = won.astype(jnp.int32) * (WIN - level)
        return _Child(
            words=packing.pack(moved),
            game=moved,
            level=level,
            action=action,
            key=key,
            alpha=jnp.where(full, -INFINITY, alpha),
            beta=jnp.where(full, INFINITY, beta),
            is_null=is_null & ~begins,
            negates=negates,
            value=jnp.where(is_over, outcome, static),
            left=s.depth - level,
        )

    def _enter(
        self, s: Progress, child: _Child, needed: Bool[Array, "B"], lane: Int32[Array, "B"]
    ) -> _Entered:
        """Looks positions up and lists their moves, for as many lanes as one turn serves."""
        rules, batch_size = self.rules, len(lane)
        width = batch_size
        if batch_size > _SMALL_BATCH:
            width = -(-batch_size // _LANES_TO_ENTER)
        (chosen,) = jnp.nonzero(needed, size=width, fill_value=batch_size)
        at = jnp.minimum(chosen, batch_size - 1)
        some = jax.tree.map(lambda x: x[at], child)
        is_chosen = chosen < batch_size
        begins = some.level == 0
        is_quiet = some.left <= 0

        statistics = s.statistics
        value, is_exact, has_value = some.value, jnp.ones_like(begins), jnp.zeros_like(begins)
        first = jnp.where(begins, s.action[at], NO_ACTION)
        hashes = jnp.zeros((width, zobrist.LANES), jnp.uint32)
        if self.table_bits is not None and s.table is not None:
            hashes = zobrist.position_hash(some.words) ^ s.salt[at]
            probed = is_chosen & ~is_quiet
            entry = tables.probe(
                s.table.entries, tables.rows(at, hashes, self.table_bits), hashes
            )
            known = entry._replace(value=_moved(entry.value, -some.level))
            is_hit = probed & known.is_known
            first = jnp.where(is_hit & (first == NO_ACTION), known.action, first)
            cuts = (known.bound == EXACT) | jnp.where(
                known.bound == LOWER, known.value >= some.beta, known.value <= some.alpha
            )
            has_value = is_hit & ~begins & (known.depth >= some.left) & cuts
            value = jnp.where(has_value, known.value, value)
            is_exact = ~has_value | (known.bound == EXACT)
            statistics = statistics._replace(
                probes=_counted(statistics.probes, chosen, probed),
                hits=_counted(statistics.hits, chosen, is_hit),
                cuts=_counted(statistics.cuts, chosen, has_value),
            )

        masks = jax.vmap(rules.legal_actions)(some.game)
        if self.quiescence:
            assert self.tactics is not None
            noisy = jax.vmap(self.tactics.noisy)(some.game)
            masks = masks & (noisy | ~is_quiet[:, None])
        actions, is_used = candidates.legal_list(candidates.pack(masks), rules.max_legal_actions)
        count = is_used.sum(axis=1, dtype=jnp.int32)
        if self.quiescence:
            stays = is_quiet & ((count == 0) | (some.value >= some.beta))
            has_value, is_exact = has_value | stays, is_exact | stays

        enters = jnp.where(is_chosen & ~has_value, at * self.levels + some.level, len(s.stack.keys))
        keys = self._keys(s, some, at, actions, is_used, first)
        stack = s.stack._replace(
            keys=s.stack.keys.at[enters].set(keys, mode="drop"),
            words=s.stack.words.at[enters].set(some.words, mode="drop"),
        )
        node = Node(
            alpha=some.alpha,
            beta=some.beta,
            best=jnp.where(is_quiet, some.value, -INFINITY),
            best_action=jnp.full(width, NO_ACTION),
            last=jnp.full(width, ordering.FIRST),
            left=count,
            again=jnp.zeros(width, jnp.int32),
            is_null=some.is_null.astype(jnp.int32),
            negates=some.negates.astype(jnp.int32),
            hash=jax.lax.bitcast_convert_type(hashes[:, 0], jnp.int32),
            check=jax.lax.bitcast_convert_type(hashes[:, 1], jnp.int32),
        )
        results = jnp.stack([is_chosen, has_value, value, is_exact, *node], axis=1).astype(jnp.int32)
        full = jnp.zeros((batch_size, results.shape[1]), jnp.int32)
        full = full.at[chosen].set(results, mode="drop")
        return _Entered(
            was_tried=full[:, 0] == 1,
            has_value=full[:, 1] == 1,
            value=full[:, 2],
            is_exact=full[:, 3] == 1,
            node=unpack_node(full[:, 4:]),
            stack=stack,
            statistics=statistics,
        )

    def _keys(
        self,
        s: Progress,
        some: _Child,
        at: Int32[Array, "W"],
        actions: Int32[Array, "W slots"],
        is_used: Bool[Array, "W slots"],
        first: Int32[Array, "W"],
    ) -> Int32[Array, "W slots"]:
        """Returns the keys that order the moves of positions."""
        size = self.rules.num_actions
        seat = jax.vmap(self.rules.to_move)(some.game)
        index = (at * 2 + seat)[:, None] * size + actions
        history = s.stack.history[index].astype(jnp.int32)
        by_chance = ordering.chance(actions, s.noise[at], size)
        history = jnp.where((some.level == 0)[:, None], by_chance, history)
        bonus: Int32[Array, "W slots"] | int = 0
        if self.tactics is not None:
            bonus = jax.vmap(self.tactics.bonus)(some.game, actions)
        killers = s.stack.killers[at * self.levels + some.level]
        return ordering.keys(
            actions,
            is_used,
            first=first,
            bonus=bonus,
            killers=killers,
            history=history,
            num_actions=size,
        )

    def _learn(
        self,
        stack: Stack,
        s: Progress,
        node: Node,
        row: Int32[Array, "B"],
        cuts: Bool[Array, "B"],
    ) -> Stack:
        """Returns the stacks with killers and history of the moves that cut a search."""
        size = self.rules.num_actions
        old = stack.killers[row]
        is_new = cuts & (old[:, 0] != node.best_action)
        killers = jnp.stack([node.best_action, old[:, 0]], axis=1)
        target = jnp.where(is_new, row, len(stack.killers))
        like = jax.eval_shape(self.rules.init, jax.random.key(0))
        seat = jax.vmap(self.rules.to_move)(packing.unpack(stack.words[row], like))
        lane = jnp.arange(len(row))
        index = (lane * 2 + seat) * size + jnp.maximum(node.best_action, 0)
        gained = ordering.learned(stack.history[index], s.depth - s.level, size)
        index = jnp.where(cuts, index, len(stack.history))
        return stack._replace(
            killers=stack.killers.at[target].set(killers, mode="drop"),
            history=stack.history.at[index].set(gained, mode="drop"),
        )

    def _store(
        self,
        s: Progress,
        node: Node,
        lane: Int32[Array, "B"],
        left: Int32[Array, "B"],
        closes: Bool[Array, "B"],
    ) -> tuple[Table | None, Bool[Array, "B"]]:
        """Returns the tables with the values of nodes that are finished, and where one was kept."""
        if self.table_bits is None or s.table is None:
            return s.table, jnp.zeros_like(closes)
        words = [node.hash, node.check]
        hashes = jnp.stack([jax.lax.bitcast_convert_type(x, jnp.uint32) for x in words], axis=1)
        bound = jnp.where(node.best >= node.beta, LOWER, EXACT)
        entry = Entry(
            is_known=closes,
            value=_moved(node.best, s.level),
            bound=jnp.where(node.best <= node.alpha, UPPER, bound),
            depth=left,
            action=jnp.maximum(node.best_action, 0),
        )
        row = tables.rows(lane, hashes, self.table_bits)
        return tables.store(s.table, row, hashes, entry, closes)


def _with_value(
    node: Node,
    child: _Child,
    value: Int32[Array, "B"],
    has_value: Bool[Array, "B"],
    is_exact: Bool[Array, "B"],
) -> tuple[Node, Bool[Array, "B"]]:
    """Returns nodes that get a child's value at once, and whether it improves them."""
    inside = (value > node.lower) & (value < node.beta)
    again = has_value & child.is_null & inside & ~is_exact
    accepted = has_value & ~again
    improves = accepted & (value > node.best)
    return node._replace(
        best=jnp.where(improves, value, node.best),
        best_action=jnp.where(improves, child.action, node.best_action),
        last=jnp.where(has_value, child.key, node.last),
        left=node.left - accepted,
        again=jnp.where(has_value, again.astype(jnp.int32), node.again),
    ), improves


def _returned(
    parent: Node, node: Node, returns: Bool[Array, "B"], num_actions: int
) -> tuple[Node, Bool[Array, "B"]]:
    """Returns the parents with the values of finished nodes, and whether they improve them."""
    value = node.seen_from(node.negates)
    inside = (value > parent.lower) & (value < parent.beta)
    again = returns & (node.is_null == 1) & inside
    accepted = returns & ~again
    improves = accepted & (value > parent.best)
    action = ordering.action_of(parent.last, num_actions)
    return parent._replace(
        best=jnp.where(improves, value, parent.best),
        best_action=jnp.where(improves, action, parent.best_action),
        left=parent.left - accepted,
        again=again.astype(jnp.int32),
    ), improves


def _finish_iteration(
    s: Progress, root: Node, line: Int16[Array, "B depth"], finishes: Bool[Array, "B"]
) -> Progress:
    """Notes the results of lanes whose root is finished, which begin anew if a depth is left."""
    lane, column = jnp.arange(len(s.depth)), jnp.where(finishes, s.depth - 1, s.variation.shape[1])
    value, nodes = s.iterations
    iterations = Iterations(
        value.at[lane, column].set(root.best, mode="drop"),
        nodes.at[lane, column].set(s.statistics.nodes - nodes.sum(axis=1), mode="drop"),
    )
    # A win or loss within the depth searched is certain, and the shortest.
    is_proven = jnp.abs(root.best) > MAX_SCORE
    ends = finishes & ((s.depth >= s.target) | is_proven)
    return s._replace(
        is_active=s.is_active & ~ends,
        depth=jnp.where(finishes & ~ends, s.depth + 1, s.depth),
        iterations=iterations,
        finished=jnp.where(finishes, s.depth, s.finished),
        action=jnp.where(finishes, root.best_action, s.action),
        value=jnp.where(finishes, root.best, s.value),
        variation=jnp.where(finishes[:, None], line, s.variation),
    )


def _moved(value: Int32[Array, "W"], plies: Int32[Array, "W"]) -> Int32[Array, "W"]:
    """Returns values with wins and losses counted from a position `plies` further on."""
    shift = jnp.where(jnp.abs(value) > MAX_SCORE, jnp.sign(value) * plies, 0)
    return value + shift


def _line_of(action: Int32[Array, "B"], depth: int) -> Int16[Array, "B depth"]:
    """Returns variations of one move."""
    rest = jnp.full((len(action), depth - 1), NO_ACTION, jnp.int16)
    return jnp.concatenate([action.astype(jnp.int16)[:, None], rest], axis=1)


def _counted(
    counts: Int32[Array, "B"], lane: Int32[Array, "W"], mask: Bool[Array, "W"]
) -> Int32[Array, "B"]:
    return counts.at[lane].add(mask, mode="drop")
