"""The web application: the page, a JSON interface, and events that the server sends.

Every request runs in a thread, since positions are computed there; searches run in other threads.
Mistakes are answered by `{"error": ...}` and status 400.
"""

import asyncio
import importlib.resources
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from agents.play.director import Director
from agents.play.lobby import Lobby
from agents.play.page import actions, requests, rules, views
from agents.play.page.guard import Guard, TooLarge
from agents.play.session.events import Subscriber
from agents.play.session.session import GameSession
from agents.play.session.store import UnknownGame

HEARTBEAT = 15.0  # seconds from one sign of life to the next
PACKAGES = ("agents.play.page", "agents.analyse")  # whose files the page consists of
MEDIA_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
Handler = Callable[[Request, bytes], Any]


def make_app(lobby: Lobby, host: str) -> Guard:
    """Returns the application of a server that listens on a host."""
    pages = _page_files()
    events, preparation, _ = lobby.shared

    async def page(request: Request) -> Response:
        return pages["index.html"]

    async def page_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in pages:
            return JSONResponse({"error": "there is no such file"}, 404)
        return pages[name]

    async def listen(request: Request) -> Response:
        try:
            name = request.query_params.get("game")
            seat = requests.query_number(request.query_params.get("seat"), "seat")
            subscriber = Subscriber(name, seat, asyncio.get_running_loop())
            events.subscribe(subscriber)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        subscriber.put("status", preparation.status())
        return _EventStream(lobby, subscriber)

    def game_of(request: Request) -> tuple[Director, GameSession]:
        return lobby.session(request.path_params["name"])

    def session(request: Request) -> GameSession:
        return game_of(request)[1]

    def act(name: str) -> Handler:
        return lambda request, content: actions.act(name, *game_of(request), content)

    def reads(path: str, handler: Callable[[Request], Any]) -> Route:
        return Route(path, _threaded(lambda request, content: handler(request)))

    def acts(path: str, handler: Handler) -> Route:
        return Route(path, _threaded(handler), methods=["POST"])

    game = "/api/games/{name}"
    routes = [
        Route("/", page),
        Route("/page/{name}", page_file),
        Route("/api/events", listen),
        reads("/api/about", lambda request: views.about_server(lobby)),
        reads(
            "/api/options/{game}", lambda request: views.options(lobby, request.path_params["game"])
        ),
        reads("/api/games", lambda request: views.games(lobby)),
        reads(game, lambda request: views.game(session(request), request.query_params)),
        reads(f"{game}/about", lambda request: views.about_game(game_of(request)[0])),
        reads(
            f"{game}/rules",
            lambda request: rules.document(session(request).tree.env, request.query_params),
        ),
        reads(f"{game}/record", lambda request: views.record(session(request))),
        acts("/api/games", lambda request, content: actions.new_game(lobby, content)),
        *(acts(f"{game}/{name}", act(name)) for name in actions.ACTIONS),
    ]
    handlers: Any = {404: _not_found, 405: _not_found}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), host)


async def _not_found(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "there is nothing here"}, getattr(error, "status_code", 404))


def _page_files() -> dict[str, Response]:
    """Returns the files of the page; nothing else is ever read for a request."""
    folders = [importlib.resources.files(name) / "files" for name in PACKAGES]
    return {
        entry.name: Response(
            entry.read_bytes(),
            media_type=MEDIA_TYPES["." + entry.name.rpartition(".")[2]],
            headers={"cache-control": "no-cache"},
        )
        for folder in folders
        for entry in folder.iterdir()
        if "." + entry.name.rpartition(".")[2] in MEDIA_TYPES
    }


def _threaded(handler: Handler) -> Any:
    """Returns an endpoint that runs a handler in a thread and answers its result as JSON."""

    async def endpoint(request: Request) -> Response:
        try:
            content = await request.body()
            return JSONResponse(await to_thread.run_sync(handler, request, content))
        except UnknownGame as error:
            return JSONResponse({"error": str(error)}, 404)
        except TooLarge as error:
            return JSONResponse({"error": str(error)}, 413)
        except ValueError as error:
            return JSONResponse({"error": str(error)[:2000]}, 400)
        except OSError as error:
            return JSONResponse({"error": f"the game cannot be kept: {error.strerror}"}, 507)
        except ClientDisconnect:
            return Response(status_code=400)

    return endpoint


class _EventStream(StreamingResponse):
    """The events of a subscriber, as long as its page is open."""

    def __init__(self, lobby: Lobby, subscriber: Subscriber) -> None:
        self._lobby = lobby
        self._subscriber = subscriber
        headers = {"cache-control": "no-store"}
        super().__init__(self._events(), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Sends events; ends the subscription however the request ends."""
        run = to_thread.run_sync(self._prepare)
        preparation = asyncio.ensure_future(run)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._lobby.shared.events.unsubscribe(self._subscriber)
            preparation.cancel()

    def _prepare(self) -> None:
        """Compiles what a page needs that has just been opened."""
        if self._subscriber.game is None:
            return
        try:
            director, session = self._lobby.session(self._subscriber.game)
            # The game may have changed after the page has read it.
            self._subscriber.put("game", {"version": session.version})
            director.prepare_rules()
            director.searches.prepare(session, director.analyst)
            director.searches.wake(session)
        except (ValueError, OSError) as error:
            self._subscriber.put("trouble", {"error": str(error)})

    async def _events(self) -> AsyncIterator[str]:
        while True:
            try:
                events = await asyncio.wait_for(self._subscriber.take(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            for kind, event in events:
                yield f"event: {kind}\ndata: {json.dumps(event)}\n\n"
