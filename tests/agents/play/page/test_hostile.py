"""Hostile requests to a server, and a server that is killed again and again."""

import pytest

from tests.agents.play.browser import Server, serving
from tests.agents.play.page.hostile import hostile_requests, whole_requests

TWO_PERSONS = "--game=onitama", "--seats", "human", "human"
POSITION = "bbBbb/5/5/5/rrRrr r ox,tiger|elephant,horse|crab 0"


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_requests_cause_no_traceback_and_touch_no_other_file(count, tmp_path):
    folder = tmp_path / "inside" / "games"
    with serving(folder, "--game=onitama", "--seats", "human", "first_legal") as server:
        whole = server.post("api/games", position=POSITION, seats=["human", "human"])["id"]
        for request in whole_requests(whole):
            assert request.send(server.port) == 200, request
        games = [server.post("api/games", position=POSITION)["id"] for _ in range(3)]
        statuses = [request.send(server.port) for request in hostile_requests(games, count)]
        assert max(statuses) < 500
        assert {200, 400, 403, 404} <= set(statuses)
        assert statuses.count(0) < 0.05 * count, "most are answered"
        name = server.post("api/games", position=POSITION)["id"]
        assert server.get(f"api/games/{name}")["position"] == POSITION
    outside = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != folder]
    assert outside == []


@pytest.mark.slow
def test_a_server_killed_in_20_games_loses_at_most_the_move_being_made(tmp_path):
    for number in range(20):
        server = Server(tmp_path, *TWO_PERSONS)
        try:
            name = server.post("api/games", position=POSITION)["id"]
            path = f"api/games/{name}"
            for _ in range(number % 5 + 1):
                view = server.get(path)
                server.post(
                    f"{path}/play", number=view["number"], action=view["moves"][0]["action"]
                )
            before = server.get(path)
        finally:
            server.kill()
        server = Server(tmp_path, *TWO_PERSONS)
        try:
            assert {**server.get(path), "version": 0} == {**before, "version": 0}
            assert len(server.get("api/games")["games"]) == number + 1
        finally:
            server.kill()
