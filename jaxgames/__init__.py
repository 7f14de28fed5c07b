"""Strategy board games as pure, jit-compiled JAX state transitions.

import jax, jaxgames
env = jaxgames.make("onitama")
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 1024))

`jaxgames.match(env, ["best", "random"])` lets players meet, `jaxgames.player` makes one and
`jaxgames.analyse` shows how it judges a position. Searches are in `jaxgames.search`, networks in
`jaxgames.networks`. Names are loaded on first use: plain settings can be read without starting JAX.
"""

from typing import TYPE_CHECKING

from jaxgames.internal.imports import lazy_imports
from jaxgames.version import __version__

if TYPE_CHECKING:
    from jaxgames.analysis.analysis import Analysis, analyse
    from jaxgames.boards.packed_planes import PackedPlanes
    from jaxgames.env import Env, random_actions
    from jaxgames.matches.match import match
    from jaxgames.matches.match_loop import MatchResult
    from jaxgames.networks.shipped import pretrained
    from jaxgames.players.player import Player
    from jaxgames.players.registry import player
    from jaxgames.registry import available, make, register, summaries
    from jaxgames.rules import Rules, Symmetry
    from jaxgames.sampling import sample_logits, sample_mask, sample_packed, sample_weights
    from jaxgames.state import State

__all__ = [
    "Analysis",
    "Env",
    "MatchResult",
    "PackedPlanes",
    "Player",
    "Rules",
    "State",
    "Symmetry",
    "__version__",
    "analyse",
    "available",
    "make",
    "match",
    "player",
    "pretrained",
    "random_actions",
    "register",
    "sample_logits",
    "sample_mask",
    "sample_packed",
    "sample_weights",
    "summaries",
]

__getattr__ = lazy_imports(__name__)


def __dir__() -> list[str]:
    return __all__
