"""A server in a process of its own, and a browser that looks at its pages."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUICK_AGENTS = "--plugin=tests.agents.play.quick_agents_plugin"


class Server:
    """`python -m agents.play` on a free port, by default with quick agents instead of its own."""

    def __init__(
        self, folder: pathlib.Path, *options: str, port: int = 0, own_agents: bool = False
    ) -> None:
        options = options if own_agents else (*options, QUICK_AGENTS)
        command = [sys.executable, "-m", "agents.play", "--no-browser", f"--folder={folder}"]
        self.process = subprocess.Popen(
            [*command, f"--port={port}", *options],
            cwd=CHECKOUT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "is played at" in line, self.process.communicate()
        self.url = line.split(" at ")[1].split()[0]
        self.port = int(self.url.rsplit(":", 1)[1].strip("/"))

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=600) as answer:
            return json.load(answer)

    def post(self, path: str, **body: Any) -> Any:
        headers = {"content-type": "application/json"}
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, headers, method="POST")
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    def kill(self) -> str:
        """Ends the process at once, as a power cut would; returns what it wrote as errors."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        return self.process.communicate()[1]


@contextlib.contextmanager
def serving(folder: pathlib.Path, *options: str, own_agents: bool = False) -> Iterator[Server]:
    server = Server(folder, *options, own_agents=own_agents)
    try:
        yield server
    finally:
        errors = server.kill()
    assert "Traceback" not in errors, errors


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Starts a browser; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with playwright.sync_playwright() as tools:
        try:
            browser = tools.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no browser: install chromium, or run `playwright install`: {error}"[:300])
        yield browser
        browser.close()


def new_page(browser: Any, **options: Any) -> Any:
    """Returns a page that fails the test if its program throws."""
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(60_000)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    return page


def part(page: Any, name: str) -> Any:
    return page.locator(f'.area[data-part="{name}"]')


def press(page: Any, *names: str) -> None:
    """Clicks parts of the board one after the other, each once it is lit."""
    for name in names:
        page.locator(f'.area.lit[data-part="{name}"]').click()


def words(page: Any, selector: str, text: str) -> None:
    """Waits until an element holds a text."""
    page.locator(selector, has_text=text).first.wait_for()


def begin(server: Server, page: Any, **body: Any) -> str:
    """Shows a new game; returns its name."""
    name: str = server.post("api/games", **body)["id"]
    page.goto(f"{server.url}?game={name}")
    return name


def title(page: Any, name: str) -> str:
    """Returns what a part of the board is called."""
    found: str = part(page, name).get_attribute("aria-label")
    return found
