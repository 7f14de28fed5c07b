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

from agents.play import limits, requests, views
from agents.play.director import Director
from agents.play.events import Subscriber
from agents.play.guard import Guard, TooLarge
from agents.play.limits import HUMAN
from agents.play.store import UnknownGame

MOST_LISTED = 50  # games
HEARTBEAT = 15.0  # seconds from one sign of life to the next
MEDIA_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
Handler = Callable[[Request, bytes], Any]


def make_app(director: Director, host: str) -> Guard:
    """Returns the application of a server that listens on a host."""
    pages = _page_files()
    api = _Api(director)

    async def page(request: Request) -> Response:
        return pages["index.html"]

    async def page_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in pages:
            return JSONResponse({"error": "there is no such file"}, 404)
        return pages[name]

    game = "/api/games/{name}"
    routes = [
        Route("/", page),
        Route("/page/{name}", page_file),
        Route("/api/about", _threaded(api.about)),
        Route("/api/events", api.listen),
        Route("/api/games", _threaded(api.games)),
        Route("/api/games", _threaded(api.new_game), methods=["POST"]),
        Route(game, _threaded(api.game)),
        Route(f"{game}/record", _threaded(api.record)),
        *(
            Route(f"{game}/{name}", _threaded(handler), methods=["POST"])
            for name, handler in (
                ("play", api.play),
                ("back", api.back),
                ("forward", api.forward),
                ("go", api.go),
                ("seats", api.seats),
                ("run", api.run),
                ("think", api.think),
                ("stop", api.stop),
                ("graph", api.graph),
                ("delete", api.delete),
            )
        ),
    ]
    handlers: Any = {404: _not_found, 405: _not_found}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), host)


async def _not_found(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "there is nothing here"}, getattr(error, "status_code", 404))


def _page_files() -> dict[str, Response]:
    """Returns the files of the page; nothing else is ever read for a request."""
    folder = importlib.resources.files("agents.play") / "page"
    return {
        entry.name: Response(
            entry.read_bytes(),
            media_type=MEDIA_TYPES["." + entry.name.rpartition(".")[2]],
            headers={"cache-control": "no-cache"},
        )
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


class _Api:
    """The handlers of the JSON interface."""

    def __init__(self, director: Director) -> None:
        self.director = director
        self._agents = [
            {"name": name, "fields": limits.describe(name)} for name in limits.playing(director.env)
        ]

    def about(self, request: Request, content: bytes) -> Any:
        """Returns what the page must know before there is a game."""
        env, allowance = self.director.env, self.director.allowance
        return {
            "game": env.id,
            "seats": self.director.seats,
            "players": env.num_players,
            "points": env.rules.counts_points,
            "hidden": not env.rules.perfect_information,
            "agents": self._agents,
            "trusted": [spec for spec in allowance.trusted if allowance.check(spec) != HUMAN],
            "analyst": self.director.analyst,
            "status": self.director.progress.status(),
        }

    def games(self, request: Request, content: bytes) -> Any:
        """Returns the newest games."""
        return {"games": self.director.store.summaries(MOST_LISTED)}

    def new_game(self, request: Request, content: bytes) -> Any:
        """Begins a game."""
        found = requests.body(content, ("seats", "position", "seed", "record"))
        seats, record = requests.seats(found), requests.text(found, "record")
        position, seed = requests.text(found, "position"), requests.number(found, "seed")
        if record is not None:
            if position is not None or seed is not None:
                raise ValueError("a record begins by itself: leave out the position and the seed")
            return {"id": self.director.load_record(record, seats).id}
        session = self.director.new_game(seats, position, seed)
        return {"id": session.id}

    def game(self, request: Request, content: bytes) -> Any:
        """Returns a position of a game."""
        query = request.query_params
        session = self._session(request)
        return views.game(
            session,
            requests.query_number(query.get("number"), "number"),
            requests.query_number(query.get("seat"), "seat"),
            requests.query_theme(query.get("theme")),
        )

    def record(self, request: Request, content: bytes) -> Any:
        """Returns the record of a game, unless it would tell what is hidden from those who play."""
        session = self._session(request)
        return {"record": views.record(session), "name": f"{self.director.env.id}.record"}

    def play(self, request: Request, content: bytes) -> Any:
        """Makes a move."""
        found = requests.body(content, ("number", "action", "move"))
        number, action = requests.needed_number(found, "number"), requests.number(found, "action")
        move = requests.text(found, "move")
        if (action is None) == (move is None):
            raise ValueError("expected an action or a move, one of them")
        after, waits = self.director.play(self._session(request), number, action, move)
        return {"number": after, "waits": waits}

    def back(self, request: Request, content: bytes) -> Any:
        """Takes back a move."""
        self.director.back(self._session(request))
        return {}

    def forward(self, request: Request, content: bytes) -> Any:
        """Repeats a move."""
        self.director.forward(self._session(request))
        return {}

    def go(self, request: Request, content: bytes) -> Any:
        """Makes a position the current one."""
        found = requests.body(content, ("number",))
        self.director.go(self._session(request), requests.needed_number(found, "number"))
        return {}

    def seats(self, request: Request, content: bytes) -> Any:
        """Changes who plays."""
        seats = requests.seats(requests.body(content, ("seats",)))
        if seats is None:
            raise ValueError("seats: the field is missing")
        self.director.set_seats(self._session(request), seats)
        return {}

    def run(self, request: Request, content: bytes) -> Any:
        """Lets agents move, or stops them."""
        runs = requests.truth(requests.body(content, ("runs",)), "runs")
        self.director.run(self._session(request), runs)
        return {}

    def think(self, request: Request, content: bytes) -> Any:
        """Begins an analysis."""
        found = requests.body(content, ("number", "agent"))
        number = requests.needed_number(found, "number")
        self.director.analyse(self._session(request), number, requests.text(found, "agent"))
        return {}

    def stop(self, request: Request, content: bytes) -> Any:
        """Ends an analysis."""
        self.director.searches.stop(self._session(request))
        return {}

    def graph(self, request: Request, content: bytes) -> Any:
        """Begins an analysis of the whole line."""
        spec = requests.text(requests.body(content, ("agent",)), "agent")
        self.director.fill_graph(self._session(request), spec)
        return {}

    def delete(self, request: Request, content: bytes) -> Any:
        """Removes a game."""
        self.director.delete(self._session(request))
        return {}

    def _session(self, request: Request) -> Any:
        return self.director.session(request.path_params["name"])

    async def listen(self, request: Request) -> Response:
        """Answers with events until the page is closed."""
        try:
            name = request.query_params.get("game")
            seat = requests.query_number(request.query_params.get("seat"), "seat")
            subscriber = Subscriber(name, seat, asyncio.get_running_loop())
            self.director.events.subscribe(subscriber)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        subscriber.put("status", self.director.progress.status())
        return _EventStream(self, subscriber)

    def prepare(self, subscriber: Subscriber) -> None:
        """Compiles what a page needs that has just been opened."""
        try:
            self.director.prepare_rules()
            if subscriber.game is not None:
                session = self.director.session(subscriber.game)
                self.director.searches.prepare(session)
                self.director.searches.wake(session)
        except (ValueError, OSError) as error:
            subscriber.put("trouble", {"error": str(error)})


class _EventStream(StreamingResponse):
    """The events of a subscriber, as long as its page is open."""

    def __init__(self, api: _Api, subscriber: Subscriber) -> None:
        self._api = api
        self._subscriber = subscriber
        headers = {"cache-control": "no-store"}
        super().__init__(self._events(), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Sends events; ends the subscription however the request ends."""
        run = to_thread.run_sync(self._api.prepare, self._subscriber)
        preparation = asyncio.ensure_future(run)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._api.director.events.unsubscribe(self._subscriber)
            preparation.cancel()

    async def _events(self) -> AsyncIterator[str]:
        while True:
            try:
                events = await asyncio.wait_for(self._subscriber.take(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            for kind, event in events:
                yield f"event: {kind}\ndata: {json.dumps(event)}\n\n"
