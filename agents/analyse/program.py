"""The command that reviews a game, analyses a position, or answers queries."""

import importlib
import io
import json
import pathlib
import queue
import sys
import threading
from typing import Any

import jax
from rich.console import Console

from agents.analyse import game_files, queries, reviewing, tables
from configs.analysis import AnalysisConfig
from jaxgames.analysis.analysis import analyse
from jaxgames.analysis.tables import best_moves, summary
from jaxgames.internal import files
from jaxgames.players import registry

WAIT = 0.02  # seconds for which a query that has arrived waits for others of its batch


def run(config: AnalysisConfig) -> None:
    """Reviews a game, analyses one position, or answers queries until the input ends."""
    if config.picture is not None:
        files.check_writable("picture", config.picture)
        _check_pixels(config.picture)
    if config.is_review:
        reviewing.run(config)
        return
    if config.file is not None:
        env, start = game_files.last_position(config.file, config.game, config.env_options)
    else:
        env = registry.make_env(config.game, config.env_options)
        start = jax.device_get(env.init(jax.random.key(config.seed)))
    player = registry.make(config.agent, env)
    key = jax.random.key(config.seed)
    if config.json:
        _answer_queries(config, env, player, start, key)
    else:
        _print_analysis(config, env, player, start, key)


def _check_pixels(picture: pathlib.Path) -> None:
    """Raises a `ValueError` if a picture of pixels could not be made after the analysis."""
    if picture.suffix.lower() == ".png":
        try:
            importlib.import_module("jaxgames.pictures.raster")
        except ImportError as error:
            raise ValueError(f"picture: {error}") from error


def _print_analysis(config: AnalysisConfig, env: Any, player: Any, start: Any, key: Any) -> None:
    if config.position is not None:
        start = env.text_to_state(config.position)
    state = queries.positions_after(env, start, config.moves)[-1]
    analysis = analyse(env, state, player, config.top, key)
    console = Console()
    console.print(env.state_to_text(state), soft_wrap=True, highlight=False, markup=False)
    console.print(summary(analysis), soft_wrap=True, highlight=False, markup=False)
    console.print(tables.rich_table(best_moves(analysis)))
    if analysis.explanation is not None:
        console.print(analysis.explanation, highlight=False, markup=False)
    if config.picture is not None:
        env.render(state).save(config.picture)
        console.print(f"picture: {config.picture}", soft_wrap=True)


def _answer_queries(config: AnalysisConfig, env: Any, player: Any, start: Any, key: Any) -> None:
    # Read in a thread, so that queries that have arrived meanwhile are searched together.
    lines: queue.Queue[str | None] = queue.Queue(maxsize=config.batch)
    threading.Thread(target=_read_lines, args=(lines, queries.MAX_LINE), daemon=True).start()
    line = lines.get()
    while line is not None:
        turns: list[Any] = []
        while line is not None and len(turns) < config.batch:
            if line.strip():
                read = queries.read(env, line, start)
                if isinstance(read, list):
                    turns += read
                else:
                    print(json.dumps(read), flush=True)
            try:
                line = lines.get(timeout=WAIT)
            except queue.Empty:
                line = ""
                break
        for first in range(0, len(turns), config.batch):
            chunk = turns[first : first + config.batch]
            for answer in queries.answer(env, chunk, player, config.top, key):
                print(json.dumps(answer), flush=True)
        if line == "":
            line = lines.get()


def _read_lines(lines: "queue.Queue[str | None]", most: int) -> None:
    """Puts the lines of the standard input into a queue, and None at its end."""
    if isinstance(sys.stdin, io.TextIOWrapper):  # JSON is UTF-8, whatever the console writes
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    # One character more than allowed shows that a line is too long; the rest of it is skipped.
    while line := sys.stdin.readline(most + 2):
        rest = line
        while not rest.endswith("\n") and (rest := sys.stdin.readline(most)):
            pass
        lines.put(line)
    lines.put(None)
