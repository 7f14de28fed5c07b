"""The golden files of Tribes."""

from benchmarks.golden import tribes_games
from benchmarks.golden.reader import FileKind, Reader
from benchmarks.golden.tribes_levels import LEVELS

GAMES = FileKind(
    tribes_games.FIELDS,
    tribes_games.check_games,
    key=tribes_games.KEY,
    gather=tribes_games.games_of,
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
