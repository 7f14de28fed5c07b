"""`Console`: what a person reads and types, and whether it may have colours."""

import os
import sys
from collections.abc import Callable
from typing import TextIO

from jaxgames.pictures.ansi import Paint


class Left(KeyboardInterrupt):
    """The person has ended the game: by a command, by Ctrl-C, or since the input is over."""


class Console:
    """Writes lines and asks for lines; by default on the terminal of the process."""

    def __init__(
        self,
        ask: Callable[[str], str] = input,
        output: TextIO | None = None,
        colours: bool | None = None,
    ) -> None:
        """Takes other ways to read and write.

        Args:
            ask: shows a prompt and returns a line, or raises `EOFError`.
            output: where lines are written; None: the output of the process, whatever it is then.
            colours: whether there are colours; None: if the output is a terminal that shows them.
        """
        self._ask = ask
        self._output = output
        self._colours = colours

    @property
    def output(self) -> TextIO:
        """Where lines are written."""
        return sys.stdout if self._output is None else self._output

    @property
    def has_colours(self) -> bool:
        """Whether texts have colours: not if `NO_COLOR` is set, or the output is no terminal."""
        if self._colours is not None:
            return self._colours
        is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return self.output.isatty() and not is_plain

    @property
    def paint(self) -> Paint:
        """The colours of texts."""
        return Paint(self.has_colours)

    def say(self, text: str = "") -> None:
        """Writes a line, or several."""
        print(text, file=self.output, flush=True)

    def ask(self, prompt: str) -> str:
        """Returns the line that the person types, without spaces around it.

        Raises:
            Left: at the end of the input.
        """
        try:
            return self._ask(prompt).strip()
        except EOFError:
            self.say()
            raise Left("the input is over") from None
