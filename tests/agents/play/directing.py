"""Games of Onitama behind the page, without a server: a director, and waiting for its threads."""

import time

from agents.play import server
from configs.play import PlayConfig

POSITION = "bbBbb/5/5/5/rrRrr r ox,tiger|elephant,horse|crab 0"


def director_against(agent, folder):
    """Returns the director of games of a person against an agent."""
    config = PlayConfig(game="onitama", seats=("human", agent), folder=folder)
    lobby = server.make_lobby(config)
    return lobby.director(lobby.environment(None, None))


def wait(until, seconds=60):
    """Waits until a function returns true, at most so long."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)
