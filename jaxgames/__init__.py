"""Strategy board games as pure, jit-compiled JAX state transitions.

import jax, jaxgames
env = jaxgames.make("onitama")
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 1024))

`jaxgames.match(env, ["best", "random"])` lets players meet, `jaxgames.player` makes one and
`jaxgames.analyse` shows how it judges a position. Searches are in `jaxgames.search`, networks in
`jaxgames.networks`. Names are loaded on first use: plain settings can be read without starting JAX.
"""

from typing import TYPE_CHECKING

from jaxgames.internal.imports import lazy_names
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

__getattr__ = lazy_names(
    __name__,
    {
        "Analysis": "jaxgames.analysis.analysis",
        "Env": "jaxgames.env",
        "MatchResult": "jaxgames.matches.match_loop",
        "PackedPlanes": "jaxgames.boards.packed_planes",
        "Player": "jaxgames.players.player",
        "Rules": "jaxgames.rules",
        "State": "jaxgames.state",
        "Symmetry": "jaxgames.rules",
        "analyse": "jaxgames.analysis.analysis",
        "available": "jaxgames.registry",
        "make": "jaxgames.registry",
        "match": "jaxgames.matches.match",
        "player": "jaxgames.players.registry",
        "pretrained": "jaxgames.networks.shipped",
        "random_actions": "jaxgames.env",
        "register": "jaxgames.registry",
        "sample_logits": "jaxgames.sampling",
        "sample_mask": "jaxgames.sampling",
        "sample_packed": "jaxgames.sampling",
        "sample_weights": "jaxgames.sampling",
        "summaries": "jaxgames.registry",
    },
)


def __dir__() -> list[str]:
    return __all__
