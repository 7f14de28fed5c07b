"""The golden files of Terra Mystica."""

from benchmarks.golden import terra_mystica_games, terra_mystica_masks
from benchmarks.golden.reader import FileKind, Reader

GAMES = FileKind(terra_mystica_games.FIELDS, terra_mystica_games.check_games, key="id")
MASKS = FileKind(terra_mystica_masks.FIELDS, terra_mystica_masks.check_masks, key="id")

READER: Reader = {
    "selfplay_2p_engineers_halflings.jsonl.gz": GAMES,
    "selfplay_2p_all_factions.jsonl.gz": GAMES,
    "selfplay_3to5p.jsonl.gz": GAMES,
    "human.jsonl.gz": GAMES,
    "decisions.jsonl.gz": MASKS,
}
