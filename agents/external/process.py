"""`Program`: a process that answers lines with lines, each within a time."""

import contextlib
import os
import queue
import shlex
import shutil
import subprocess
import threading
import weakref
from collections.abc import Callable

GRACE = 0.25  # seconds that an answer may be late, for its way between the processes
FAREWELL = 1.0  # seconds in which a process ends by itself once its input is over


class Failure(ValueError):
    """A player in another process has not answered, or not with a legal move."""


def words_of(command: str) -> tuple[str, ...]:
    """Returns the words of a command line; quotes around the whole of it are left out.

    Raises:
        ValueError: for an open quote, no word, or a program that cannot be found.
    """
    if len(command) > 1 and command[0] == command[-1] == '"' and '"' not in command[1:-1]:
        command = command[1:-1]
    try:
        words = tuple(shlex.split(command, posix=os.name != "nt"))
    except ValueError as error:
        raise ValueError(f"command: cannot read {command!r}: {error}") from error
    if not words:
        raise ValueError("command: expected a program and its arguments, got nothing")
    if shutil.which(words[0]) is None:
        raise ValueError(f"command: there is no program {words[0]!r} to run, from {command!r}")
    return words


class Program:
    """A process that is started when it is first asked, and anew after it has failed.

    Its errors go where those of this process go. It ends with this object or process.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        greeting: str,
        check_reply: Callable[[str], None],
        start_seconds: float,
    ) -> None:
        """Takes what starts the process.

        Args:
            words: the program and its arguments.
            greeting: the first line that it is sent.
            check_reply: raises a `ValueError` for a wrong answer to this line.
            start_seconds: within which it answers this line.
        """
        self._words = words
        self._greeting = greeting
        self._check_reply = check_reply
        self._start_seconds = start_seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._end: weakref.finalize | None = None

    def ask(self, line: str, seconds: float) -> str:
        """Returns the answer to a line.

        Raises:
            Failure: if there is none in time, or the process ends; the next call starts it anew.
            ValueError: if the process does not start.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._begin()
            return self._answer(line, seconds + GRACE)

    def stop(self) -> None:
        """Ends the process."""
        if self._end is not None:
            self._end()
        self._process = None

    def _begin(self) -> None:
        """Starts the process and greets it."""
        self.stop()
        try:
            process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise ValueError(f"{shlex.join(self._words)} cannot be started: {error}") from error
        self._process, self._lines = process, queue.Queue()
        self._end = weakref.finalize(self, _end, process)
        threading.Thread(target=_read, args=(process, self._lines), daemon=True).start()
        try:
            self._check_reply(self._answer(self._greeting, self._start_seconds))
        except ValueError as error:
            self.stop()
            raise ValueError(f"{shlex.join(self._words)} does not start: {error}") from error

    def _answer(self, line: str, seconds: float) -> str:
        process = self._process
        assert process is not None and process.stdin is not None
        with contextlib.suppress(OSError):  # a process that has ended: its output is over, too
            process.stdin.write(line)
            process.stdin.flush()
        try:
            answer = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.stop()
            raise Failure(f"no answer in {seconds:g} s") from None
        if answer is None:
            status = process.wait()
            self.stop()
            raise Failure(f"the process has ended with status {status}")
        return answer


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[str | None]") -> None:
    """Puts the lines of a process into a queue, and None at their end."""
    assert process.stdout is not None
    with contextlib.suppress(ValueError, OSError):  # closed while it is read
        for line in process.stdout:
            if line.strip():
                lines.put(line)
    lines.put(None)


def _end(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
