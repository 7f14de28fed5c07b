"""Lists modules on a shared floor that fewer than two independent consumers use.

A module of a shared floor serves two consumers, or users, to whom the documentation names it. Else
it moves to its one consumer, or goes. Usage: `python .ci/two_consumers.py`, in the root.

- Consumers are rooms: a game (its rules and its players together), an algorithm, a command, a
  paper, a benchmark. Tests and documents are none. Whatever imports a module, or names it in a
  string as `module` or `module:name`, uses it; through a module of its own room, so do the
  consumers of that one.
- Public is a module that has a command line, that a page of `docs/` or the README names, or that an
  `__init__` with `__all__` or `__getattr__` offers.
"""

import ast
import collections
import functools
import pathlib
import re
import sys

FLOORS = ("jaxgames", "agents", "train", "configs", "benchmarks")
ROOTS = (*FLOORS, "papers", "examples")
GAMES = ("murus_gallicus", "onitama", "terra_mystica", "tribes")
DIVIDED = ("jaxgames.search", "jaxgames.players", "benchmarks.golden")  # rooms that contain rooms
ENOUGH = 2
EXCEPTIONS: dict[str, str] = {
    "benchmarks.milestones": "the plot of `benchmarks.training`",
    "benchmarks.peers": "other libraries' searches, beside `benchmarks.search`",
    "benchmarks.wide_game": "the game of `benchmarks.search_scaling`",
    "jaxgames.search.planning.tree": "an algorithm, public as the player `planning_mcts`",
}
"""Modules that stay with fewer consumers: each with the reason, in one line."""

OFFERS = {"__all__", "__getattr__"}
"""Names that a package sets if it offers public names: at once, or when they are first used."""

_NAME = re.compile(rf"\b(?:{'|'.join(ROOTS)})(?:[./]\w+)+")
_STRING = re.compile(r"(?P<module>\w+(\.\w+)+)(:\w+)?")


def module_of(path: pathlib.Path) -> str:
    """Returns the dotted name of a file; a package's is that of its folder."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


class Graph:
    """The modules of the project: which of them use a module, and which of them are public."""

    def __init__(self) -> None:
        paths = [path for root in ROOTS for path in sorted(pathlib.Path(root).rglob("*.py"))]
        paths = [path for path in paths if "tests" not in path.parts]
        self.trees = {module_of(path): ast.parse(path.read_text("utf-8")) for path in paths}
        self.packages = {module_of(path) for path in paths if path.name == "__init__.py"}
        self.users: dict[str, set[str]] = collections.defaultdict(set)
        self.public: set[str] = set()
        for user, tree in self.trees.items():
            used = {self.existing(name) for name in named_modules(tree)} - {"", user}
            for module in used:
                self.users[module].add(user)
            if user in self.packages and names_set(tree) & OFFERS:
                self.public |= used
            if user.endswith(".__main__") or "__name__" in names_read(tree):
                self.public.add(user)
        pages = [page for page in pathlib.Path("docs").rglob("*.md") if page.stem != "architecture"]
        for page in (*pages, pathlib.Path("README.md")):
            for name in _NAME.findall(page.read_text("utf-8")):
                self.public.add(self.existing(name.replace("/", ".").removesuffix(".py")))

    def existing(self, name: str) -> str:
        """Returns the module that a dotted name leads to, without the names in it; else nothing."""
        while name and name not in self.trees:
            name = name.rpartition(".")[0]
        return name

    def room(self, module: str) -> str:
        """Returns the package in which a module lives; loose modules of a floor are one room."""
        parts = module.split(".")
        outer, inner = ".".join(parts[:2]), ".".join(parts[:3])
        if outer in DIVIDED and inner in self.packages:
            return inner
        is_alone = parts[0] == "benchmarks"  # each loose module is a program, or serves some
        return outer if is_alone or (outer in self.packages and parts[0] != "configs") else parts[0]

    def consumer(self, module: str) -> str:
        """Returns the room of a module, or the game that the room belongs to."""
        room = self.room(module)
        return next((game for game in GAMES if room.endswith(f".{game}")), room)

    def is_shared(self, module: str) -> bool:
        """Returns whether a module stands on a shared floor, outside of games and commands."""
        room = self.room(module)
        is_command = f"{room}.__main__" in self.trees
        return module.split(".")[0] in FLOORS and self.consumer(module) == room and not is_command

    def consumers(self, module: str) -> set[str]:
        """Returns the rooms that use a module, directly or through its own room."""
        outside: set[str] = set()
        waiting, seen = [module], {module}
        while waiting:
            for user in self.users[waiting.pop()] - seen:
                seen.add(user)
                if user in self.packages and names_set(self.trees[user]) & OFFERS:
                    continue
                if self.room(user) != self.room(module):
                    outside.add(self.consumer(user))
                    continue
                waiting.append(user)
                if user in self.public:
                    outside |= {user, "users"}
        return outside

    def offenders(self) -> dict[str, set[str]]:
        """Returns the modules with too few consumers, and these."""
        shared = set(self.trees) - self.public - self.packages
        found = {
            module: self.consumers(module) for module in sorted(shared) if self.is_shared(module)
        }
        # Settings stand on a floor of their own, without JAX, and serve the one program they set.
        return {
            module: rooms
            for module, rooms in found.items()
            if len(rooms) < (1 if module.startswith("configs.") else ENOUGH)
        }


def named_modules(tree: ast.Module) -> set[str]:
    """Returns the dotted names that a module imports, or has in a string."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and (match := _STRING.fullmatch(str(node.value))):
            names.add(match["module"])
    return {name for name in names if name.split(".")[0] in ROOTS}


@functools.cache
def names_set(tree: ast.Module) -> frozenset[str]:
    """Returns the names that a module assigns at its top level."""
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    names = [name for target in targets for name in ast.walk(target)]
    return frozenset(name.id for name in names if isinstance(name, ast.Name))


def names_read(tree: ast.Module) -> set[str]:
    """Returns the names in the conditions at the top level of a module."""
    conditions = [node.test for node in tree.body if isinstance(node, ast.If)]
    nodes = [node for condition in conditions for node in ast.walk(condition)]
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def main() -> int:
    """Prints the offenders, and the exceptions that are not needed; returns the exit status."""
    graph = Graph()
    offenders = graph.offenders()
    faults = [
        f"{module}: used by {', '.join(sorted(rooms)) or 'nobody'}; move it there, delete it, "
        "or make it public with a document"
        for module, rooms in offenders.items()
        if module not in EXCEPTIONS
    ]
    faults += [
        f"{module}: the exception in {sys.argv[0]} is not needed any more"
        for module in EXCEPTIONS
        if module not in offenders
    ]
    print("\n".join(faults) or "every module on a shared floor has two consumers or is public")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
