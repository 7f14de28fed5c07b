"""Digests of the sources from which programs are traced.

The sources of this library count always, those of its programs (`agents`, `train`) where a function
comes from them. Of any other module its whole package counts, or the files beside it, and so do the
modules that it names. Of installed packages the version counts.
"""

import functools
import hashlib
import importlib.metadata
import os
import pathlib
import sys
import sysconfig
import time
import types
from collections.abc import Iterable, Iterator

from jaxgames.internal.program_cache.identities import NoIdentity

LIBRARY = "jaxgames"
PROGRAMS = ("agents", "configs", "train")
VERSIONED = ("chex", "flax", "jax", "jaxlib", "jaxtyping", "mctx", "ml_dtypes", "numpy", "optax")
MOST_FILES = 5000  # of one package; a module beside more of them is not looked at
_SKIPPED = ("_programs", "pretrained", "__pycache__")  # folders without sources of the library
_BEGIN = time.time()


def digest(modules: Iterable[str]) -> str:
    """Returns the digest of all sources that decide what functions of some modules do.

    Raises:
        NoIdentity: if the source of one cannot be found, or was changed after this process began,
            so that the process may have loaded another one.
    """
    texts = [_versions(), _package_digest(LIBRARY)]
    texts += [f"{name} {_package_digest(name)}" for name in sorted(_all_packages(modules))]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


@functools.cache
def _versions() -> str:
    names = (*VERSIONED, LIBRARY)
    found = {name: _version(name) for name in names}
    return f"python {sys.version_info[:3]} {found}"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _all_packages(modules: Iterable[str]) -> set[str]:
    """Returns the packages of modules and of what these name, without this library."""
    packages: set[str] = set()
    waiting = list(modules)
    while waiting:
        package = waiting.pop().partition(".")[0]
        if package in packages or package == LIBRARY or _is_known(package):
            continue
        packages.add(package)
        if package not in PROGRAMS:
            waiting += _named_by(package)
    return packages


def _is_known(package: str) -> bool:
    return package in VERSIONED or package in sys.stdlib_module_names


def _named_by(package: str) -> Iterator[str]:
    """Returns the modules that the loaded modules of a package name."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != package or module is None:
            continue
        for value in list(vars(module).values()):
            found = value.__name__ if isinstance(value, types.ModuleType) else None
            found = found or getattr(value, "__module__", None)
            if isinstance(found, str):
                yield found


@functools.cache
def _package_digest(package: str) -> str:
    """Returns the digest of a package or of a single module, or the version of an installed one."""
    module = sys.modules.get(package)
    file, is_package = getattr(module, "__file__", None), hasattr(module, "__path__")
    folders = [pathlib.Path(folder) for folder in getattr(module, "__path__", ())]
    if file:
        folders = [pathlib.Path(file).parent]
    if not folders:
        raise NoIdentity(f"the source of {package} is unknown")
    place = folders[0].parent if is_package else folders[0]
    if package not in (LIBRARY, *PROGRAMS) and str(place) in _installed_places():
        return _installed_version(package)
    return files_digest(path for folder in folders for path in _sources(folder, is_package))


def _installed_places() -> set[str]:
    return {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}


def _installed_version(package: str) -> str:
    names = importlib.metadata.packages_distributions().get(package)
    if not names:
        raise NoIdentity(f"the version of {package} is unknown")
    return f"{[(name, _version(name)) for name in sorted(names)]}"


def _sources(folder: pathlib.Path, is_package: bool) -> Iterator[pathlib.Path]:
    """Returns the Python files of a folder; of a package, those in folders below it, too."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED) if is_package else []
        for name in sorted(names):
            if name.endswith((".py", ".so", ".pyd")):
                yield pathlib.Path(place, name)


def files_digest(paths: Iterable[pathlib.Path], begin: float = _BEGIN) -> str:
    """Returns the digest of the content of files, in their order.

    Args:
        paths: the files.
        begin: the time since the epoch at which this process had loaded them.

    Raises:
        NoIdentity: if one cannot be read or was changed since, or there are too many.
    """
    digest = hashlib.sha256()
    for number, path in enumerate(paths):
        try:
            if number == MOST_FILES:
                raise NoIdentity(f"there are too many files beside {path}")
            if path.stat().st_mtime > begin:
                raise NoIdentity(f"{path} was changed after this process began")
            content = path.read_bytes()
        except OSError as error:
            raise NoIdentity(f"cannot read {path}: {error}") from error
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()
