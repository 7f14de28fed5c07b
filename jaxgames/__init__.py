"""Strategy board games as pure, jit-compiled JAX state transitions.

import jax, jaxgames
env = jaxgames.make("onitama")
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 1024))

Searches are in `jaxgames.search`, networks in `jaxgames.networks`. Names are loaded on first use:
plain settings can be read without starting JAX.
"""

from typing import TYPE_CHECKING

from jaxgames.internal.imports import lazy_imports
from jaxgames.internal.version import __version__ as __version__

if TYPE_CHECKING:
    from jaxgames.analysis.analysis import Analysis as Analysis
    from jaxgames.analysis.analysis import analyse as analyse
    from jaxgames.boards.packed_planes import PackedPlanes as PackedPlanes
    from jaxgames.env import Env as Env
    from jaxgames.env import random_actions as random_actions
    from jaxgames.matches.match import match as match
    from jaxgames.matches.match_loop import MatchResult as MatchResult
    from jaxgames.networks.shipped import pretrained as pretrained
    from jaxgames.players.player import Player as Player
    from jaxgames.players.registry import player as player
    from jaxgames.registry import available as available
    from jaxgames.registry import make as make
    from jaxgames.registry import register as register
    from jaxgames.registry import summaries as summaries
    from jaxgames.rules import Rules as Rules
    from jaxgames.rules import Symmetry as Symmetry
    from jaxgames.sampling import sample_logits as sample_logits
    from jaxgames.sampling import sample_mask as sample_mask
    from jaxgames.sampling import sample_packed as sample_packed
    from jaxgames.sampling import sample_weights as sample_weights
    from jaxgames.state import State as State

__getattr__, __dir__ = lazy_imports(__name__)
