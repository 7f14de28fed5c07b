"""`AfterstateNetwork`: values of afterstates from features and the cells of the map.

One afterstate costs tens of thousands of multiplications, so that all legal actions of a position
can be judged. A cell of the map adds a row of a table that is chosen by the code of the cell; only
a TPU multiplies for that. The last layer starts at zero: a fresh network leaves the estimate of the
domain as it is.
"""

import dataclasses
import itertools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt8

from jaxgames.batching import lookups
from jaxgames.internal import device_kind, jax_modes
from jaxgames.networks.config import AfterstateConfig
from jaxgames.networks.network import compute_dtype
from jaxgames.networks.prediction import num_outputs, of_all_seats
from jaxgames.rules import Seat
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.network import to_absolute_seats, to_observer_first
from jaxgames.search.planning.afterstate_domain import AfterstateDomain

_CELLS_KEY = 1000  # of the draw of the table, apart from the layers' numbers


class Inputs(NamedTuple):
    """What a network reads of `N` afterstates; seats are counted from the one that acted."""

    features: Float[Array, "N features"]
    estimate: Float[Array, "N players"]
    points: Float[Array, "N players"] | None
    """The points so far; None in games that count none."""
    cells: UInt8[Array, "N cells"] | None = None
    """The codes of the cells of the map; None where the map is not shown by cells."""


class Values(NamedTuple):
    """Predictions for `N` afterstates; the seat that acted is first."""

    values: Float[Array, "N players"]
    points: Float[Array, "N players"] | None
    """The expected final points, in `points_unit`."""


@dataclasses.dataclass(frozen=True)
class AfterstateNetwork:
    """The value of afterstates of one game; hashable, holds no parameters.

    In games of two seats, the values of the seats add up to zero.
    """

    domain: AfterstateDomain
    config: AfterstateConfig

    def init(self, key: PRNGKeyArray) -> Params:
        """Returns fresh float32 parameters: `{"layers": {0: {"kernel", "bias"}, ...}}`.

        With cells, `"codes"` has a row for each code, `[codes, cell_features]`, and `"cells"` what
        a row differs by at each cell, `[cells, codes, cell_features]`.
        """
        domain, params = self.domain, {}
        state = jax.eval_shape(domain.rules.init, key)
        seat = jax.ShapeDtypeStruct((), jnp.int32)
        features = jax.eval_shape(domain.features, state, seat).shape[0]
        cells = jax.eval_shape(self._cells, state, seat)
        if cells is not None:
            shape = (domain.num_cell_codes, self.config.cell_features)
            features += self.config.cell_features
            noise = jax.random.normal(jax.random.fold_in(key, _CELLS_KEY), shape, jnp.float32)
            params["codes"] = noise / math.sqrt(cells.shape[0])
            params["cells"] = jnp.zeros((*cells.shape, *shape), jnp.float32)
        num_values = num_outputs(self.domain.rules.num_players)
        sizes = [features, *self.config.hidden, num_values + self._num_points]
        layers = {}
        for layer, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes)):
            shape, is_last = (fan_in, fan_out), layer == len(sizes) - 2
            scale = 0.0 if is_last else math.sqrt(2 / fan_in)
            noise = jax.random.normal(jax.random.fold_in(key, layer), shape, jnp.float32)
            layers[layer] = {"kernel": scale * noise, "bias": jnp.zeros((fan_out,), jnp.float32)}
        return params | {"layers": layers}

    def inputs(self, state: GameStates, seat: Int32[Array, "N"]) -> Inputs:
        """Returns what the network reads of afterstates, as the seat that acted sees them."""
        domain = self.domain
        points = None
        if domain.rules.counts_points:
            points = to_observer_first(jax.vmap(domain.points)(state), seat)
        look = jax.vmap(lookups.selected(domain.features_and_estimate))
        features, estimate = look(state, seat)
        return Inputs(
            features=features,
            estimate=to_observer_first(estimate, seat),
            points=points,
            cells=jax.vmap(lookups.selected(self._cells))(state, seat),
        )

    @jax_modes.standard
    def apply(self, params: Params, inputs: Inputs) -> Values:
        """Returns the predictions for afterstates that do not end the game."""
        learned = self._learned(params, inputs)
        players = self.domain.rules.num_players
        values, points = jnp.split(learned, [num_outputs(players)], axis=-1)
        values = of_all_seats(values, players) + inputs.estimate
        if self.domain.bounded:
            values = jnp.tanh(values)
        return Values(values, None if inputs.points is None else inputs.points + points)

    @jax_modes.standard
    def __call__(
        self, params: Params, state: GameStates, seat: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        """Returns the values of afterstates for every seat, the outcome where the game is over."""
        values = self._by_seat(params, state, seat)
        is_over: Bool[Array, N] = jax.vmap(self.domain.rules.is_over)(state)
        outcome = jax.vmap(self.domain.outcome)(state)
        return jnp.where(is_over[:, None], outcome, values)

    def returns(
        self, params: Params, state: GameStates, seat: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        """Returns the expected returns of all seats, in [-1, 1], for games that are not over."""
        return self.as_returns(self._by_seat(params, state, seat))

    def as_returns(self, values: Float[Array, "*N players"]) -> Float[Array, "*N players"]:
        """Returns values as expected returns, in [-1, 1]."""
        return values if self.domain.bounded else jnp.tanh(values)

    def _by_seat(
        self, params: Params, state: GameStates, seat: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        return to_absolute_seats(self.apply(params, self.inputs(state, seat)).values, seat)

    def _learned(self, params: Params, inputs: Inputs) -> Float[Array, "N outputs"]:
        layers: list[Any] = [params["layers"][i] for i in range(len(params["layers"]))]
        dtype = compute_dtype(self.config.dtype)
        x = inputs.features.astype(dtype)
        if inputs.cells is not None:
            table = (params["cells"] + params["codes"]).astype(dtype)
            x = jnp.concatenate([x, _sum_of_rows(table, inputs.cells).astype(dtype)], axis=-1)
        for layer in layers[:-1]:
            x = jax.nn.relu(x @ layer["kernel"].astype(dtype) + layer["bias"].astype(dtype))
        # The last sums are in full precision: small differences decide between actions.
        last = layers[-1]
        product = jnp.dot(x, last["kernel"].astype(dtype), preferred_element_type=jnp.float32)
        return product + last["bias"]

    def _cells(self, state: Any, seat: Seat) -> UInt8[Array, "cells"] | None:
        """Returns the codes of the cells in one game; None where the map is not shown by cells."""
        return self.domain.cells(state, seat) if self.config.cell_features else None

    @property
    def _num_points(self) -> int:
        return self.domain.rules.num_players if self.domain.rules.counts_points else 0


def _sum_of_rows(
    table: Float[Array, "cells codes features"], codes: UInt8[Array, "N cells"]
) -> Float[Array, "N features"]:
    """Returns the float32 sum of the rows that the codes choose, one for each cell.

    A TPU reads chosen rows one after the other, and adds up their gradients in the same way. There
    a product with ones and zeros takes a hundredth of the time, and compiles in seconds instead of
    minutes.
    """
    if not device_kind.is_tpu():
        number = jnp.arange(table.shape[0], dtype=jnp.int32)
        return table[number, codes.astype(jnp.int32)].sum(axis=-2, dtype=jnp.float32)
    is_chosen = jax.nn.one_hot(codes, table.shape[1], dtype=table.dtype)
    return jnp.dot(
        is_chosen.reshape(codes.shape[0], -1),
        table.reshape(-1, table.shape[2]),
        precision=jax.lax.Precision.HIGHEST,  # of float32 tables; others are exact anyhow
        preferred_element_type=jnp.float32,
    )
