"""What a page may do with a game: the fields of each request, and the call of the director."""

from collections.abc import Callable
from typing import Any, NamedTuple

from agents.play.director import Director
from agents.play.lobby import Lobby
from agents.play.page import requests
from agents.play.session.session import GameSession

Body = dict[str, Any]
NEW_GAME = ("game", "options", "seats", "position", "seed", "record", "file")


class PageAction(NamedTuple):
    """An action of a page; its answer is empty where it returns None."""

    run: Callable[[Director, GameSession, Body], Body | None]
    fields: tuple[str, ...] = ()
    """The fields of the request; without any, the request is not read."""


def new_game(lobby: Lobby, content: bytes) -> Body:
    """Begins a game; returns its name."""
    body = requests.body(content, NEW_GAME)
    game, options = requests.text(body, "game"), requests.options(body)
    seats, record = requests.seats(body), requests.text(body, "record")
    position, seed = requests.text(body, "position"), requests.number(body, "seed")
    if record is None:
        director = lobby.director(lobby.environment(game, options))
        return {"id": director.new_game(seats, position, seed).id}
    if position is not None or seed is not None:
        raise ValueError("a record begins by itself: leave out the position and the seed")
    found = lobby.recognise(record, requests.text(body, "file") or "", game, options)
    director = lobby.director(found.env)
    if found.is_position:
        return {"id": director.new_game(seats, record.strip()).id, "moves": 0}
    session = director.load_record(record, seats, found.file)
    return {"id": session.id, "moves": len(session.tree.nodes) - 1}


def act(name: str, director: Director, session: GameSession, content: bytes) -> Body:
    """Carries out an action of `ACTIONS`; returns the answer."""
    action = ACTIONS[name]
    body = requests.body(content, action.fields) if action.fields else {}
    return action.run(director, session, body) or {}


def _play(director: Director, session: GameSession, body: Body) -> Body:
    number, action = requests.needed_number(body, "number"), requests.number(body, "action")
    move = requests.text(body, "move")
    if (action is None) == (move is None):
        raise ValueError("expected an action or a move, one of them")
    after, waits = director.play(session, number, action, move)
    return {"number": after, "waits": waits}


def _seats(director: Director, session: GameSession, body: Body) -> None:
    seats = requests.seats(body)
    if seats is None:
        raise ValueError("seats: the field is missing")
    director.set_seats(session, seats)


def _think(director: Director, session: GameSession, body: Body) -> None:
    number = requests.needed_number(body, "number")
    director.analyse(session, number, requests.text(body, "agent"))


ACTIONS = {
    "play": PageAction(_play, ("number", "action", "move")),
    "back": PageAction(lambda director, session, body: director.back(session)),
    "forward": PageAction(lambda director, session, body: director.forward(session)),
    "go": PageAction(
        lambda director, session, body: director.go(
            session, requests.needed_number(body, "number")
        ),
        ("number",),
    ),
    "seats": PageAction(_seats, ("seats",)),
    "resign": PageAction(lambda director, session, body: director.resign(session)),
    "run": PageAction(
        lambda director, session, body: director.run(session, requests.truth(body, "runs")),
        ("runs",),
    ),
    "stand_in": PageAction(lambda director, session, body: director.let_stand_in(session)),
    "think": PageAction(_think, ("number", "agent")),
    "stop": PageAction(lambda director, session, body: director.searches.stop(session)),
    "review": PageAction(lambda director, session, body: director.review(session)),
    "retry": PageAction(
        lambda director, session, body: director.retry(
            session, requests.needed_number(body, "number")
        ),
        ("number",),
    ),
    "delete": PageAction(lambda director, session, body: director.delete(session)),
}
