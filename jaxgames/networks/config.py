"""Sizes of networks as plain values: importing them needs no JAX."""

import dataclasses
from typing import ClassVar

from jaxgames.internal.checks import at_least, one_of
from jaxgames.networks.towers import tower_names

_DTYPES = ("auto", "float32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Sizes of a residual tower, its policy head and its value head."""

    tower: str = "square"
    """square (3x3 convolutions, for an observation of planes), hex (for a hexagonal board, observed
    as a grid of planes and a vector of numbers), tile (for a square board observed in the same way,
    with actions that name a tile first), or a tower that another package has registered."""
    channels: int = 64
    """Feature planes of the tower."""
    common_channels: int = 64
    """Features of the whole board beside those of the cells, in the towers hex and tile."""
    blocks: int = 4
    """Residual blocks, of two 3x3 convolutions each."""
    policy_channels: int = 32
    """Feature planes of the policy head."""
    value_channels: int = 8
    """Feature planes of the value head."""
    value_hidden: int = 64
    """Units of the hidden layer of the value head."""
    dtype: str = "auto"
    """float32, bfloat16, or auto: bfloat16 on accelerators. Parameters are always float32."""

    def __post_init__(self) -> None:
        """Checks each field."""
        sizes = ("channels", "common_channels", "policy_channels", "value_channels", "value_hidden")
        for name in sizes:
            at_least(self, name, 1)
        at_least(self, "blocks", 0)
        one_of(self, "tower", tower_names(self.tower))
        one_of(self, "dtype", _DTYPES)


@dataclasses.dataclass(frozen=True)
class ModelConfig(NetworkConfig):
    """Sizes of a learned model: of its tower and heads, and of its dynamics."""

    dynamics_blocks: int = 1
    """Residual blocks with which the model goes from a position to the next one, beside the layers
    that take up the action."""
    projection: int = 0
    """Units of the layers that compare predicted features with observed ones while learning; 0:
    none. It belongs to --learner.consistency-loss-weight."""

    GROUP: ClassVar[str] = "network"

    def __post_init__(self) -> None:
        """Checks each field."""
        super().__post_init__()
        at_least(self, "dynamics_blocks", 0)
        at_least(self, "projection", 0)


@dataclasses.dataclass(frozen=True)
class AfterstateConfig:
    """Sizes of a network of afterstate values."""

    hidden: tuple[int, ...] = (64, 64)
    """Units of each hidden layer."""
    cell_features: int = 32
    """Numbers that the cells of the map add up to, in games that show the map by cells; 0: the map
    is not shown."""
    dtype: str = "auto"
    """float32, bfloat16, or auto: bfloat16 on accelerators. Parameters are always float32."""

    def __post_init__(self) -> None:
        """Checks each field."""
        at_least(self, "cell_features", 0)
        if not self.hidden or not all(isinstance(size, int) and size > 0 for size in self.hidden):
            raise ValueError(f"network.hidden must be sizes of layers, got {self.hidden!r}")
        one_of(self, "dtype", _DTYPES)
