"""The programs of rules are large, and the tests run them for a moment."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _compile_quickly(quick_compilation):
    """Applies it to all modules here."""
