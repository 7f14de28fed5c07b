"""The golden files of Terra Mystica."""

from benchmarks.golden.core.reader import FileKind, Reader
from benchmarks.golden.terra_mystica import games, masks

GAMES = FileKind(games.FIELDS, games.check_games, key="id")
MASKS = FileKind(masks.FIELDS, masks.check_masks, key="id")

READER: Reader = {
    "selfplay_2p_engineers_halflings.jsonl.gz": GAMES,
    "selfplay_2p_all_factions.jsonl.gz": GAMES,
    "selfplay_3to5p.jsonl.gz": GAMES,
    "human.jsonl.gz": GAMES,
    "decisions.jsonl.gz": MASKS,
}
