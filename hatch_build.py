"""Puts the programs into wheels: `agents`, `train` and `configs` in `jaxgames/_programs`.

Their names are too general for somebody's site-packages; the command `jaxgames` finds them there.
An editable installation runs them from the checkout.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAMS = ("agents", "configs", "train")


class ProgramsHook(BuildHookInterface):
    """Adds the folders of the programs to a standard wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the folders to add; `version` is `standard` or `editable`."""
        if version == "standard":
            for name in PROGRAMS:
                build_data["force_include"][name] = f"jaxgames/_programs/{name}"
