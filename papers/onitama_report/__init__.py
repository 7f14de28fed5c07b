"""The Onitama report: its encoding of the game, and eight actors trained with DDPG.

Importing this package adds the game `onitama_report` with its players, its training settings, its
golden data, and the agent `ddpg`.
"""

from benchmarks.golden.core import runner
from configs import presets
from jaxgames import registry
from jaxgames.players import plugs
from jaxgames.players import registry as players

_GAME = "onitama_report"

registry.register(
    _GAME,
    summary="Onitama as a report of 2021 encodes it: fixed cards, numbered pawns, 40 actions",
    rules="papers.onitama_report.game.rules:OnitamaReport",
    notation="papers.onitama_report.game.notation",
    renderer="papers.onitama_report.game.render",
    text_board="papers.onitama_report.game.notation",
    record_formats=((".oni", "jaxgames.onitama.oni"),),
)
plugs.register(_GAME, "papers.onitama_report.game:AGENTS")
players.register("ddpg", "papers.onitama_report.ddpg.players:make_ddpg")
presets.register(
    _GAME,
    presets.GamePresets(alphazero="papers.onitama_report.preset:PRESETS", plugin=__name__),
)
runner.register(_GAME, "onitama", "papers.onitama_report.game.golden:READER")
