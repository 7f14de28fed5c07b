"""Texts from and for any system: what an editor, a shell or a console makes of them.

Every text of a file is read here. Whole files are written by `files.py`; both write UTF-8 with
line feeds on every system, so that a checksum holds everywhere.
"""

import codecs
import io
import os
import pathlib
import sys

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SHOWN = "jaxgames.shown"
_PLAIN = {"±": "+-", "×": "x", "·": ".", "–": "-", "—": "-", "−": "-", "…": "...", "→": "->"}


def plain(text: str) -> str:
    """Returns a text without a byte order mark, with line feeds as the ends of its lines."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def is_utf_16(content: bytes) -> bool:
    """Returns whether a file begins with the byte order mark of UTF-16."""
    return content.startswith(_UTF_16)


def decode(content: bytes) -> str:
    """Returns the plain text of a file: in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        ValueError: if it is in neither.
    """
    if not is_utf_16(content) and b"\x00" in content[:64]:
        raise ValueError(
            "its characters take two bytes or more, without a byte order mark; save it as UTF-8"
        )
    return plain(content.decode("utf-16" if is_utf_16(content) else "utf-8"))


def read(path: str | os.PathLike[str]) -> str:
    """Returns the plain text of a file.

    Raises:
        ValueError: if it is neither in UTF-8 nor in UTF-16 with a byte order mark.
        OSError: if it cannot be read.
    """
    return decode(pathlib.Path(path).read_bytes())


def work_on_any_console() -> None:
    """Lets the process print signs that its console lacks in other words, and read any bytes."""
    codecs.register_error(_SHOWN, _in_other_words)
    for stream, errors in ((sys.stdout, _SHOWN), (sys.stderr, _SHOWN), (sys.stdin, "replace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _in_other_words(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    escaped = (sign.encode("ascii", "backslashreplace").decode("ascii") for sign in signs)
    words = (_PLAIN.get(sign, other) for sign, other in zip(signs, escaped, strict=True))
    return "".join(words), error.end
