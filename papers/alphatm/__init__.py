"""AlphaTM: a network that plays Terra Mystica from planes.

Importing this package adds the game `terra_mystica_alphatm` with its score, its training settings
and its network.
"""

from configs import presets
from jaxgames import registry
from jaxgames.networks.towers import register_tower
from jaxgames.players import plugs

_GAME = "terra_mystica_alphatm"

registry.register(
    _GAME,
    summary="Terra Mystica as AlphaTM plays it, by 2,143 outputs of one or more steps",
    rules="papers.alphatm.game.rules:AlphaTM",
    notation="papers.alphatm.game.notation",
    renderer="papers.alphatm.game.render",
    text_board="papers.alphatm.game.notation",
)
plugs.register(_GAME, "papers.alphatm.game:AGENTS")
presets.register(
    _GAME, presets.GamePresets(alphazero="papers.alphatm.preset:PRESETS", plugin=__name__)
)
register_tower("alphatm", "papers.alphatm.network:TOWER")
