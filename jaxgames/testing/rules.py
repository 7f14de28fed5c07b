"""The promises of `Rules`. The docstring of each check states them."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames.boards import bits
from jaxgames.boards.packed_planes import is_packed
from jaxgames.rules import Rules
from jaxgames.testing import playouts
from jaxgames.testing.playouts import require, require_equal

NUM_SAMPLES = 4096  # draws that one test of uniform sampling makes
NUM_POSITIONS = 6  # positions on which the slower checks look


def check_rules(rules: Rules, seed: int = 0) -> None:
    """Checks the promises of `Rules` on random games.

    Raises:
        AssertionError: names the first broken promise.
    """
    check_static_facts(rules)
    check_types(rules)
    check_one_trace(rules)
    games = playouts.play(rules, seed)
    positions = _positions(rules, games, seed)
    for check in (check_legal_actions, check_outcomes):
        check(rules, games)
    for check_positions in (
        check_transformations,
        check_chance,
        check_sampling,
        check_symmetries,
        check_knowledge,
    ):
        check_positions(rules, positions)


def check_static_facts(rules: Rules) -> None:
    """The static members have sensible values, and rules are equal and hash by value."""
    require(rules.num_players >= 1, "num_players is positive")
    require(0 < rules.num_actions < 2**16, "num_actions is in 1..65535")
    require(
        1 <= rules.max_legal_actions <= rules.num_actions, "max_legal_actions is in 1..num_actions"
    )
    require(rules.max_steps >= 1, "max_steps is positive")
    require(
        isinstance(rules.version, str) and rules.version.isdigit(), "version is a string of digits"
    )
    try:
        hash(rules)
    except TypeError as error:
        raise AssertionError("broken promise: rules can be hashed (a static argument)") from error


def check_types(rules: Rules) -> None:
    """Shapes and dtypes are those of the contract, and `step` keeps those of `init`."""
    key = jax.eval_shape(lambda: jax.random.key(0))
    word = jax.ShapeDtypeStruct((), jnp.uint32)
    action = seat = jax.ShapeDtypeStruct((), jnp.int32)
    state = jax.eval_shape(rules.init, key)
    require(
        not any(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in jax.tree.leaves(state)),
        "a game state holds no random key",
    )
    _require_no_empty_array(state, "a game state")
    stepped = jax.eval_shape(rules.step, state, action, key)
    require(_types(stepped) == _types(state), "step keeps the structure, shapes and dtypes of init")
    for name in ("determinize", "sample_belief"):
        sampled = jax.eval_shape(getattr(rules, name), state, seat, key)
        require(_types(sampled) == _types(state), f"{name} returns a game state")

    players = (rules.num_players,)
    words = (-(-rules.num_actions // bits.WORD_BITS),)
    for name, shape, dtype, arguments in (
        ("to_move", (), jnp.int32, (state,)),
        ("legal_actions", (rules.num_actions,), jnp.bool_, (state,)),
        ("packed_legal_actions", words, jnp.uint32, (state,)),
        ("sample_action", (), jnp.int32, (state, word)),
        ("is_over", (), jnp.bool_, (state,)),
        ("returns", players, jnp.float32, (state,)),
        ("score", players, jnp.float32, (state,)),
        ("completes_action", (), jnp.bool_, (state, action)),
    ):
        result = jax.eval_shape(getattr(rules, name), *arguments)
        require(
            result.shape == shape and result.dtype == dtype,
            f"{name} returns {jnp.dtype(dtype).name}{list(shape)}, "
            f"not {result.dtype.name}{list(result.shape)}",
        )
    seen = jax.eval_shape(rules.observe, state, seat)
    _require_no_empty_array(seen, "an observation")
    for part in jax.tree.leaves(seen, is_leaf=is_packed):
        require(
            is_packed(part) or part.dtype in (jnp.float32, jnp.bool_),
            "observe returns float32 or bool arrays, or PackedPlanes",
        )


def _require_no_empty_array(tree: Any, name: str) -> None:
    """Checks that every array has an element: many libraries cannot save or split an empty one."""
    empty = [
        jax.tree_util.keystr(path) or "the array"
        for path, leaf in jax.tree.leaves_with_path(tree)
        if 0 in leaf.shape
    ]
    found = f" ({', '.join(empty)}); use None for a part that does not exist" if empty else ""
    require(not empty, f"no array of {name} is empty{found}")


def check_one_trace(rules: Rules) -> None:
    """`step` is traced once, however often it is called."""
    traces = 0

    def step(state: Any, action: jax.Array, key: PRNGKeyArray) -> Any:
        nonlocal traces
        traces += 1
        return rules.step(state, action, key)

    key = jax.random.key(0)
    jitted, sample = jax.jit(step), jax.jit(rules.sample_action)
    state = jax.jit(rules.init)(key)
    for _ in range(2):
        state = jitted(state, sample(state, jnp.uint32(0)), key)
    require(traces == 1, "one trace serves all calls of step (weak types differ between states?)")


def check_legal_actions(rules: Rules, games: playouts.Playouts) -> None:
    """Legal actions exist until the end, never too many; samples and words agree with the mask."""

    def masks_and_words(state: Any) -> tuple[jax.Array, jax.Array, jax.Array]:
        mask = rules.legal_actions(state)
        return mask, bits.pack(mask), rules.packed_legal_actions(state)

    masks, packed, words = playouts.map2(masks_and_words)(games.states)
    require(
        games.over[..., None] | (words == packed),
        "packed_legal_actions has the bits of legal_actions",
    )
    taken = jnp.take_along_axis(masks, games.actions[..., None], -1)[..., 0]
    require(games.over | taken | ~masks.any(-1), "sample_action returns a legal action")
    counts = masks.sum(-1)
    require(games.over | (counts > 0), "a legal action exists until the game is over")
    require(
        games.over | (counts <= rules.max_legal_actions),
        "no state has more than max_legal_actions legal actions",
    )


def check_outcomes(rules: Rules, games: playouts.Playouts) -> None:
    """Outcomes lie in [-1, 1], are zero before the end, and sum to zero for two seats.

    Seats that alternate do so.
    """
    returns = playouts.map2(rules.returns)(games.states)
    seats = playouts.map2(rules.to_move)(games.states)
    require((seats >= 0) & (seats < rules.num_players), "to_move is a seat")
    if rules.seats_alternate:
        in_turn = seats[1:] == (seats[:-1] + 1) % rules.num_players
        require(games.over[1:] | in_turn, "seats that alternate move in order")
    require(games.over[..., None] | (returns == 0), "returns are zero before the end")
    require(jnp.abs(returns) <= 1, "returns lie in [-1, 1]")
    if rules.num_players == 2:
        require(jnp.abs(returns.sum(-1)) < 1e-6, "returns of two seats sum to zero")
    require(jnp.isfinite(playouts.map2(rules.score)(games.states)), "scores are finite")


def check_transformations(rules: Rules, positions: Any) -> None:
    """`jit` and `vmap` change no result."""
    key = jax.random.key(3)
    actions = _sampled(rules, positions, key)

    def everything(state: Any, action: jax.Array) -> tuple[Any, ...]:
        seat = rules.to_move(state)
        following = rules.step(state, action, key)
        facts = (rules.is_over(following), rules.returns(following), rules.score(following))
        return following, facts, rules.legal_actions(following), rules.observe(state, seat)

    batched = jax.jit(jax.vmap(everything))(positions, actions)
    single = jax.jit(everything)
    for i in range(NUM_POSITIONS):
        one = single(playouts.at(positions, i), actions[i])
        require_equal(playouts.at(batched, i), one, "vmap gives what a loop gives")
    with jax.disable_jit():
        eager = everything(playouts.at(positions, 0), actions[0])
    require_equal(eager, single(playouts.at(positions, 0), actions[0]), "jit changes no result")


def check_chance(rules: Rules, positions: Any) -> None:
    """`step` is a function of its arguments, and reads its key only in a stochastic game."""
    actions = _sampled(rules, positions, jax.random.key(4))
    step = jax.jit(jax.vmap(rules.step, in_axes=(0, 0, None)))
    first = step(positions, actions, jax.random.key(5))
    require_equal(first, step(positions, actions, jax.random.key(5)), "equal keys, equal steps")
    if not rules.stochastic:
        other = step(positions, actions, jax.random.key(6))
        require_equal(first, other, "a game that is not stochastic ignores the key of step")
        keyless = jax.jit(jax.vmap(lambda s, a: rules.step(s, a, None)))(positions, actions)
        require_equal(first, keyless, "a game that is not stochastic needs no key")


def check_sampling(rules: Rules, positions: Any) -> None:
    """`sample_action` is uniform over the legal actions (a test of chi-square)."""
    words = playouts.words(jax.random.key(7), NUM_SAMPLES)
    sample = jax.jit(jax.vmap(rules.sample_action, in_axes=(None, 0)))
    masks = np.asarray(jax.jit(jax.vmap(rules.legal_actions))(positions))
    for i in range(NUM_POSITIONS):
        counts = np.bincount(
            np.asarray(sample(playouts.at(positions, i), words)), minlength=rules.num_actions
        )
        require(counts[~masks[i]] == 0, "sample_action returns legal actions only")
        expected = NUM_SAMPLES / masks[i].sum()
        chi_square = ((counts[masks[i]] - expected) ** 2 / expected).sum()
        freedom = masks[i].sum() - 1
        # Mean plus about seven standard deviations: false alarms practically never occur.
        limit = freedom + 10 * np.sqrt(freedom) + 20 * (freedom > 0)
        require(chi_square <= limit, "sample_action is uniform over the legal actions")


def check_symmetries(rules: Rules, positions: Any) -> None:
    """A symmetry renumbers the actions, and commutes with `step` and the outcome."""
    key = jax.random.key(8)
    every = jnp.arange(rules.num_actions)
    steps = jax.vmap(rules.step, in_axes=(None, 0, None))
    for number, (map_state, map_action) in enumerate(rules.symmetries):
        name = f"symmetry {number}"

        def both(
            state: Any, map_state: Callable = map_state, map_action: Callable = map_action
        ) -> tuple[Any, ...]:
            image, actions = map_state(state), map_action(state)
            mapped_after = jax.vmap(map_state)(steps(state, every, key))
            stepped_after = steps(image, actions, key)
            masks = rules.legal_actions(state), rules.legal_actions(image)[actions]
            outcomes = jax.vmap(rules.returns)(mapped_after), jax.vmap(rules.returns)(stepped_after)
            return actions, masks, outcomes, (mapped_after, stepped_after)

        actions, masks, outcomes, after = jax.jit(jax.vmap(both))(positions)
        require(jnp.sort(actions, axis=-1) == every, f"{name} renumbers the actions one to one")
        require_equal(masks[0], masks[1], f"{name} maps legal actions to legal actions")
        legal = np.nonzero(np.asarray(masks[0]))
        outcomes, after = playouts.at((outcomes, after), legal)
        require_equal(after[0], after[1], f"{name}: step(map(s), map(a)) equals map(step(s, a))")
        require_equal(outcomes[0], outcomes[1], f"{name} keeps the outcome")


def check_knowledge(rules: Rules, positions: Any) -> None:
    """`determinize` and `sample_belief` agree with what the seat knows, and change none of it."""
    observe = jax.jit(jax.vmap(rules.observe, in_axes=(0, None)))
    draws = {
        name: jax.jit(jax.vmap(getattr(rules, name), in_axes=(0, None, None)))
        for name in ("determinize", "sample_belief")
    }
    for seat in range(rules.num_players):
        player, key = jnp.int32(seat), jax.random.key(9 + seat)
        seen = observe(positions, player)
        for name, draw in draws.items():
            samples = draw(positions, player, key)
            require_equal(observe(samples, player), seen, f"{name} keeps what the seat observes")
            if rules.perfect_information:
                require_equal(samples, positions, f"nothing is hidden, so {name} is the identity")


def _positions(rules: Rules, games: playouts.Playouts, seed: int) -> Any:
    """Returns `NUM_POSITIONS` positions of the games that are not over, as a batch."""
    plies, lanes = np.nonzero(~np.asarray(games.over))
    chosen = np.random.default_rng(seed).integers(0, len(plies), NUM_POSITIONS)
    chosen[0] = 0
    return jax.tree.map(lambda leaf: leaf[plies[chosen], lanes[chosen]], games.states)


def _sampled(rules: Rules, positions: Any, key: PRNGKeyArray) -> jax.Array:
    """Returns a random legal action for each of the positions."""
    words = playouts.words(key, NUM_POSITIONS)
    return jax.jit(jax.vmap(rules.sample_action))(positions, words)


def _types(tree: Any) -> Any:
    leaves = [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(tree)]
    return jax.tree.structure(tree), leaves
