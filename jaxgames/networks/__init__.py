"""Policy-value networks: Flax modules behind two functions, `init` and `apply`.

A `Network` is hashable and holds no parameters: `init(key) -> params` returns a nested dict of
float32 arrays, `apply(params, obs) -> (logits, values)` maps observations `[B, ...]` to logits
`[B, actions]` and to values `[B, players]` from -1 to 1, the observing seat first. A trained
network is one portable file:

    env = jaxgames.make("onitama")
    evaluator, params = jaxgames.networks.load_evaluator(env, "onitama.npz")
    search = jaxgames.search.gumbel_search(env.rules, evaluator, simulations=64)
"""

from typing import TYPE_CHECKING

from jaxgames.internal.imports import lazy_imports

if TYPE_CHECKING:
    from jaxgames.networks.config import NetworkConfig
    from jaxgames.networks.evaluators import load_evaluator
    from jaxgames.networks.network import Network, Tower, make_network
    from jaxgames.networks.network_files import describe, load_network, save_network
    from jaxgames.networks.shipped import available_pretrained, pretrained, pretrained_file
    from jaxgames.networks.towers import register_tower

__all__ = [
    "Network",
    "NetworkConfig",
    "Tower",
    "available_pretrained",
    "describe",
    "load_evaluator",
    "load_network",
    "make_network",
    "pretrained",
    "pretrained_file",
    "register_tower",
    "save_network",
]

__getattr__ = lazy_imports(__name__)
