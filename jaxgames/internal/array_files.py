"""Files of arrays that come with a description: `.npz` with the entry `meta`, a JSON text.

The comment of the zip file holds `sha256=` and the 64 digits of a checksum. It is the digest of the
whole file with zeros in place of these digits. The description says that there is a checksum, so a
file that has lost its comment is noticed. Any program that reads NumPy files reads these. The
format of `safetensors` has neither checksum nor compression, and needs one more package.
"""

import hashlib
import io
import json
import pathlib
import zipfile
from typing import Any

import numpy as np

from jaxgames.internal import files

_META = "meta"
_CHECKSUM = "checksum"  # the entry of the description
_PREFIX = b"sha256="
_DIGITS = 64


def write(
    path: pathlib.Path,
    arrays: dict[str, np.ndarray],
    meta: dict[str, Any],
    *,
    compressed: bool = False,
) -> None:
    """Writes a file, which appears complete or not at all.

    Raises:
        OSError: if it cannot be written.
    """
    files.replace(path, encode(arrays, meta, compressed=compressed))


def encode(
    arrays: dict[str, np.ndarray], meta: dict[str, Any], *, compressed: bool = False
) -> bytes:
    """Returns the content of a file.

    Args:
        arrays: the arrays by name; none is called `meta`.
        meta: the description; fit for JSON, without an entry `checksum`.
        compressed: whether the arrays are compressed.
    """
    described = {_META: np.array(json.dumps({**meta, _CHECKSUM: "sha256"})), **arrays}
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, allow_pickle=False, **described)
    with zipfile.ZipFile(buffer, "a") as file:
        file.comment = _PREFIX + b"0" * _DIGITS
    content = buffer.getvalue()
    return content[:-_DIGITS] + _digest(content)


def read(path: pathlib.Path) -> tuple[dict[str, np.ndarray], Any]:
    """Returns the arrays of a file and its description.

    Files of older versions have no checksum, and are read without.

    Raises:
        ValueError: for anything but a whole file of that kind; says in a few words why.
    """
    try:
        content = path.read_bytes()
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        meta = files.parse_json(str(arrays.pop(_META)))
    # A file that is cut off, changed, of another kind, or full of objects makes NumPy, zipfile and
    # zlib answer with a dozen types of error.
    except Exception as error:
        raise ValueError(str(error) or type(error).__name__) from error
    is_promised = isinstance(meta, dict) and meta.pop(_CHECKSUM, None) is not None
    if not _is_whole(content, is_promised):
        raise ValueError("its checksum is wrong")
    return arrays, meta


def _is_whole(content: bytes, is_promised: bool) -> bool:
    """Returns whether a file agrees with its checksum; without one, whether none was promised."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        comment = file.comment
    if not comment.startswith(_PREFIX):
        return not is_promised
    return content.endswith(comment) and comment == _PREFIX + _digest(content)


def _digest(content: bytes) -> bytes:
    """Returns the digits for the end of a file; what stands there does not matter."""
    return hashlib.sha256(content[:-_DIGITS] + b"0" * _DIGITS).hexdigest().encode()
