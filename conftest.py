"""Settings of the whole suite. They must be in place before any test module imports jax."""

import collections
import ctypes
import gc
import importlib
import os
import pathlib
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests import quick_compilation

CHECKOUT = pathlib.Path(__file__).resolve().parent

# Values of the calling shell win, for instance JAX_PLATFORMS=cuda.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CHECKOUT / ".cache" / "jax"))
# The default keeps only compilations of a second or more; a test suite has many small ones.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
# Tests replace functions and numbers of the library, which no key of a traced program can know.
os.environ.setdefault("JAXGAMES_PROGRAM_CACHE", "off")

# Programs of tests are large and run for a moment. This holds for processes that tests start, too.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
# Nobody looks up where in the source an operation was traced.
os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")
flags = (
    quick_compilation.OLDER_FUSIONS,
    quick_compilation.UNSPLIT,
    os.environ.get("XLA_FLAGS", ""),
)
os.environ["XLA_FLAGS"] = " ".join(filter(None, flags))

# No deadline: the first example of a property pays for its compilation.
settings.register_profile("ci", max_examples=20, deadline=None, derandomize=True, database=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# The games of papers are tested like those of the library: every worker and every single file knows
# them from the start.
for paper in ("alphatm", "onitama_report"):
    importlib.import_module(f"papers.{paper}")

# A process keeps all that it has compiled. Over the whole suite that came to 8 GB for each worker,
# more than some machines have; what is dropped comes back from the compilation cache on disk.
MOST_RESIDENT_BYTES = 3 * 2**30
RESIDENT_PAGES = pathlib.Path("/proc/self/statm")


# Begun late, a file of these would keep a single worker busy when the others have nothing left.
LONG = tuple(
    CHECKOUT / place
    for place in (
        "tests/train",
        "tests/test_wheel.py",
        "papers",
        "tests/agents/play/page",
        "tests/jaxgames/search",
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the files with long tests first; workers take files in this order."""

    def place(item: pytest.Item) -> int:
        within = {item.path, *item.path.parents}
        return next((n for n, long in enumerate(LONG) if long in within), len(LONG))

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Looks for garbage less often: tracing makes many objects, few of them in cycles."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what the folders of the suite cost, those of 20 seconds and more."""
    seconds: collections.Counter[str] = collections.Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = report.nodeid.partition("::")[0].split("/")[:-1]
                seconds["/".join(folder[:3])] += report.duration
    terminalreporter.section("seconds of workers, by folder")
    terminalreporter.line(f"{sum(seconds.values()):8.0f} in all")
    for folder, sum_of_folder in seconds.most_common():
        if sum_of_folder >= 20:
            terminalreporter.line(f"{sum_of_folder:8.0f} {folder}")


@pytest.fixture(scope="session", autouse=True)
def _any_revision() -> Iterator[None]:
    """Lets benchmarks run from files that differ from the commit, as in the midst of a change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.environment.revision_problem", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _devices() -> None:
    """Uses a device, so that no command under test divides the CPU of the whole process."""
    import jax  # not before the settings above are in place

    jax.devices()


def resident_bytes() -> int:
    """Returns the memory that the process occupies; 0 where that is not known."""
    if not RESIDENT_PAGES.exists():
        return 0
    return int(RESIDENT_PAGES.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def give_back() -> None:
    """Gives freed memory back to the system; glibc keeps it unless it is told to."""
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


@pytest.fixture(scope="module", autouse=True)
def bounded_memory() -> Iterator[None]:
    """Drops compiled programs after a module if the process has grown too large (on Linux)."""
    yield
    if resident_bytes() > MOST_RESIDENT_BYTES:
        give_back()
    if resident_bytes() > MOST_RESIDENT_BYTES:
        import jax

        jax.clear_caches()
        gc.collect()
        give_back()


# A program of these tests, a gradient step of the report's convolutions, is compiled to NaN by
# XLA's older fusions without its optimisations.
OF_REPORT = tuple(
    CHECKOUT / "papers" / "onitama_report" / "tests" / "ddpg" / f"test_{part}.py"
    for part in ("actor", "critic", "learner", "preprocess", "run", "steps")
)
# These count and solve for long with small programs: half the time, that of compiling included.
LONG_COUNTS = tuple(
    CHECKOUT / "tests" / "jaxgames" / game / "test_golden.py"
    for game in ("murus_gallicus", "onitama")
)
OPTIMISED = OF_REPORT + LONG_COUNTS


@pytest.fixture(scope="module", autouse=True)
def _optimisations(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compiles with all optimisations in the files that need them."""
    if request.path not in OPTIMISED:
        yield
        return
    import jax

    jax.config.update("jax_disable_most_optimizations", False)
    yield
    is_off = os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] not in ("", "0", "false")
    jax.config.update("jax_disable_most_optimizations", is_off)
