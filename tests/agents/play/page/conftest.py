"""One browser for the tests of a file, and agents that compile quickly."""

import pytest

from jaxgames.players import plugs
from tests.agents.play import quick_agents
from tests.agents.play.browser import chromium, new_page


@pytest.fixture(scope="module", autouse=True)
def _quick_agents():
    """Replaces the agents of the page in this process; `Server` does so in its own."""
    with pytest.MonkeyPatch.context() as patch:
        for game, plug in quick_agents.all_games().items():
            patch.setitem(plugs._loaded, game, plug)
        yield


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser):
    shown = new_page(browser, viewport={"width": 1500, "height": 1000})
    yield shown
    shown.context.close()
    assert shown.faults == []
