"""Where the checkout and the committed golden data are."""

import pathlib

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = CHECKOUT / "tests" / "golden"
