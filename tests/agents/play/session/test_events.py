"""Events for pages, and the threads and steps that they tell of."""

import asyncio
import threading

import pytest

from agents.play.engine.preparation import Preparation
from agents.play.engine.workers import Workers
from agents.play.session.events import Events, Subscriber


def test_a_page_gets_the_newest_event_of_each_kind_of_its_game():
    async def listen():
        events = Events()
        page = Subscriber("a", None, asyncio.get_running_loop())
        events.subscribe(page)
        for version in range(3):
            events.to_game("a", "game", {"version": version})
        events.to_game("b", "game", {"version": 9})
        events.to_all("status", {"steps": []})
        first = await page.take()
        events.unsubscribe(page)
        events.to_game("a", "game", {"version": 4})
        assert events.watchers("a") == []
        return first

    expected = [("game", {"version": 2}), ("status", {"steps": []})]
    assert asyncio.run(listen()) == expected


def test_steps_tell_when_they_run_end_and_fail():
    told = []
    progress = Preparation(told.append)
    with progress.step("onitama", "rules", "the rules"):
        step = progress.status()["steps"][0]
        assert step["state"] == "runs" and step["game"] == "onitama"
    with (
        pytest.raises(ValueError, match="no agent"),
        progress.step("onitama", "agent", "the agent"),
    ):
        raise ValueError("no agent")
    assert [step["state"] for step in progress.status()["steps"]] == ["done", "failed"]
    assert len(told) == 4


def test_one_long_search_does_not_hold_up_another_and_too_many_are_refused():
    workers = Workers(threads=2, most_waiting=1)
    hold, begun, done = threading.Event(), threading.Event(), threading.Event()

    def long():
        begun.set()
        hold.wait(60)

    workers.submit(long)
    assert begun.wait(60)
    workers.submit(done.set)
    assert done.wait(60), "the second thread is free"
    begun.clear()
    workers.submit(long)
    assert begun.wait(60)
    workers.submit(done.set)
    with pytest.raises(ValueError, match="busy"):
        workers.submit(done.set)
    hold.set()
