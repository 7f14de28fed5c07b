"""One browser for the tests of a file."""

import pytest

from tests.agents.play.browser import chromium, new_page


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
