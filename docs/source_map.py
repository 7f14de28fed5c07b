"""The map of all modules for the site, made from their docstrings."""

import ast
import pathlib

FLOORS = ("jaxgames", "agents", "configs", "train", "papers", "benchmarks", "examples")
_NO_MODULES = {"tests", "notebooks"}  # folders


def source_map(checkout: pathlib.Path) -> str:
    """Returns a page with a table for each folder: its modules, and the first line of each."""
    parts = ["# Source map", "Every module, with the first line of its docstring."]
    for floor in FLOORS:
        paths = (checkout / floor).rglob("*.py")
        modules = [path for path in paths if not _NO_MODULES & set(path.parts)]
        for folder in sorted({path.parent for path in modules}):
            name = folder.relative_to(checkout).as_posix()
            rows = [_row(path) for path in sorted(folder.glob("*.py")) if path in modules]
            purpose = _first_line(folder / "__init__.py")
            parts.append(f"## `{name}/`")
            parts += [purpose] if purpose else []
            if any(rows):
                parts.append(
                    "\n".join(["| module | what it is |", "| --- | --- |", *filter(None, rows)])
                )
    return "\n\n".join(parts) + "\n"


def _row(path: pathlib.Path) -> str:
    return "" if path.name == "__init__.py" else f"| `{path.name}` | {_first_line(path)} |"


def _first_line(path: pathlib.Path) -> str:
    if not path.exists():
        return ""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")
