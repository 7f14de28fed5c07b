"""Git's answers about one folder, and about no repository around it."""

import os
import pathlib
import subprocess


def ask(folder: pathlib.Path, *arguments: str) -> str | None:
    """Returns what git prints of the repository whose root is a folder, without the last newline.

    Returns None if git cannot be started, if it fails, as in a folder that is no such root, or if
    it hangs.
    """
    # Git sets variables in hooks that name another repository.
    only_here = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    only_here["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
            env=only_here,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
