"""Processes that are asked line by line: what they leave unread, unsaid or behind."""

import os
import sys
import time

import pytest

from agents.external import process
from agents.external.process import Failure, Program

PYTHON = (sys.executable, "-c")


@pytest.fixture(autouse=True)
def short_farewell(monkeypatch):
    monkeypatch.setattr(process, "FAREWELL", 0.1)


def program(*words, check_reply=lambda line: None):
    return Program(words, "hello\n", check_reply, start_seconds=60)


def wait_for_line(asked):
    while asked._lines.empty():
        time.sleep(0.01)


def test_lines_that_nobody_asked_for_are_dropped_before_a_question():
    asked = program(
        *PYTHON, "import sys\nfor line in sys.stdin: print(line + 'and more', flush=True)"
    )
    asked.start()
    for question in ("one", "two"):
        wait_for_line(asked)
        assert asked.ask(f"{question}\n", 60, str.strip) == question


def test_the_end_of_the_output_is_not_dropped():
    asked = program(
        *PYTHON, "import os, sys; print(input(), flush=True); os.close(1); sys.stdin.read()"
    )
    asked.start()
    wait_for_line(asked)
    with pytest.raises(Failure, match="the process has closed its output"):
        asked.ask("one\n", 60, str)


def test_a_process_that_does_not_read_is_late():
    asked = program(*PYTHON, "print('hello', flush=True); import time; time.sleep(60)")
    with pytest.raises(Failure, match=r"no answer in 0\.26 s"):
        asked.ask("one" * 10**6 + "\n", 0.01, str)


@pytest.mark.skipif(os.name != "posix", reason="there are no groups of processes")
def test_with_a_process_ends_all_that_it_has_started():
    wrapper = program("/bin/sh", "-c", "sleep 33 & echo hello; sleep 32")
    wrapper.start()
    output = wrapper._lines
    del wrapper
    assert output.get(timeout=20) is None  # nobody can write to it any more
