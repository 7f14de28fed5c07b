"""Objects that compute or compile parts of themselves at first use."""

import functools
from typing import Any


class WithoutCaches:
    """An object whose cached properties stay behind where it is pickled or copied.

    They hold compiled programs and the like, which belong to one process. The copy computes its own
    at first use.
    """

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), functools.cached_property)
        }
