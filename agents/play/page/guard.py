"""`Guard`: refuses requests that come from other sites, or are too large, before they are read.

A page of another site could make a browser send requests here. Its `Origin` differs from the host
that is asked, and a name that it points at this machine is none of ours ("DNS rebinding").
"""

import ipaddress
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import JSONResponse

MOST_BODY = 2**21  # bytes of a request: a saved game of a thousand moves has some 100,000
MOST_PATH = 2048  # bytes of a path with its query
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        b"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
]

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class TooLarge(ValueError):
    """A request has more bytes than allowed."""


def host_of(header: str) -> str:
    """Returns the host of a `Host` header or of the part of an `Origin` after `//`."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


class Guard:
    """Wraps an application.

    Allowed hosts are `localhost`, the host that the server was told to listen on, and addresses:
    loopback ones, or any where the server listens beyond loopback.
    """

    def __init__(self, app: Any, host: str) -> None:
        self._app = app
        self._host = host.lower()
        self._is_open = not is_loopback(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a refused request, and passes on all others."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem is not None:
            status, words = problem
            await JSONResponse({"error": words}, status)(scope, receive, send)
            return
        received = 0

        async def bounded() -> Any:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BODY:
                raise TooLarge(f"a request has at most {MOST_BODY} bytes")
            return message

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        await self._app(scope, bounded, with_headers)

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_allowed(host_of(hosts[0])):
            return 403, "this host name is not served here"
        if len(scope["raw_path"]) + len(scope["query_string"]) > MOST_PATH:
            return 414, f"a path has at most {MOST_PATH} bytes"
        length = headers.get("content-length", ["0"])[0]
        if not length.isascii() or not length.isdigit() or int(length[:12]) > MOST_BODY:
            return 413, f"a request has at most {MOST_BODY} bytes"
        if scope["method"] in ("GET", "HEAD"):
            has_body = "transfer-encoding" in headers or length.strip("0")
            return (413, "a request that only reads has no body") if has_body else None
        for origin in headers.get("origin", []):
            if origin.partition("//")[2].lower() != hosts[0].lower():
                return 403, "requests of other sites are refused"
        if headers.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none"):
            return 403, "requests of other sites are refused"
        if headers.get("content-type", [""])[0].partition(";")[0].strip() != "application/json":
            return 415, "expected the content type application/json"
        return None

    def _is_allowed(self, host: str) -> bool:
        host = host.lower()
        if host in ("localhost", self._host):
            return True
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return self._is_open or address.is_loopback


def is_loopback(host: str) -> bool:
    """Returns whether a host is this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
