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
    from jaxgames.networks.config import NetworkConfig as NetworkConfig
    from jaxgames.networks.evaluators import load_evaluator as load_evaluator
    from jaxgames.networks.network import Network as Network
    from jaxgames.networks.network import Tower as Tower
    from jaxgames.networks.network import make_network as make_network
    from jaxgames.networks.network_files import describe as describe
    from jaxgames.networks.network_files import load_network as load_network
    from jaxgames.networks.network_files import save_network as save_network
    from jaxgames.networks.shipped import available_pretrained as available_pretrained
    from jaxgames.networks.shipped import pretrained as pretrained
    from jaxgames.networks.shipped import pretrained_file as pretrained_file
    from jaxgames.networks.towers import register_tower as register_tower

__getattr__, __dir__ = lazy_imports(__name__)
