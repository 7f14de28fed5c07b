"""`Program`: a process that answers lines with lines, each within a time."""

import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import weakref
from collections.abc import Callable
from typing import TypeVar

GRACE = 0.25  # seconds that an answer may be late, for its way between the processes
FAREWELL = 1.0  # seconds in which a process ends by itself once its input is over
T = TypeVar("T")


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

    Its errors go where those of this process go. It ends with this object or process, and so does
    all that it has started itself (on POSIX).
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
        self._questions: queue.Queue[str | None] = queue.Queue()  # None closes the input
        self._lines: queue.Queue[str | None] = queue.Queue()  # None: the output is over
        self._end: weakref.finalize | None = None

    def start(self) -> None:
        """Starts the process, unless it runs.

        Raises:
            ValueError: if it does not start.
        """
        with self._lock:
            self._start()

    def ask(self, line: str, seconds: float, read: Callable[[str], T]) -> T:
        """Returns the answer to a line.

        Args:
            line: the question.
            seconds: within which the process reads the question and answers it.
            read: returns what a line of the process says; raises a `ValueError` for no answer.

        Raises:
            Failure: if there is no answer in time, `read` refuses it, or the process ends. The
                process is stopped, because its further lines may answer earlier questions; the next
                call starts it anew.
            ValueError: if the process does not start.
        """
        with self._lock:
            self._start()
            self._drop_unread()
            return self._exchange(line, seconds + GRACE, read)

    def _start(self) -> None:
        """Starts and greets a process, unless one runs."""
        if self._process is not None and self._process.poll() is None:
            return
        self._stop()
        try:
            process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,  # with a group of its own, which `_end` kills
            )
        except OSError as error:
            raise ValueError(f"{shlex.join(self._words)} cannot be started: {error}") from error
        self._process, self._questions, self._lines = process, queue.Queue(), queue.Queue()
        self._end = weakref.finalize(self, _end, process, self._questions)
        for work, lines in ((_write, self._questions), (_read, self._lines)):
            threading.Thread(target=work, args=(process, lines), daemon=True).start()
        try:
            self._exchange(self._greeting, self._start_seconds, self._check_reply)
        except Failure as error:
            raise ValueError(f"{shlex.join(self._words)} does not start: {error}") from error

    def _stop(self) -> None:
        """Ends the process."""
        if self._end is not None:
            self._end()
        self._process = None

    def _exchange(self, line: str, seconds: float, read: Callable[[str], T]) -> T:
        try:
            return read(self._answer(line, seconds))
        except ValueError as error:
            self._stop()
            raise Failure(str(error)) from error

    def _answer(self, line: str, seconds: float) -> str:
        """Returns the first line that the process writes after a question."""
        assert self._process is not None
        self._questions.put(line)
        try:
            answer = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise ValueError(f"no answer in {seconds:g} s") from None
        if answer is not None:
            return answer
        try:
            status = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            raise ValueError("the process has closed its output") from None
        raise ValueError(f"the process has ended with status {status}")

    def _drop_unread(self) -> None:
        """Forgets lines that nobody has asked for, but not that the output is over."""
        with contextlib.suppress(queue.Empty):
            while self._lines.get_nowait() is not None:
                pass
            self._lines.put(None)


def _write(process: "subprocess.Popen[str]", questions: "queue.Queue[str | None]") -> None:
    """Writes lines to a process, which may be slow to read them; None closes its input."""
    assert process.stdin is not None
    with contextlib.suppress(OSError), process.stdin as pipe:  # its output tells that it has ended
        while (line := questions.get()) is not None:
            pipe.write(line)
            pipe.flush()


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[str | None]") -> None:
    """Puts the lines of a process into a queue, and None at their end."""
    assert process.stdout is not None
    with contextlib.suppress(OSError), process.stdout as pipe:
        for line in pipe:
            if line.strip():
                lines.put(line)
    lines.put(None)


def _end(process: "subprocess.Popen[str]", questions: "queue.Queue[str | None]") -> None:
    """Closes the input of a process, then kills what is left of it and of all it has started."""
    questions.put(None)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL)
    if hasattr(os, "killpg"):
        # Nothing is left (some systems refuse the signal then).
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
