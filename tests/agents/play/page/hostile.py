"""Requests that no page sends: wrong paths, methods, headers, sizes, JSON, numbers and names."""

import json
import random
import socket
from collections.abc import Iterator
from typing import Any, NamedTuple


class HostileRequest(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    content: bytes

    def send(self, port: int) -> int:
        """Sends the request as it is; returns the status of the answer, 0 without an answer."""
        headers = {"host": f"127.0.0.1:{port}", "connection": "close", **self.headers}
        headers.setdefault("content-length", str(len(self.content)))
        lines = [f"{self.method} {self.path} HTTP/1.1", *map(": ".join, headers.items()), "", ""]
        data = "\r\n".join(lines).encode(errors="replace") + self.content
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            try:
                connection.sendall(data)
            except ConnectionError:
                return 0  # it is refused before it has been read
            try:
                answer = connection.recv(64)
            except (ConnectionError, TimeoutError):
                return 0
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0


NAMES = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "0123456789abcdef",
    "onitama-0123456789abcdef",
    "onitama-0123456789abcdeg",
    "tribes-0123456789abcdef",
    "go-0123456789abcdef",
    "onitama-../../../../etc/passwd",
    "a" * 5000,
    "....//....//x",
    "c:\\windows",
    "%c0%ae%c0%ae",
    "\u0000",
]
TEXTS = [
    "",
    "human",
    "random",
    "minimax:depth=99",
    "minimax:depth=-1",
    "gumbel:network=/etc/passwd",
    "book:file=/etc/shadow,agent=random",
    'external:command="touch outside"',
    "gumbel:evaluator=rollout,simulations=99999999999999999999",
    "alpha_beta:depth=nan",
    "rhea:budget=1e309",
    "x" * 100_000,
    "bbBbb/5/5/5/rrRrr r tiger,ox|elephant,horse|crab 999999999999999999999",
    "9/9/9",
    "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
    "'; drop table games",
    "<script>alert(1)</script>",
    '{"record": 1}',
    '{"record": 1, "game": "onitama-v1", "seats": [], "start": ""}\n{"returns": null}',
    "[" * 100_000,
    "11.11\n..3..\n.....\n..2..\n00.00\nbxlut\nBRS lhl\nTvL\n",
    "bxlut" + "BRS" * 20_000,
    "score SCORE3,SCORE1,SCORE5,SCORE2,SCORE4,SCORE6\nsetup witches\nsetup witches\n",
    "delete BON5\n" * 10_000,
    '{"phase":"actions","round":2,"seat":1,"players":[]}',
    '{"record": 1, "game": "onitama-v1", "seats": ["x", "y"], "start": "bbBbb/5/5/5/rrRrr r '
    'ox,tiger|elephant,horse|crab 0", "review": {"unit": 1}}\n{"returns": null}',
]
FILES = ["x.oni", "x.ledger", "../../x.oni", "x.record", "x.ONI", ".oni", "x.oni/..", "con.ledger"]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    10**400,
    1.5,
    [],
    [[]],
    {},
    {"a": {"a": {}}},
    *TEXTS,
]
OPTIONS: list[Any] = [
    {"deck": "all"},
    {"deal": "tiger,ox|elephant,horse|crab"},
    {"deck": "../../etc/passwd"},
    {"max_plies": 10**9},
    {"max_plies": True},
    {"planes": ["board"]},
    {"dekc": "all"},
    {"": "all"},
    {"x" * 5000: "all"},
    {str(number): "1" for number in range(1000)},
    {"deck": "x" * 5000},
    {"parameters": "{}"},
    {"num_players": 10**6},
]
GAMES = ["onitama", "onitama", "go", "../onitama", "onitama-v1", "ONITAMA", "onitama " * 99, ""]
FIELDS = [
    "game",
    "options",
    "number",
    "action",
    "move",
    "agent",
    "seats",
    "runs",
    "position",
    "seed",
    "record",
    "file",
    "x",
]
VERBS = [
    "play",
    "back",
    "forward",
    "go",
    "seats",
    "run",
    "think",
    "stand_in",
    "resign",
    "stop",
    "review",
    "retry",
    "delete",
    "record",
    "nothing",
]


def whole_requests(game: str) -> Iterator[HostileRequest]:
    """Yields a right request of every kind, which is accepted where the ones below are damaged."""
    paths = "/", "/page/api.js", "/api/about", "/api/games"
    for path in (*paths, f"/api/games/{game}", f"/api/games/{game}/about"):
        yield HostileRequest("GET", path, {}, b"")
    bodies: dict[str, dict[str, Any]] = {
        "play": {"number": 0, "move": "ox:b1b2"},
        "back": {},
        "forward": {},
        "go": {"number": 1},
        "seats": {"seats": ["human", "random"]},
        "run": {"runs": False},
        "think": {"number": 0, "agent": "random"},
        "stand_in": {},
        "resign": {},
        "stop": {},
        "review": {},
        "retry": {"number": 1},
        "delete": {},
    }
    headers = {"content-type": "application/json"}
    new = {"game": "onitama", "options": {"deck": "all"}, "seats": ["human", "random"]}
    yield HostileRequest("POST", "/api/games", headers, json.dumps(new).encode())
    foreign = {"record": "11.11..3.........2..00.00bxlutBRS", "file": "game.oni"}
    yield HostileRequest("POST", "/api/games", headers, json.dumps(foreign).encode())
    for name, body in bodies.items():
        path = f"/api/games/{game}/{name}"
        yield HostileRequest("POST", path, headers, json.dumps(body).encode())


def hostile_requests(games: list[str], count: int, seed: int = 0) -> Iterator[HostileRequest]:
    """Yields requests that are wrong in some way, or right by chance; equal seeds, equal ones."""
    chance = random.Random(seed)
    for _ in range(count):
        name = chance.choice([*NAMES, *games, *games])
        path = chance.choice(
            [
                "/api/games",
                f"/api/games/{name}",
                f"/api/games/{name}/{chance.choice(VERBS)}",
                f"/api/games/{name}?number={chance.choice(TEXTS)[:99]}&theme=x",
                f"/api/games/{name}?seat=9&theme={chance.choice(['dark', '..'])}",
                f"/api/games/{name}/about",
                f"/api/games/{name}/rules",
                f"/page/{name}",
                f"/{name}",
                "/api/about",
            ]
        )
        body = {
            field: chance.choice(VALUES) for field in chance.sample(FIELDS, chance.randint(0, 3))
        }
        if chance.random() < 0.3 and "seats" in body:
            body["seats"] = [chance.choice(TEXTS) for _ in range(chance.choice([0, 1, 2, 2, 99]))]
        if chance.random() < 0.7 and "options" in body:
            body["options"] = chance.choice(OPTIONS)
        if chance.random() < 0.7 and "record" in body:
            body["record"] = chance.choice(TEXTS)
        if chance.random() < 0.7 and "file" in body:
            body["file"] = chance.choice(FILES)
        if chance.random() < 0.7 and "game" in body:
            body["game"] = chance.choice(GAMES)
        content = json.dumps(body).encode()
        damage = chance.random()
        if damage < 0.1:
            content = content[: len(content) // 2]
        elif damage < 0.15:
            content = bytes(chance.randrange(256) for _ in range(50))
        elif damage < 0.16:
            content = b"[" * (3 * 2**20)
        headers = {"content-type": "application/json"}
        oddity = chance.random()
        if oddity < 0.05:
            headers["content-type"] = "text/plain"
        elif oddity < 0.1:
            headers["origin"] = "http://evil.example"
        elif oddity < 0.15:
            headers["host"] = chance.choice(["evil.example", "", "127.0.0.1.evil.example", "[::"])
        elif oddity < 0.17:
            headers["content-length"] = chance.choice(
                ["-1", "99999999999", "x"]
            )  # never sent in full
        method = chance.choice(["POST"] * 6 + ["GET"] * 3 + ["PUT", "DELETE", "OPTIONS"])
        if method == "GET" and chance.random() < 0.9:
            content = b""
        yield HostileRequest(method, path, headers, content)
