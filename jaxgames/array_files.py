"""Files of arrays that come with a description: `.npz` with the entry `meta`, a JSON text."""

import json
import pathlib
from typing import Any

import numpy as np

_META = "meta"


def described(arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> dict[str, np.ndarray]:
    """Returns all entries of a file, for NumPy to write."""
    return {_META: np.array(json.dumps(meta)), **arrays}


def read(path: pathlib.Path) -> tuple[dict[str, np.ndarray], Any]:
    """Returns the arrays of a file and its description.

    Raises:
        ValueError: for anything but a whole file of that kind; says in a few words why.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return arrays, json.loads(str(arrays.pop(_META)))
    # For a file that is cut off, changed, of another kind, or full of objects, NumPy, zipfile and
    # zlib raise a dozen types of error.
    except Exception as error:
        raise ValueError(str(error) or type(error).__name__) from error
