"""What a page shows of a game, as JSON: only what its seat may know."""

from collections.abc import Sequence
from typing import Any

from agents.analyse.growing import Thought
from agents.play import positions, saved_games, seat_words
from agents.play.game_tree import ROOT
from agents.play.limits import HUMAN
from agents.play.session import GameSession, Search
from jaxgames import records
from jaxgames.pictures.click_paths import ClickPath

Document = dict[str, Any]


def game(session: GameSession, number: int | None, asked: int | None, theme: str) -> Document:
    """Returns one position of a game, and the line that it belongs to.

    Args:
        session: the game.
        number: the position; None: the current one.
        asked: the seat as which the page asks to see it.
        theme: `"light"` or `"dark"`.

    Raises:
        ValueError: for an unknown position, seat or theme.
    """
    tree = session.tree
    env = tree.env
    if asked is not None and not 0 <= asked < env.num_players:
        raise ValueError(f"seat must be from 0 to {env.num_players - 1}, got {asked}")
    with session.lock:
        number = tree.current if number is None else number
        tree.check(number)
        state = tree.state(number)
        viewpoint = session.viewpoint(asked, number)
        parent = tree.parent(number)
        previous = None if parent is None else tree.state(parent)
        looks = seat_words.seat_looks(env, state, theme)
        picture = env.render(state, previous=previous, theme=theme, seat=viewpoint)
        names = [look.name for look in looks]
        points = positions.points(env, state)
        seat, is_over = tree.seat(number), tree.is_over(number)
        may_act = not is_over and session.is_human(seat) and viewpoint in (None, seat)
        searches = (session.move_search, session.analysis)
        return {
            "id": session.id,
            "version": session.version,
            "number": number,
            "current": tree.current,
            "ply": tree.ply(number),
            "seats": [
                {
                    "name": look.name,
                    "colour": look.colour,
                    "spec": spec,
                    "human": spec == HUMAN,
                    "points": None if points is None else points[index],
                }
                for index, (look, spec) in enumerate(zip(looks, session.seats, strict=True))
            ],
            "seat": None if is_over else seat,
            "viewpoint": viewpoint,
            "result": seat_words.result(env, state, names),
            "words": picture.title,
            "board": picture.as_svg(),
            "moves": _moves(session, number) if may_act else [],
            "line": _line(session, number, viewpoint),
            "branches": _branches(session, number, viewpoint),
            "half": tree.is_half(number),
            "previous": parent,
            "next": tree.favourite(number),
            "position": None if viewpoint is not None else env.state_to_text(state),
            "runs": session.runs,
            "thinks": sorted(search.number for search in searches if search is not None),
            "error": session.error,
        }


def _moves(session: GameSession, number: int) -> list[Document]:
    env, state = session.tree.env, session.tree.state(number)
    paths: dict[int, list[ClickPath]] = {}
    for path in env.click_paths(state):
        paths.setdefault(path.action, []).append(path)
    return [
        {
            "action": action,
            "text": text,
            "paths": [[path.parts, path.refinements] for path in paths.get(action, [])],
        }
        for action, text in env.legal_moves(state).items()
    ]


def _line(session: GameSession, number: int, viewpoint: int | None) -> list[Document]:
    """Returns the positions of a line; moves and values that the page may not know are left out."""
    tree = session.tree
    found = []
    for at in tree.line(number):
        values = tree.values(at)
        # A value in a position is the secret of the seat that is to move there.
        knows_value = viewpoint is None or (values is not None and tree.seat(at) == viewpoint)
        entry: Document = {"number": at, "values": values if knows_value else None}
        if at != ROOT:
            node = tree.nodes[at]
            knows_move = viewpoint is None or node.seat == viewpoint
            entry |= {"seat": node.seat, "move": node.move if knows_move else "…"}
        found.append(entry)
    return found


def _branches(session: GameSession, number: int, viewpoint: int | None) -> list[Document]:
    tree = session.tree
    children = tree.children(number)
    if len(children) < 2 or (viewpoint is not None and tree.seat(number) != viewpoint):
        return []
    return [{"number": child, "move": tree.nodes[child].move} for child in children]


def record(session: GameSession) -> str:
    """Returns the record of a game.

    Raises:
        ValueError: if it would tell a person what is hidden from it.
    """
    with session.lock:
        if session.viewpoint(None, session.tree.current) is not None:
            raise ValueError("a record tells what is hidden; it can be saved when the game is over")
        return records.to_text(saved_games.to_record(session, is_complete=False))


def thoughts(
    search: Search, thought: Thought, paths: Sequence[ClickPath], points: list[float] | None
) -> Document:
    """Returns what an agent has found in a position, with the final points that it expects."""
    analysis = thought.analysis
    clicks = {path.action: path for path in reversed(paths)}
    nothing = ClickPath(0)
    return {
        "number": search.number,
        "spec": search.spec,
        "final": thought.is_final,
        "seat": analysis.seat,
        "move": analysis.move,
        "values": analysis.values,
        "points": points,
        "visits": analysis.visits,
        "score": analysis.score,
        "depth": analysis.depth,
        "explanation": analysis.explanation,
        "moves": [
            {
                "action": move.action,
                "move": move.move,
                "visits": move.visits,
                "value": move.value,
                "prior": move.prior,
                "policy": move.policy,
                "variation": move.variation[:8],
                "parts": clicks.get(move.action, nothing).parts
                + clicks.get(move.action, nothing).refinements,
            }
            for move in analysis.moves
        ],
    }
