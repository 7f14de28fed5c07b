"""Played games as records (`jaxgames.records`), and records as games to play on.

The moves of a record are those of the current line. The tag `play` holds what else the page needs:
the branches, the position that is shown, and who goes on. The tag `review` holds the analyses of
positions and what moves lost. Other programs may leave both out.
"""

import itertools
import pathlib
from typing import Any

import numpy as np

from agents.play.session import kept_reviews
from agents.play.session.game_tree import ROOT, GameNode, GameTree
from agents.play.session.session import GameSession
from jaxgames import records
from jaxgames.env import Env
from jaxgames.records import Move, Record
from jaxgames.records.exchange import import_text
from jaxgames.records.replay import check_end, key_words, read_move
from jaxgames.registry import make, record_formats

TAG = "play"
REVIEW = "review"
RESIGNATION = "resignation"  # what ended a game, in its record


def to_record(session: GameSession, *, is_complete: bool = True) -> Record:
    """Returns a game as a record; hold its lock.

    Args:
        session: the game.
        is_complete: whether the branches and the state of play are in it, too.
    """
    tree = session.tree
    line = tree.line(tree.current)[1:]
    last = tree.state(line[-1] if line else ROOT)
    moves = tuple(
        Move(tree.nodes[at].move, tree.nodes[at].key, tree.nodes[before].values or ())
        for before, at in itertools.pairwise(tree.line(tree.current))
    )
    tags: dict[str, Any] = {"date": session.created}
    if is_complete:
        tags[TAG] = {
            "seed": tree.seed,
            "runs": session.runs,
            "current": tree.current,
            "resigned": session.resigned,
            "line": line,
            "first_values": tree.nodes[ROOT].values,
            "nodes": [
                [at, node.parent, node.action, node.move, node.seat, node.key, node.values]
                for at, node in tree.nodes.items()
                if at != ROOT
            ],
        }
    if tree.reviewed is not None:
        shown = tree.nodes if is_complete else tree.line(tree.current)
        plies = {at: at if is_complete else tree.nodes[at].ply for at in shown}
        tags[REVIEW] = kept_reviews.to_plain(tree, plies)
    is_over = last.terminated or last.truncated
    record = records.begin(tree.env, tree.state(ROOT), session.seats, tags=tags)._replace(
        moves=moves,
        end=tree.env.state_to_text(last),
        returns=tuple(map(float, last.rewards)) if is_over else None,
    )
    if session.resigned is None or tree.favourite(tree.current) is not None:
        return record
    others = 1 / max(tree.env.num_players - 1, 1)
    outcome = [others] * tree.env.num_players
    outcome[session.resigned] = -1.0
    return records.finish(record, outcome, RESIGNATION)


def first_record(text: str, env: Env[Any], file: str = "") -> Record:
    """Returns the first game of a file of records, or the game of another program's file.

    Args:
        text: the content of the file.
        env: the game.
        file: the name of the file; its suffix, such as `.oni`, names a format of another program.

    Raises:
        ValueError: if it is damaged, or of another game than `env`.
    """
    if pathlib.PurePath(file).suffix.casefold() in record_formats(env.id):
        return import_text(env, file, text)
    record = first(text)
    expected = f"{env.id}-v{env.version}"
    if record.game not in (expected, env.id):
        raise ValueError(f"this is a game of {record.game}, and the server plays {expected}")
    if dict(record.options) != dict(env.rules.non_default_options):
        raise ValueError(
            f"this game has the options {dict(record.options)}, not "
            f"{dict(env.rules.non_default_options)}"
        )
    return record


def first(text: str) -> Record:
    """Returns the first game of a file of records, of whatever environment.

    Raises:
        ValueError: if it is damaged, or holds no game.
    """
    found = records.from_text(text)
    if not found:
        raise ValueError("the file holds no game")
    return found[0]


def environment_of(text: str) -> Env[Any]:
    """Returns the environment in which the first game of a file of records is played.

    Raises:
        ValueError: if the file is damaged, or the game or an option of it is unknown.
    """
    record = first(text)
    return make(game_of(record), **record.options)


def game_of(record: Record) -> str:
    """Returns the id of the game, without its version."""
    return record.game.partition("-v")[0]


def resigned(record: Record) -> int | None:
    """Returns the seat that gave up at the end of a record; None if none did, or none is known."""
    if record.ending != RESIGNATION or record.returns is None:
        return None
    losers = [seat for seat, value in enumerate(record.returns) if value == min(record.returns)]
    return losers[0] if len(losers) == 1 else None


def seats_of(record: Record) -> list[str]:
    """Returns the specs of the seats."""
    return [seat.agent for seat in record.seats]


def play(env: Env[Any], record: Record, seed: int) -> GameTree:
    """Returns the game that a record tells, at its last position.

    Args:
        env: the game.
        record: of this game.
        seed: decides the chance of later moves.

    Raises:
        ValueError: for an illegal move, random keys that cannot be used, or another end than the
            record says.
    """
    tree = GameTree(env, seed, record.start)
    expected = records.begin(env, tree.state(ROOT), seats_of(record)).random
    if record.moves and record.random != expected:
        raise ValueError(f"random: expected {expected!r}, got {record.random!r}")
    at = ROOT
    for number, move in enumerate(record.moves, start=1):
        if tree.is_over(at):
            raise ValueError(f"the game ends after {number - 1} of {len(record.moves)} moves")
        state = tree.state(at)
        try:
            key_words(env, move.key)
            text = env.action_to_text(state, action := read_move(env, state, move.text))
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
        tree.add(number, GameNode(at, action, text, tree.seat(at), number, move.key))
        tree.set_values(at, move.values or None)
        at = number
    last = tree.state(at)
    check_end(env, record, last, tuple(map(float, last.rewards)))
    _read_review(tree, record)
    tree.go(at)
    return tree


def from_record(name: str, env: Env[Any], record: Record) -> GameSession:
    """Returns the game of a record that `to_record` made.

    Raises:
        ValueError: if it is damaged.
    """
    try:
        known = record.tags[TAG]
        tree = GameTree(env, int(known["seed"]), record.start)
        tree.set_values(ROOT, _values(known["first_values"]))
        for number, parent, action, move, seat, key, values in known["nodes"]:
            if parent not in tree.nodes or number in tree.nodes:
                raise ValueError(f"position {number} comes twice, or before {parent}")
            ply = tree.nodes[parent].ply + 1
            tree.add(number, GameNode(parent, action, move, seat, ply, key, _values(values)))
        _read_review(tree, record)
        if known["line"]:
            tree.go(known["line"][-1])
        tree.go(known["current"])
        return GameSession(
            id=name,
            tree=tree,
            seats=seats_of(record),
            created=float(record.tags["date"]),
            runs=bool(known["runs"]),
            resigned=None if known.get("resigned") is None else int(known["resigned"]),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"the state of play is damaged: {error!r}") from error


def _read_review(tree: GameTree, record: Record) -> None:
    if REVIEW in record.tags:
        kept_reviews.read(tree, record.tags[REVIEW])


def _values(values: Any) -> tuple[float, ...] | None:
    return None if values is None else tuple(np.asarray(values, float).tolist())
