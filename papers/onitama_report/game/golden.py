"""The golden files of Onitama for the report's encoding: the records with its five cards."""

from benchmarks.golden.onitama import reader
from benchmarks.golden.onitama.variant import Variant
from papers.onitama_report.game import notation, rules

REPORT = Variant(
    rules=rules.OnitamaReport(),
    notation=notation,
    numbers=rules.base_actions,
    to_base=notation.base_position,
    card_ids=frozenset(rules.CARD_IDS.tolist()),
)
READER = reader(REPORT)
