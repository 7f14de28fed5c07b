"""Nothing that only POSIX has is needed by the library and its programs."""

import ast
import pathlib
import subprocess
import sys

import pytest

from tests.locations import CHECKOUT

PACKAGES = ("jaxgames", "agents", "train", "configs", "benchmarks")
MODULES = {
    *("fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"),
    "_posixsubprocess",
}
NAMES = {
    "os": {
        *("chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid"),
        *("getuid", "killpg", "lchown", "mkfifo", "mknod", "nice", "openpty", "posix_spawn"),
        *("pread", "pwrite", "sched_getaffinity", "sched_setaffinity", "setpgid", "setsid"),
        *("setuid", "statvfs", "sysconf", "uname", "wait3", "wait4", "O_CLOEXEC", "O_DIRECTORY"),
        *("O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "WNOHANG"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP"),
        *("SIGTSTP", "SIGUSR1", "SIGUSR2", "SIGWINCH", "alarm", "pause", "pthread_kill"),
        *("pthread_sigmask", "setitimer", "siginterrupt", "sigwait"),
    },
}
FILES = [path for package in PACKAGES for path in sorted((CHECKOUT / package).rglob("*.py"))]


def only_of_posix(path: pathlib.Path) -> list[str]:
    """Returns what a module uses of POSIX without asking whether it is there."""
    found = []

    def visit(node: ast.AST, is_asked: bool) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found.extend(name for name in names if name in MODULES)
        if isinstance(node, ast.Attribute) and not is_asked:
            owner = ast.unparse(node.value)
            found.extend(f"{owner}.{name}" for name in NAMES.get(owner, ()) if name == node.attr)
        for child in ast.iter_child_nodes(node):
            visit(child, is_asked)

    def functions(node: ast.AST) -> None:
        # `hasattr` before the use, in the same function, is enough for a reader to see it.
        for child in ast.iter_child_nodes(node):
            is_function = isinstance(child, ast.FunctionDef)
            text = ast.unparse(child) if is_function else ""
            if is_function:
                visit(child, "hasattr(" in text or "getattr(" in text)
            elif isinstance(child, ast.ClassDef):
                functions(child)
            else:
                visit(child, False)

    functions(ast.parse(path.read_text("utf-8")))
    return found


def test_no_module_needs_what_only_posix_has():
    used = {str(path.relative_to(CHECKOUT)): only_of_posix(path) for path in FILES}
    assert {path: names for path, names in used.items() if names} == {}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import fcntl", ["fcntl"]),
        ("def f():\n    from pwd import getpwnam", ["pwd"]),
        ("import signal\nS = (signal.SIGTERM, signal.SIGHUP)", ["signal.SIGHUP"]),
        ("import os\ndef f():\n    return os.getuid()", ["os.getuid"]),
        ('def f():\n    return os.getuid() if hasattr(os, "getuid") else 0', []),
    ],
)
def test_what_only_posix_has_is_noticed(tmp_path, code, names):
    (tmp_path / "module.py").write_text(code)
    assert only_of_posix(tmp_path / "module.py") == names


WITHOUT_POSIX = """
import pathlib, signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = sys.modules["pwd"] = None
del signal.SIGHUP
from train import run_record, run, signals
folder = pathlib.Path(sys.argv[1])
held = run_record.lock(folder)
try:
    run_record.lock(folder)
except ValueError as error:
    print(error)
held.release()
run_record.lock(folder).release()
with signals.StopRequest() as stop:
    print(stop.requested)
"""


def test_a_run_is_locked_without_posix(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"another process works on the run in {tmp_path}",
        "False",
    ]
