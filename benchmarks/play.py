"""The page in the browser: time from a move to the agent's answer, page load, memory.

    python -m benchmarks.play --game=onitama

A server of its own plays the second seat; this program plays the first one at random, through the
requests that the page sends. An answer is measured from the request with the move to the event that
tells of the agent's move. Compiling is over before, and its time is given.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("play")

import argparse
import http.client
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import measuring
from benchmarks.commands import Report
from benchmarks.environment import CHECKOUT

SCRIPTS = sorted(path.name for path in (CHECKOUT / "agents/play/page/files").glob("*.js"))
PAGE = (
    "",
    "page/style.css",
    *(f"page/{name}" for name in SCRIPTS),
    "page/icon.svg",
    "api/about",
)
LOADS = 20  # times that the page is loaded
WARM_UP = 3  # answers that are not counted
MOVES_OF_A_GAME = 5  # in the games after which memory is measured
TIMEOUT = 1800


class Server:
    """`python -m agents.play` in a process of its own."""

    def __init__(self, folder: str, options: Sequence[str]) -> None:
        command = [sys.executable, "-m", "agents.play", "--port=0", "--no-browser"]
        self.process = subprocess.Popen(
            [*command, f"--folder={folder}", *options], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if " is played at " not in line:
            raise RuntimeError(f"the server did not start, exit code {self.process.wait()}")
        self.port = int(line.split(" is played at ")[1].split()[0].rsplit(":", 1)[1].strip("/"))

    def get(self, path: str) -> bytes:
        """Returns the answer to a request."""
        return self._request("GET", path)

    def post(self, path: str, **body: Any) -> Any:
        """Returns the answer to a request with a JSON object."""
        return json.loads(self._request("POST", path, json.dumps(body)))

    def _request(self, method: str, path: str, body: str | None = None) -> bytes:
        # A connection of its own: the server ends those that wait for long.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request(method, f"/{path}", body, {"content-type": "application/json"})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {content[:300]!r}")
        return content

    def events(self, game: str) -> Iterator[tuple[str, Any]]:
        """Yields the events that a page of a game gets: kind and content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request("GET", f"/api/events?game={game}")
        kind = ""
        for line in connection.getresponse():
            name, _, value = line.decode().strip().partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)

    def resident_bytes(self) -> int | None:
        """Returns the memory of the process; None where the system does not tell."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return None
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return 1024 * int(line.split()[1])


def measure(options: argparse.Namespace) -> Report:
    """Measures a server of its own."""
    seats = ["human", *[options.agent] * (options.players - 1)]
    game = [f"--game={options.game}", f"--env-options={options.env_options}", "--seats", *seats]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, game)
        try:
            numbers = measure_server(server, options)
        finally:
            server.process.kill()
            server.process.wait()
    return Report(
        "Play in the browser",
        measuring.table(["what", "value"], _rows(numbers)),
        numbers,
        {"game": f"{options.game} {options.env_options}".strip(), "agent": options.agent},
    )


def measure_server(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    """Returns all numbers."""
    chance = random.Random(options.seed)
    begun = time.perf_counter()
    answers(server, chance, WARM_UP)
    preparation = time.perf_counter() - begun
    seconds = answers(server, chance, options.answers)
    numbers: dict[str, Any] = {
        "preparation_seconds": preparation,
        "answers": len(seconds),
        "answer_median": statistics.median(seconds),
        "answer_95": statistics.quantiles(seconds, n=20, method="inclusive")[-1],
        "page_load": page_load(server),
    }
    if options.games:
        memory = []
        for number in range(options.games):
            play(server, chance, MOVES_OF_A_GAME)
            if number + 1 in (options.games // 2, options.games):
                memory.append(server.resident_bytes())
        numbers |= {"games": options.games, "resident_bytes": memory}
    return numbers


def answers(server: Server, chance: random.Random, count: int) -> list[float]:
    """Returns the seconds of some answers, in as many games as that takes."""
    seconds: list[float] = []
    while len(seconds) < count:
        seconds += play(server, chance, count - len(seconds))
    return seconds[:count]


def play(server: Server, chance: random.Random, most: int) -> list[float]:
    """Plays a game at random until an agent has answered some times, or it is over."""
    game = server.post("api/games", seed=chance.randrange(2**31))["id"]
    path = f"api/games/{game}"
    seconds: list[float] = []
    events = server.events(game)
    while len(seconds) < most:
        view = _own_turn(server, path, events)
        if not view["moves"]:
            break
        action = chance.choice(view["moves"])["action"]
        begun = time.perf_counter()
        answer = server.post(f"{path}/play", number=view["number"], action=action)
        if answer["waits"]:
            for kind, event in events:
                if kind == "game" and event["current"] > answer["number"]:
                    break
            seconds.append(time.perf_counter() - begun)
    return seconds


def _own_turn(server: Server, path: str, events: Iterator[tuple[str, Any]]) -> Any:
    """Waits for the own turn, or the end of the game, and returns the position.

    It asks once after each change, as the page does; asking more often would slow the agent down.
    """
    while True:
        view = json.loads(server.get(path))
        if view["error"]:
            raise RuntimeError(view["error"])
        if view["moves"] or view["result"]:
            return view
        next(e for kind, e in events if kind == "game" and e["version"] > view["version"])


def page_load(server: Server) -> float:
    """Returns the median seconds to load all files of the page and a position."""
    game = server.post("api/games")["id"]
    seconds = []
    for _ in range(LOADS):
        begun = time.perf_counter()
        for path in (*PAGE, f"api/games/{game}?theme=light"):
            server.get(path)
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


def _rows(numbers: dict[str, Any]) -> list[list[str]]:
    rows = [
        ["from a move to the answer, median", f"{numbers['answer_median']:.3f} s"],
        ["from a move to the answer, 95th percentile", f"{numbers['answer_95']:.3f} s"],
        ["answers", str(numbers["answers"])],
        ["all files of the page and a position, median", f"{numbers['page_load']:.3f} s"],
        ["from the start to the first answers", f"{numbers['preparation_seconds']:.0f} s"],
    ]
    if numbers.get("resident_bytes") and None not in numbers["resident_bytes"]:
        half, whole = (f"{size / 2**20:.0f} MiB" for size in numbers["resident_bytes"])
        games = numbers["games"]
        rows.append([f"memory after {games // 2} and {games} games", f"{half}, {whole}"])
    return rows
