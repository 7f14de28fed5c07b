"""Games of a tournament as records (`jaxgames.records`), one file for all of them.

The tags of a record say which game it is: `pairing` and `number`, both counted from 0, and
`tournament`, the first 16 digits of the SHA-256 digest of what identifies the tournament.
"""

import hashlib
import json
import pathlib
from typing import Any

from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.matches import recording
from jaxgames.matches.match_loop import MatchResult
from jaxgames.records import Record


def describe(
    env: Env[Any],
    pairing: int,
    names: tuple[str, ...],
    result: MatchResult,
    identity: dict[str, Any],
) -> list[Record]:
    """Returns the games of a pairing that was played with `record=True`.

    Args:
        env: the game.
        pairing: the number of the pairing in the tournament.
        names: the agents.
        result: the match.
        identity: what identifies the tournament.
    """
    tags = {"pairing": pairing, "tournament": digest(identity)}
    return recording.of_match(env, names, result, tags)


def digest(identity: dict[str, Any]) -> str:
    """Returns the digits that stand for a tournament in the records of its games."""
    # Older files have the digits without the number of devices, which the results file checks.
    about = {name: value for name, value in identity.items() if name != "devices"}
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]


def prepare(path: pathlib.Path, identity: dict[str, Any], num_games: int) -> None:
    """Makes a file that holds the first `num_games` games of the tournament and no others.

    Games of a pairing that was interrupted are dropped: the pairing is played again.

    Raises:
        ValueError: if the file is of another tournament or lacks games; it is then not changed.
    """
    files.check_writable("save_games", path)
    found = []
    if path.exists():
        try:
            found = records.read(path, drop_cut_off=True)
        except ValueError as error:
            raise ValueError(f"save_games: {error}") from error
    for game in found:
        about = {"tournament": game.tags.get("tournament")}
        files.check_identity("save_games", path, about, {"tournament": digest(identity)})
    if len(found) < num_games:
        raise ValueError(
            f"save_games: {path} holds {len(found)} of the {num_games} games played so far; "
            "name the file of this tournament, or begin anew with another output"
        )
    text = records.to_text(*found[:num_games])
    if not path.exists() or path.read_bytes() != text.encode():
        files.replace(path, text)
