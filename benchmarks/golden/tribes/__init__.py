"""The golden files of Tribes."""

from benchmarks.golden.core.reader import FileKind, Reader
from benchmarks.golden.tribes import games
from benchmarks.golden.tribes.levels import LEVELS

GAMES = FileKind(
    games.FIELDS,
    games.check_games,
    key=games.KEY,
    gather=games.games_of,
)

READER: Reader = {
    "levels_paper.jsonl.gz": LEVELS,
    "levels_other.jsonl.gz": LEVELS,
    "games_paper_levels.jsonl.gz": GAMES,
    "games_mixed.jsonl.gz": GAMES,
    "games_tribes.jsonl.gz": GAMES,
    "games_multi.jsonl.gz": GAMES,
    "games_fog.jsonl.gz": GAMES,
    "games_search.jsonl.gz": GAMES,
    "games_special.jsonl.gz": GAMES,
}
