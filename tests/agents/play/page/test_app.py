"""The web application without a browser: the JSON interface, and what it refuses."""

import time

import pytest

from agents.play import lobby, server
from agents.play.page.app import make_app
from agents.play.session import store
from configs.play import PlayConfig
from jaxgames.pictures import svg
from tests.agents.play.page import asgi

POSITION = "bbBbb/5/5/5/rrRrr r ox,tiger|elephant,horse|crab 0"


class Client(asgi.Client):
    def __init__(self, folder, game="onitama", **options):
        self.lobby = server.make_lobby(PlayConfig(game=game, folder=folder, **options))
        self.director = self.lobby.director(self.lobby.environment(None, None))
        super().__init__(make_app(self.lobby, "127.0.0.1"))

    def new(self, **body):
        status, found = self.post("/api/games", **{"position": POSITION, **body})
        assert status == 200, found
        return f"/api/games/{found['id']}"

    def view(self, game, query=""):
        status, found = self.get(game + query)
        assert status == 200, found
        return found

    def wait(self, game, until, seconds=120):
        end = time.monotonic() + seconds
        while not until(view := self.view(game)):
            assert time.monotonic() < end, view["error"]
            time.sleep(0.05)
        return view


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("games")


@pytest.fixture(scope="module")
def client(folder):
    return Client(folder, seats=("human", "first_legal"))


def test_a_move_is_answered_by_the_agent(client):
    game = client.new()
    view = client.view(game)
    assert [seat["name"] for seat in view["seats"]] == ["Red", "Blue"]
    assert view["seat"] == 0 and view["position"] == POSITION
    move = next(move for move in view["moves"] if move["text"] == "ox:b1b2")
    assert move["paths"] == [[["square:b1", "square:b2"], ["card:ox"], False]]
    answer = client.post(f"{game}/play", number=0, action=move["action"])
    assert answer == (200, {"number": 1, "waits": True})
    view = client.wait(game, lambda view: view["ply"] == 2)
    assert [entry.get("move") for entry in view["line"]][:2] == [None, "ox:b1b2"]


def test_the_rules_have_pictures_in_the_theme_of_the_page(client):
    game = client.new()
    about = client.view(game, "/about")
    assert about["rules"] and about["words"]["tiger"].startswith("Moves a piece")
    light, dark = (client.view(game, f"/rules?theme={name}")["html"] for name in ("light", "dark"))
    assert "<h2>How to play Onitama</h2>" in light and light.count("<svg") == 3
    assert svg.LIGHT.background in light and svg.DARK.background in dark
    assert "figure:" not in light and "<!--" not in light
    status, found = client.get(f"{game}/rules?theme=blue")
    assert status == 400 and "unknown theme 'blue'" in found["error"]


def test_a_branch_keeps_the_moves_that_were_played_before(client):
    game = client.new(seats=["human", "human"])
    for number, move in ((0, "ox:b1b2"), (1, "horse:e5e4"), (0, "tiger:a1a3"), (3, "horse:a5a4")):
        assert client.post(f"{game}/play", number=number, move=move)[0] == 200
    first = client.view(game, "?number=0")
    assert [branch["move"] for branch in first["branches"]] == ["ox:b1b2", "tiger:a1a3"]
    assert client.post(f"{game}/go", number=1) == (200, {})
    assert client.view(game)["next"] == 2
    answer = client.post(f"{game}/play", number=0, move="ox:b1b2")
    assert answer == (200, {"number": 1, "waits": False})
    assert client.view(game)["current"] == 1, "a move tried before leads to the same position"


def test_a_game_is_read_again_with_branches_and_values(client, folder):
    game = client.new(seats=["human", "human"])
    for number, move in ((0, "ox:b1b2"), (1, "horse:e5e4"), (0, "tiger:a1a3")):
        client.post(f"{game}/play", number=number, move=move)
    session = client.director.session(game.rsplit("/", 1)[1])
    session.tree.set_values(0, (0.5, -0.5))
    client.director.store.save(session)
    other = Client(folder, seats=("human", "first_legal"))
    query = "?number=0"
    assert {**other.view(game, query), "version": 0} == {**client.view(game, query), "version": 0}
    assert other.view(game, query)["line"][0]["values"] == [0.5, -0.5]


def test_an_agent_thinks_and_its_values_are_kept(client):
    game = client.new()
    spec = "gumbel:evaluator=uniform,simulations=8"
    assert client.post(f"{game}/think", number=0, agent=spec) == (200, {})
    view = client.wait(game, lambda view: view["line"][0]["values"] is not None)
    assert len(view["line"][0]["values"]) == 2


def test_a_record_can_be_loaded_and_an_illegal_move_in_it_is_named(client):
    game = client.new(seats=["human", "human"])
    client.post(f"{game}/play", number=0, move="ox:b1b2")
    text = client.get(f"{game}/record")[1]["record"]
    status, found = client.post("/api/games", record=text)
    assert status == 200
    assert client.view(f"/api/games/{found['id']}")["line"][1]["move"] == "ox:b1b2"
    by_hand = text.splitlines()[0] + '\n{"move": "ox:b1b5"}\n{"returns": null}\n'
    status, found = client.post("/api/games", record=by_hand)
    assert status == 400 and "move 1: move 'ox:b1b5'" in found["error"]


def test_a_file_of_another_program_can_be_loaded(client):
    text = "\ufeff11.11\r\n..3..\r\n.....\r\n..2..\r\n00.00\r\nbxlut\r\nBRS lhl\r\nTvL\r\n"
    status, found = client.post("/api/games", record=text, file="game.oni")
    assert status == 200, found
    line = client.view(f"/api/games/{found['id']}")["line"]
    assert [node["move"] for node in line[1:]] == ["boar:c2d2", "elephant:c4b3", "tiger:b1b3"]
    status, found = client.post("/api/games", record="x", file="game.oni")
    assert status == 400 and "game.oni" in found["error"]


def test_a_person_resigns_and_goes_on_after_taking_it_back(client, folder):
    game = client.new()
    assert client.post(f"{game}/resign") == (200, {})
    view = client.view(game)
    assert view["result"] == "Red resigned, Blue won"
    assert view["moves"] == [] and view["seat"] is None
    status, found = client.post(f"{game}/resign")
    assert status == 400 and found["error"] == "the game is over"
    record = client.get(f"{game}/record")[1]["record"]
    assert '"ending": "resignation"' in record and '"returns": [-1.0, 1.0]' in record
    other = Client(folder, seats=("human", "first_legal"))
    assert other.view(game)["result"] == view["result"], "the file says so, too"
    loaded = client.post("/api/games", record=record)[1]["id"]
    assert client.view(f"/api/games/{loaded}")["result"] == view["result"], "and the record"
    assert client.post(f"{game}/back") == (200, {})
    assert client.view(game)["result"] is None and client.view(game)["moves"]
    agents = client.new(seats=["random", "random"])
    client.post(f"{agents}/run", runs=False)
    status, found = client.post(f"{agents}/resign")
    assert status == 400 and "no person plays" in found["error"]


def test_a_view_tells_since_when_others_have_moved(client):
    game = client.new(seats=["human", "human"])
    assert client.view(game)["since"] is None
    for number, move in ((0, "ox:b1b2"), (1, "horse:e5e4"), (2, "tiger:a1a3")):
        client.post(f"{game}/play", number=number, move=move)
    assert client.view(game)["since"] == 2, "the last move of any person"
    assert client.view(game, "?seat=1")["since"] == 2
    assert client.view(game, "?number=2&seat=0")["since"] == 1
    move = client.view(game)["moves"][0]["text"]
    client.post(f"{game}/play", number=3, move=move)
    assert client.view(game, "?seat=1")["since"] == 3, "its own move is the last one"


def test_games_of_other_kinds_and_options_begin_without_a_restart(client, folder):
    ids = [
        client.post("/api/games", **body)[1]["id"]
        for body in (
            {"game": "murus_gallicus", "seats": ["human", "human"]},
            {
                "game": "onitama",
                "options": {"deck": "all", "max_plies": 9},
                "seats": ["human", "human"],
            },
            {"game": "onitama", "options": {}, "seats": ["human", "human"]},
        )
    ]
    assert [name.partition("-")[0] for name in ids] == ["murus_gallicus", "onitama", "onitama"]
    abouts = [client.get(f"/api/games/{name}/about")[1] for name in ids]
    assert [about["title"] for about in abouts] == ["Murus Gallicus", "Onitama", "Onitama"]
    assert [about["options"] for about in abouts] == [{}, {"deck": "all", "max_plies": "9"}, {}]
    for name in ids:
        view = client.view(f"/api/games/{name}")
        client.post(f"/api/games/{name}/play", number=0, action=view["moves"][0]["action"])
    listed = {game["id"]: game for game in client.get("/api/games")[1]["games"]}
    assert listed[ids[1]]["options"] == {"deck": "all", "max_plies": 9}
    other = Client(folder, seats=("human", "first_legal"))
    for name in ids:  # a server that has not seen them finds game and options in their files
        assert other.view(f"/api/games/{name}")["ply"] == 1
        assert other.get(f"/api/games/{name}/about") == client.get(f"/api/games/{name}/about")


def test_a_record_of_another_game_brings_its_game_and_options(client):
    body = {"game": "murus_gallicus", "options": {"variant": "basic"}, "seats": ["human", "human"]}
    name = client.post("/api/games", **body)[1]["id"]
    view = client.view(f"/api/games/{name}")
    client.post(f"/api/games/{name}/play", number=0, action=view["moves"][0]["action"])
    text = client.get(f"/api/games/{name}/record")[1]["record"]
    status, found = client.post("/api/games", record=text, game="onitama")
    assert status == 200, found
    about = client.get(f"/api/games/{found['id']}/about")[1]
    assert (about["game"], about["options"]) == ("murus_gallicus", {"variant": "basic"})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"game": "go"}, "unknown game 'go'; available: murus_gallicus, onitama"),
        ({"game": "../onitama"}, "unknown game '../onitama'"),
        ({"game": 7}, "game: expected a text"),
        ({"options": {"dekc": "all"}}, "did you mean 'deck'?"),
        ({"options": {"deck": "al"}}, "deck"),
        ({"options": {"max_plies": 256}}, "max_plies must be an integer from 1 to 255"),
        ({"options": {"max_plies": 10**400}}, "expected a text of at most 300 characters"),
        ({"options": {"deck": "x" * 301}}, "expected a text of at most 300 characters"),
        ({"options": {"deck": ["all"]}}, "expected a text of at most 300 characters"),
        ({"options": ["deck"]}, "expected an object"),
        ({"options": {f"o{n}": "1" for n in range(33)}}, "expected an object"),
        ({"game": "tribes", "options": {"parameters": "x"}}, "cannot be given as text"),
        ({"record": "x", "position": "y"}, "leave out the position and the seed"),
        ({"record": "x", "options": {}}, "no game or position that can be read"),
    ],
)
def test_games_and_options_that_do_not_exist_are_refused(client, body, message):
    status, found = client.post("/api/games", **body)
    assert status == 400 and message in found["error"]


def test_open_environments_are_bounded_and_those_that_rest_give_way(folder, monkeypatch):
    client = Client(folder, seats=("human", "human"))
    monkeypatch.setattr(lobby, "MOST_OPEN", 2)
    monkeypatch.setattr(lobby, "MOST_MADE", 3)

    def begin(plies):
        body = {"options": {"max_plies": plies}, "seats": ["human", "human"]}
        return client.post("/api/games", **body)

    assert begin(9)[0] == 200
    status, found = begin(8)
    assert status == 400 and "2 games with different options are open" in found["error"]
    assert begin(9)[0] == 200, "an open one has room"
    monkeypatch.setattr(lobby, "REST", 0.0)
    assert begin(8)[0] == 200, "nobody looks at the first one"
    status, found = begin(7)
    assert status == 400 and "start it again" in found["error"]
    assert begin(9)[0] == 200, "its programs are there"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("play", {"number": 0, "action": 999}, "action 999 is not legal here"),
        ("play", {"number": 7, "action": 1}, "no position of number 7"),
        ("play", {"number": 0}, "expected an action or a move"),
        ("play", {"number": 0, "move": "ox:b1b9"}, "did you mean 'ox:b1"),
        ("play", {"nunber": 0}, "unknown field 'nunber'"),
        ("back", {}, "no move to take back"),
        ("forward", {}, "no move to repeat"),
        ("seats", {"seats": ["human"]}, "onitama has 2 seats, got 1"),
        ("seats", {"seats": ["human", "rndom"]}, "did you mean 'random'?"),
        ("seats", {"seats": ["human", "minimax:depth=9"]}, "depth is at most 3 on this page"),
        ("seats", {"seats": ["human", "gumbel:network=/etc/passwd"]}, "names a file"),
        ("seats", {"seats": ["human", "book:file=x,agent=random"]}, "names a file"),
        ("think", {"number": 0, "agent": "human"}, "choose an agent"),
        ("review", {}, "there is no move to review yet"),
        ("retry", {"number": 0}, "no move leads to the first position"),
        ("retry", {"number": 7}, "no position of number 7"),
        ("run", {"runs": 1}, "expected true or false"),
    ],
)
def test_mistakes_are_answered_in_words(client, path, body, message):
    status, found = client.post(f"{client.new()}/{path}", **body)
    assert status == 400 and message in found["error"]


def test_a_record_begins_by_itself(client):
    status, found = client.post("/api/games", record="x", seed=1)
    assert status == 400 and "leave out the position and the seed" in found["error"]


def test_only_agents_that_play_the_game_as_they_stand_are_offered(client):
    about = client.get(f"{client.new()}/about")[1]
    offered = {agent["name"] for agent in about["agents"]}
    assert {"best", "minimax", "random"} <= offered
    assert not offered & {"human", "ms3", "rule_based", "gumbel"}


def test_a_page_may_ask_for_every_level_and_no_other(client):
    name = client.new()
    levels = client.get(f"{name}/about")[1]["levels"]
    assert [level["name"] for level in levels] == [f"Level {n + 1}" for n in range(len(levels))]
    for level in levels:
        assert client.post(f"{name}/seats", seats=["human", level["spec"]])[0] == 200
    status, found = client.post(f"{name}/seats", seats=["human", "level:number=99"])
    assert status == 400 and f"the levels 1 to {len(levels)}" in found["error"]


def test_a_page_that_is_closed_at_once_is_forgotten(client):
    name = client.new().rsplit("/", 1)[1]
    for _ in range(3):
        asgi.request(client.app, "GET", f"/api/events?game={name}")
    assert client.director.events.watchers(name) == []


def test_a_request_that_only_reads_has_no_body(client):
    for headers in ({"content_length": "7"}, {"transfer_encoding": "chunked"}):
        assert asgi.request(client.app, "GET", "/api/events", **headers).status == 413
    assert asgi.request(client.app, "GET", "/api/about", content_length="0").status == 200


def test_games_that_vanish_while_they_are_listed_are_left_out(client, monkeypatch):
    client.post(f"{client.new(seats=['human', 'human'])}/play", number=0, move="ox:b1b2")

    def gone(path):
        raise FileNotFoundError(path)

    monkeypatch.setattr(store, "_text", gone)
    assert client.get("/api/games") == (200, {"games": []})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example:8460"}, 403),
        ({"host": "192.168.1.5:8460"}, 403),
        ({"host": "localhost:8460"}, 200),
        ({"host": "[::1]:8460"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{asgi.HOST}"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_length": "9999999999"}, 413),
    ],
)
def test_requests_of_other_sites_are_refused(client, headers, status):
    assert asgi.request(client.app, "POST", "/api/games", b"{}", **headers).status == status


def test_a_server_beyond_loopback_is_asked_by_its_address(client):
    app = make_app(client.lobby, "0.0.0.0")
    hosts = {"192.168.1.5:8460": 200, "evil.example": 403, "localhost": 200}
    for host, status in hosts.items():
        assert asgi.request(app, "GET", "/api/about", host=host).status == status


def test_names_of_games_stay_in_the_folder(client, folder):
    secret = folder.parent / "0123456789abcdef.record"
    secret.write_text("secret")
    for name in (
        "..%2f0123456789abcdef",
        "../0123456789abcdef",
        "onitama-../0123456789abcdef",
        "%2e%2e/x",
        "onitama-0123456789ABCDEF",
        "..-0123456789abcdef",
        "0123456789abcdef",
        "tribes-00000000000000ff",
        "go-00000000000000ff",
    ):
        answer = asgi.request(client.app, "GET", f"/api/games/{name}")
        assert answer.status == 404 and "secret" not in answer.text
    with pytest.raises(store.UnknownGame, match="16 digits"):
        client.director.store.load("onitama-../0123456789abcdef")


def test_a_folder_that_cannot_be_made_is_an_error(client, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="folder: cannot make"):
        store.Store(tmp_path / "file" / "games", client.director.env)


def test_a_damaged_file_is_an_error_and_not_listed(client, folder):
    (folder / "00000000000000ff.record").write_text("{}\n")
    status, found = client.get("/api/games/onitama-00000000000000ff")
    assert status == 400 and "damaged" in found["error"]
    client.post(f"{client.new(seats=['human', 'human'])}/play", number=0, move="ox:b1b2")
    listed = client.get("/api/games")[1]["games"]
    assert listed and "onitama-00000000000000ff" not in {game["id"] for game in listed}
