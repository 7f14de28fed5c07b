"""Onitama as the report encodes it: fixed cards, numbered pawns, 40 actions."""

from jaxgames.players.plugs import GameAgents

AGENTS = GameAgents(
    best={2: ("negascout:depth=6,table=16",)},
    score="papers.onitama_report.game.score:make_material",
    integer_score="papers.onitama_report.game.score:make_integer_score",
    tactics="papers.onitama_report.game.tactics:ReportTactics",
)
