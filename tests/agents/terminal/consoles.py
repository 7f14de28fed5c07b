"""A console that answers by itself."""

import io

from agents.terminal.console import Console


class Scripted(Console):
    """Types given lines, then the end of the input; `text` is what was written."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.prompts: list[str] = []
        super().__init__(self._next, io.StringIO())

    def _next(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    @property
    def text(self) -> str:
        """Returns everything that was written."""
        return self.output.getvalue()  # type: ignore[attr-defined]
