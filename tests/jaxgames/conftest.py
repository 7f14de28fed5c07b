"""The programs of rules are large, and the tests run them for a moment."""

import pathlib

import pytest

HERE = pathlib.Path(__file__).parent
OPTIMISED = (HERE / "search", HERE / "networks")  # their tests read or time compiled programs


@pytest.fixture(scope="module", autouse=True)
def _compile_quickly(request):
    """Applies `quick_compilation` to all modules but those of searches and networks."""
    if not any(folder in request.path.parents for folder in OPTIMISED):
        request.getfixturevalue("quick_compilation")
