"""Reviews on the page's interface: losses of moves, kept with the game, and another try."""

import json

import pytest

from jaxgames import records
from tests.agents.play.page.test_app import Client

ANALYST = "gumbel:evaluator=uniform,simulations=16"
# The red master stands two squares in front of the temple: the tiger takes it there at once.
WIN_IN_ONE = "2B2/1b3/2R2/5/5 r tiger,crab|ox,horse|crane 8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("games")


@pytest.fixture(scope="module")
def client(folder):
    made = Client(folder, seats=("human", "first_legal"))
    made.director.analyst = ANALYST
    return made


@pytest.fixture(scope="module")
def reviewed(client):
    """A game in which Red missed a win, and Blue then had to answer."""
    game = client.new(position=WIN_IN_ONE, seats=["human", "human"])
    for move in ("crab:c3a3", "ox:b4b3"):
        number = client.view(game)["number"]
        assert client.post(f"{game}/play", number=number, move=move)[0] == 200
    assert client.post(f"{game}/review") == (200, {})
    client.wait(game, lambda view: view["review"] is not None)
    return game


def test_a_review_tells_what_each_move_lost(client, reviewed):
    review = client.view(reviewed)["review"]
    assert (review["player"], review["unit"], review["missing"]) == (ANALYST, "chance", 0)
    missed = review["moves"]["1"]
    assert (missed["seat"], missed["best"], missed["mark"]) == (0, "tiger:c3c5", "blunder")
    assert missed["loss"] == pytest.approx(missed["expected"][0] - missed["reached"][0])
    assert review["averages"][0] == pytest.approx(missed["loss"])


def test_the_curve_goes_through_every_position_and_their_analyses_are_shown(client, reviewed):
    view = client.view(reviewed, "?number=0")
    assert [len(entry["expected"]) for entry in view["line"]] == [2, 2, 2]
    assert view["line"][0]["expected"] == [1.0, 0.0]
    assert view["analysis"]["move"] == "tiger:c3c5" and view["analysis"]["final"]
    assert view["analysis"]["moves"][0]["parts"] == ["square:c3", "square:c5", "card:tiger"]


def test_a_review_is_kept_with_the_game_and_its_record(client, reviewed, folder):
    view = client.view(reviewed)
    other = Client(folder, seats=("human", "first_legal"))
    assert {**other.view(reviewed), "version": 0} == {**view, "version": 0}
    text = client.get(f"{reviewed}/record")[1]["record"]
    status, found = client.post("/api/games", record=text)
    assert status == 200, found
    assert client.view(f"/api/games/{found['id']}")["review"] == view["review"]


def test_a_game_without_a_review_opens_and_new_moves_can_be_reviewed(client):
    game = client.new(position=WIN_IN_ONE, seats=["human", "human"])
    assert client.view(game)["review"] is None
    client.post(f"{game}/play", number=0, move="crab:c3a3")
    client.post(f"{game}/review")
    client.wait(game, lambda view: view["review"] is not None)
    client.post(f"{game}/play", number=1, move="ox:b4b3")
    assert client.view(game)["review"]["missing"] == 1
    client.post(f"{game}/review")
    client.wait(game, lambda view: view["review"]["missing"] == 0)


@pytest.mark.parametrize(
    "damage",
    [
        {"unit": "stones"},
        {"player": 7},
        {"moves": [[1, {"seat": 9}]]},
        {"moves": [[99, {}]]},
        {"moves": 1},
        {"positions": [[0, {"moves": [{}]}]]},
        {"positions": [[[], {}]]},
    ],
)
def test_a_damaged_review_in_a_file_is_refused(client, reviewed, damage):
    text = client.get(f"{reviewed}/record")[1]["record"]
    record = records.from_text(text)[0]
    tags = {**record.tags, "review": {**record.tags["review"], **damage}}
    text = records.to_text(record._replace(tags=json.loads(json.dumps(tags))))
    status, found = client.post("/api/games", record=text)
    assert status == 400 and "the review is damaged" in found["error"]


def test_a_person_tries_again_against_the_same_opponent(client, reviewed):
    game = client.new(position=WIN_IN_ONE, seats=["human", "random"])
    client.post(f"{game}/play", number=0, move="crab:c3a3")
    client.wait(game, lambda view: view["ply"] == 2)
    assert client.post(f"{game}/retry", number=1) == (200, {})
    view = client.view(game)
    assert view["number"] == 0 and [seat["spec"] for seat in view["seats"]] == ["human", "random"]
    assert client.post(f"{reviewed}/retry", number=2) == (200, {})
    view = client.view(reviewed)
    assert view["number"] == 1
    assert [seat["spec"] for seat in view["seats"]] == ["first_legal", "human"]
    assert view["review"]["missing"] == 0, "the reviewed moves stay"
