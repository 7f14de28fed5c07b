"""The review of a game in a file: as text on the terminal, and as files of text, JSON and HTML."""

import io
import json
import pathlib
from typing import Any

import jax
from rich.console import Console
from rich.progress import track

from agents.analyse import game_files, review_document, review_sheet, tables
from configs.analysis import AnalysisConfig
from jaxgames import records
from jaxgames.analysis.review import Review, Reviewer
from jaxgames.analysis.tables import reviewed_moves
from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.players import registry
from jaxgames.records import Record
from jaxgames.records.replay import is_over, read_move
from jaxgames.state import State

WIDTH = 120  # characters of a line in a file of text


def run(config: AnalysisConfig) -> None:
    """Reviews the last game of a file, prints the review, and writes it to the files asked for.

    Raises:
        ValueError: if the file cannot be read, the agent gives no values, or a file cannot be
            written.
    """
    assert config.file is not None, "checked by `is_review`"
    for path in config.output:
        files.check_writable("output", path)
    env, record = game_files.read(config.file, config.game, config.env_options, which=-1)
    states, actions = line_of(env, record)
    if not actions:
        raise ValueError(f"{config.file}: the game has no moves, there is nothing to review")
    player = registry.make(config.agent, env)
    review = _review(env, player, states, actions, config)
    told = review_document.document(env, record, states, review)
    console = Console()
    _print(console, told, review)
    for path in config.output:
        _write(path, env, states, told, review)
        console.print(f"output: {path}", soft_wrap=True)


def line_of(env: Env[Any], record: Record) -> tuple[list[State[Any]], list[int]]:
    """Returns the positions of a record, on the host, and the actions between them.

    Raises:
        ValueError: for a game against the rules.
    """
    states = [
        jax.device_get(state.replace(observation=())) for state in records.positions(env, record)
    ]
    moves = zip(states, record.moves, strict=False)
    return states, [read_move(env, state, move.text) for state, move in moves]


def _review(
    env: Env[Any], player: Any, states: list[State[Any]], actions: list[int], config: AnalysisConfig
) -> Review:
    reviewer = Reviewer(env, player, config.top, jax.random.key(config.seed))
    total = sum(not is_over(state) for state in states)
    console = Console(stderr=True)
    found = dict(track(reviewer.analyses(states), "positions", total, console=console))
    analyses = tuple(found.get(at) for at in range(len(states)))
    moves = reviewer.moves(states, actions, analyses)
    return Review(player.name, reviewer.unit, analyses, moves)


def _print(console: Console, told: dict[str, Any], review: Review) -> None:
    seats = [seat["name"] for seat in told["seats"]]
    console.print(tables.review_summary(told), soft_wrap=True, highlight=False, markup=False)
    console.print(tables.rich_table(reviewed_moves(review, seats)))


def _write(
    path: pathlib.Path, env: Env[Any], states: list[State[Any]], told: Any, review: Review
) -> None:
    if path.suffix == ".json":
        files.replace(path, json.dumps(told, indent=1) + "\n")
    elif path.suffix == ".txt":
        text = io.StringIO()
        _print(Console(file=text, width=WIDTH), told, review)
        files.replace(path, text.getvalue())
    else:
        files.replace(path, review_sheet.page(env, states, told))
