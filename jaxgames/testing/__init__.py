"""Conformance suite: does a game keep the promises that agents and training rely on?

    from jaxgames import testing
    testing.check_rules(MyGame())  # the rules alone
    testing.check_env(jaxgames.make("my_game"))  # the rules and everything built on them

Random games are played, and the first broken promise raises an `AssertionError` that names it. No
test framework is needed.
"""

from jaxgames.testing.env import check_env
from jaxgames.testing.rules import check_rules

__all__ = ["check_env", "check_rules"]
