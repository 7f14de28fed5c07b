"""Requests to an application in the same process, without a server."""

import asyncio
import json
from typing import Any, NamedTuple

HOST = "127.0.0.1:8460"


class Answer(NamedTuple):
    status: int
    text: str


def request(app: Any, method: str, target: str, content: bytes = b"", **headers: str) -> Answer:
    path, _, query = target.partition("?")
    named = {"host": HOST, "content_type": "application/json", **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (name.replace("_", "-").encode(), value.encode()) for name, value in named.items()
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8460),
    }
    messages = [{"type": "http.request", "body": content, "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    body = b"".join(message.get("body", b"") for message in sent)
    return Answer(sent[0]["status"], body.decode())


class Client:
    """Speaks JSON with an application."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        answer = request(self.app, "POST", path, json.dumps(body).encode())
        return answer.status, json.loads(answer.text)

    def get(self, path: str) -> tuple[int, Any]:
        answer = request(self.app, "GET", path)
        return answer.status, json.loads(answer.text)
