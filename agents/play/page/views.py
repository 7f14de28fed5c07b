"""What a page shows of a game, as JSON: only what its seat may know."""

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import jaxgames
from agents.play import seating
from agents.play.director import Director
from agents.play.engine import limits, thoughts
from agents.play.engine.names import name_of, names_of
from agents.play.engine.thinker import Thought
from agents.play.lobby import Lobby
from agents.play.page import option_forms, requests
from agents.play.session import positions, saved_games, store
from agents.play.session.game_tree import ROOT
from agents.play.session.session import HUMAN, GameSession
from jaxgames import records
from jaxgames.analysis.chances import chance
from jaxgames.analysis.review import average_losses
from jaxgames.env import Env
from jaxgames.internal.messages import title, unknown
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.seat_looks import seat_looks
from jaxgames.players import levels
from jaxgames.state import State

Document = dict[str, Any]
MOST_LISTED = 50  # games


def about_server(lobby: Lobby) -> Document:
    """Returns what can be played, and what is being prepared."""
    return {
        "game": lobby.game,
        "games": [
            {"game": game, "title": title(game), "summary": _sentence(line)}
            for game, line in lobby.games.items()
        ],
        "status": lobby.shared.preparation.status(),
    }


def games(lobby: Lobby) -> Document:
    """Returns the newest games of all kinds, with the names of their players and their results."""
    found = lobby.summaries(MOST_LISTED)
    return {"games": [{**game, **_told(game)} for game in found]}


def _told(game: store.Summary) -> Document:
    players = names_of(game["seats"], None)
    if game["returns"] is None:
        return {"players": players, "result": None}
    names = [
        name if players.count(name) == 1 else f"{name} (seat {seat})"
        for seat, name in enumerate(players, start=1)
    ]
    outcome = _outcome(names, game["returns"])
    return {
        "players": players,
        "result": f"{outcome}, by {game['ending']}" if game["ending"] else outcome,
    }


def options(lobby: Lobby, game: str) -> Document:
    """Returns the options of a game as a form, and who plays it unless somebody says otherwise.

    Raises:
        ValueError: for an unknown game.
    """
    if game not in lobby.games:
        raise ValueError(unknown("game", game[:50], lobby.games))
    return {**option_forms.form(game), **_usual_players(game)}


@functools.lru_cache(maxsize=16)
def _usual_players(game: str) -> Document:
    env = jaxgames.make(game)
    analyst = seating.analyst(env)
    return {"seats": seating.seats(env, ()), "trusted": [], **_agents(env, analyst)}


def _agents(env: Env[Any], analyst: str) -> Document:
    """Returns who can play a game: agents, the levels of the computer, and who gives hints."""
    return {
        "agents": [{"name": name, "fields": limits.describe(name)} for name in limits.playing(env)],
        "analyst": analyst,
        "levels": [strength._asdict() for strength in _levels(env)],
    }


def _sentence(line: str) -> str:
    """Returns the line about a game without the name of the game."""
    words = line.partition(": ")[2] or line
    return words[:1].upper() + words[1:]


def about_game(director: Director) -> Document:
    """Returns what is the same in all games of an environment: its options, agents and words."""
    env, allowance = director.env, director.allowance
    return {
        "game": env.id,
        "title": title(env.id),
        "options": _options(env),
        "seats": director.seats,
        "players": env.num_players,
        "points": env.rules.counts_points,
        "hidden": not env.rules.perfect_information,
        "trusted": [spec for spec in allowance.trusted if allowance.check(spec) != HUMAN],
        **_agents(env, director.analyst),
        "rules": bool(env.rulebook()),
        "words": {name: told for kind in env.glossary().values() for name, told in kind.items()},
    }


@functools.lru_cache(maxsize=16)
def _levels(env: Env[Any]) -> tuple[levels.Strength, ...]:
    """Returns the levels of a game; which of them a network can play takes a while to find out."""
    return levels.strengths(env)


def _options(env: Env[Any]) -> dict[str, str]:
    """Returns the options that differ from their defaults as a page sends them: as text."""
    texts = {}
    for name, value in env.rules.non_default_options.items():
        if isinstance(value, list):
            texts[name] = ",".join(value)
        elif not isinstance(value, dict):  # figures of the rules, which no text describes
            texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts


def game(session: GameSession, query: Mapping[str, str]) -> Document:
    """Returns one position of a game, and the line that it belongs to.

    Args:
        session: the game.
        query: of the request: the `number` of the position, by default the current one; the `seat`
            as which the page asks to see it; the `theme`, `"light"` or `"dark"`; the seat that
            sits `below`, by default the only person, where the board can be turned.

    Raises:
        ValueError: for an unknown position, seat or theme.
    """
    number = requests.query_number(query.get("number"), "number")
    wanted = requests.query_number(query.get("seat"), "seat")
    theme = requests.query_theme(query.get("theme"))
    below = requests.query_number(query.get("below"), "below")
    tree = session.tree
    env = tree.env
    for name, seat in (("seat", wanted), ("below", below)):
        if seat is not None and not 0 <= seat < env.num_players:
            raise ValueError(f"{name} must be from 0 to {env.num_players - 1}, got {seat}")
    with session.lock:
        number = tree.current if number is None else number
        tree.check(number)
        state = tree.state(number)
        viewpoint = session.viewpoint(wanted, number)
        parent = tree.nodes[number].parent
        since = session.since(number, wanted)
        previous = None if since is None else tree.state(since)
        resigned = session.resigned if number == tree.current else None
        looks = seat_looks(env, state, theme)
        can_turn = _can_turn(env)
        below = _seat_below(session, wanted if below is None else below) if can_turn else 0
        picture = env.render(state, previous=previous, theme=theme, seat=viewpoint, below=below)
        names = [look.name for look in looks]
        points = positions.points(env, state)
        seat, is_over = tree.seat(number), tree.is_over(number) or resigned is not None
        may_act = not is_over and session.is_human(seat) and viewpoint in (None, seat)
        searches = (session.move_search, session.analysis)
        return {
            "id": session.id,
            "version": session.version,
            "number": number,
            "current": tree.current,
            "ply": tree.nodes[number].ply,
            "seats": [
                {
                    "name": look.name,
                    "colour": look.colour,
                    "player": player,
                    "spec": spec,
                    "human": spec == HUMAN,
                    "points": None if points is None else points[index],
                }
                for index, (look, player, spec) in enumerate(
                    zip(looks, names_of(session.seats, wanted), session.seats, strict=True)
                )
            ],
            "seat": None if is_over else seat,
            "viewpoint": viewpoint,
            "result": result(env, state, names, resigned),
            "over": session.is_over,
            "words": picture.title,
            "board": picture.as_svg(),
            "below": below if can_turn else None,
            "moves": _moves(session, number) if may_act else [],
            "decision": env.decision(state) if may_act else "",
            "line": _line(session, number, viewpoint),
            "unit": _unit(session),
            "branches": _branches(session, number, viewpoint),
            "review": _review(session, number) if viewpoint is None else None,
            "analysis": _analysis(session, number) if viewpoint is None else None,
            "half": tree.is_half(number),
            "previous": parent,
            "since": since,
            "next": tree.favourite(number),
            "position": None if viewpoint is not None else env.state_to_text(state),
            "runs": session.runs,
            "stand_in": session.stand_in and name_of(session.stand_in),
            "thinks": sorted(search.number for search in searches if search is not None),
            "error": session.error,
        }


def _can_turn(env: Env[Any]) -> bool:
    """Returns whether the board of a game can be drawn with another seat below."""
    module = None if env.renderer is None else importlib.import_module(env.renderer)
    return getattr(getattr(module, "RENDERER", None), "turned", None) is not None


def _seat_below(session: GameSession, wanted: int | None) -> int:
    """Returns the seat that sits below: the one asked for, else the only person, else the first."""
    if wanted is not None:
        return wanted
    return session.humans[0] if len(session.humans) == 1 else 0


def _moves(session: GameSession, number: int) -> list[Document]:
    env, state = session.tree.env, session.tree.state(number)
    chapter = env.chapter(state)
    paths: dict[int, list[ClickPath]] = {}
    for path in env.click_paths(state):
        paths.setdefault(path.action, []).append(path)
    return [
        {
            "action": action,
            "text": text,
            "words": env.in_words(text, chapter),
            "paths": [[path.parts, path.refinements, path.asks] for path in paths.get(action, [])],
        }
        for action, text in env.legal_moves(state).items()
    ]


def _line(session: GameSession, number: int, viewpoint: int | None) -> list[Document]:
    """Returns the positions of a line; moves and values that the page may not know are left out."""
    tree = session.tree
    found = []
    for at in tree.line(number):
        values = tree.nodes[at].values
        # A value in a position is the secret of the seat that is to move there.
        knows_value = viewpoint is None or (values is not None and tree.seat(at) == viewpoint)
        entry: Document = {
            "number": at,
            "values": values if knows_value else None,
            "chances": [chance(x) for x in values] if knows_value and values else None,
            "expected": _expected(session, at) if knows_value else None,
        }
        if at != ROOT:
            node = tree.nodes[at]
            knows_move = viewpoint is None or node.seat == viewpoint
            entry |= {
                "seat": node.seat,
                "move": node.move if knows_move else "…",
                "words": tree.words(at) if knows_move else "…",
                "chapter": tree.chapter(at),
                "half": knows_move and tree.is_half(at),
            }
        found.append(entry)
    return found


def _unit(session: GameSession) -> str:
    """Returns in what the expectations of a line are told: `"points"` or `"chance"`."""
    reviewed = session.tree.reviewed
    return "chance" if reviewed is None else reviewed.unit


def _expected(session: GameSession, number: int) -> list[float] | None:
    """Returns what each seat can expect in a position; None where nothing says it."""
    tree = session.tree
    node = tree.nodes[number]
    if node.reviewed is not None:
        return list(node.reviewed.reached)
    after = tree.favourite(number)
    judged = None if after is None else tree.nodes[after].reviewed
    if judged is not None:
        return list(judged.expected)
    if node.values is None or _unit(session) != "chance":
        return None
    return [chance(value) for value in node.values]


def _review(session: GameSession, number: int) -> Document | None:
    """Returns what a review says of the moves of a line, by their positions; None without one."""
    tree = session.tree
    line = tree.line(number)
    judged = {at: found for at in line if (found := tree.nodes[at].reviewed) is not None}
    if tree.reviewed is None or not judged:
        return None
    unit = tree.reviewed.unit
    return {
        "player": tree.reviewed.player,
        "unit": unit,
        "missing": len(line) - 1 - len(judged),
        "averages": average_losses(list(judged.values()), tree.env.num_players),
        "moves": {
            at: {
                "seat": move.seat,
                "move": move.move,
                "words": tree.words(at),
                "best": move.best,
                "best_words": tree.env.in_words(move.best, tree.chapter(at)),
                "expected": move.expected,
                "reached": move.reached,
                "loss": move.loss,
                "mark": move.mark(unit),
            }
            for at, move in judged.items()
        },
    }


def _analysis(session: GameSession, number: int) -> Document | None:
    """Returns the analysis that is kept of a position, as `thoughts` tells it; None without one."""
    tree = session.tree
    kept = tree.nodes[number].analysis
    if kept is None or tree.reviewed is None:
        return None
    state = tree.state(number)
    paths = tree.env.click_paths(state)
    in_words = functools.partial(tree.env.in_words, chapter=tree.env.chapter(state))
    return thoughts.document(
        number, tree.reviewed.player, Thought(kept, True, ()), paths, in_words, {}, "chance"
    )


def _branches(session: GameSession, number: int, viewpoint: int | None) -> list[Document]:
    tree = session.tree
    children = tree.children(number)
    if len(children) < 2 or (viewpoint is not None and tree.seat(number) != viewpoint):
        return []
    return [
        {"number": child, "move": tree.nodes[child].move, "words": tree.words(child)}
        for child in children
    ]


def record(session: GameSession) -> Document:
    """Returns the record of a game, and the name of a file for it.

    Raises:
        ValueError: if it would tell a person what is hidden from it.
    """
    with session.lock:
        if session.viewpoint(None, session.tree.current) is not None:
            raise ValueError("a record tells what is hidden; it can be saved when the game is over")
        text = records.to_text(saved_games.to_record(session, is_complete=False))
    return {"record": text, "name": f"{session.tree.env.id}.record"}


def result(
    env: Env[Any], state: State[Any], names: list[str], resigned: int | None = None
) -> str | None:
    """Returns how a game has ended, in words; None while it goes on."""
    if resigned is not None:
        winners = [name for seat, name in enumerate(names) if seat != resigned]
        return f"{names[resigned]} resigned, {_winners(winners)}"
    if not (state.terminated or state.truncated):
        return None
    returns = np.asarray(env.rules.returns(state.game))
    if state.truncated:
        return "the game was cut off"
    return _outcome(names, returns.tolist())


def _outcome(names: list[str], returns: Sequence[float]) -> str:
    """Returns who has won, in words."""
    most = max(returns)
    winners = [name for name, value in zip(names, returns, strict=True) if value == most]
    return "a draw" if len(winners) == len(names) else _winners(winners)


def _winners(names: list[str]) -> str:
    return f"{' and '.join(names)} won"  # which fits names of one and of many
